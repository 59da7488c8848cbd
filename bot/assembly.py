"""Puts the analyst together from the settings: policy, state, sources, model. Knows nothing of Slack."""

from __future__ import annotations

from dataclasses import dataclass

from bot.settings import Settings
from bot.sources import OpenSources, open_sources
from runtime.admission import AdmissionByPolicy, Asker, Conversation, Manifest, Policy, Present
from runtime.boundary import Approvals, NoApprovals
from runtime.capability import Scope, Services
from runtime.clock import Clock, NewId, SystemClock, random_id
from runtime.engines.python import PythonEngine, open_python
from runtime.engines.workspace.workspace import Workspace
from runtime.instructions import instructions
from runtime.limits import Limits
from runtime.models.port import Model
from runtime.registry import Registry
from runtime.run import Wiring
from runtime.state import State


@dataclass(slots=True)
class Analyst:
    """Everything a run needs, opened once per process."""

    settings: Settings
    policy: Policy
    limits: Limits
    state: State
    opened: OpenSources
    python: PythonEngine | None
    model: Model
    wiring: Wiring
    clock: Clock
    new_id: NewId

    @property
    def workspace(self) -> Workspace | None:
        """The workspace, when one is declared."""
        return self.opened.workspace

    def sources(self, conversation: Conversation, asker: Asker | None) -> frozenset[str]:
        """The admitted sources of a conversation that this process can read."""
        return self.policy.admitted(conversation, asker) & self.opened.terms.keys()

    def declared(self) -> list[str]:
        """The sources that this process can read, open to anybody or not."""
        return [name for name in self.policy.audiences() if name in self.opened.terms]

    def scope(self, run_id: str, address: str, user: str, timezone: str, sources: frozenset[str]) -> Scope:
        """The frozen scope of a run that a person started."""
        return Scope(
            run_id=run_id,
            conversation=address,
            origin="person",
            asker=user,
            timezone=timezone,
            policy_revision=self.policy.revision,
            sources=sources,
            composition=self.settings.composition,
            terms={name: self.opened.terms[name] for name in sources},
        )

    async def close(self) -> None:
        """Closes engines and model. The state belongs to whoever opened it."""
        await self.opened.close()
        if self.python is not None:
            await self.python.close()
        await self.model.close()


async def open_analyst(
    settings: Settings,
    manifest: Manifest,
    state: State,
    present: Present,
    *,
    clock: Clock | None = None,
    new_id: NewId = random_id,
    model: Model | None = None,
    approvals: Approvals | None = None,
) -> Analyst:
    """Opens the analyst of a manifest over `state`. Without `approvals` nobody can be asked for one. Raises
    ConfigurationError for a folder or model that cannot be used."""
    clock = clock or SystemClock()
    policy, limits = Policy.of(manifest), manifest.effective_limits()
    opened = await open_sources(manifest, settings, limits, clock)
    model = model or choose_model(settings)
    python = open_python(limits, cache=settings.data_dir / "guest", isolated=settings.guest == "isolated")
    members: list[object] = [member for member in (opened.workspace, python) if member is not None]
    services = Services(*members, opened.engines)
    wiring = Wiring(
        registry=Registry.of().served(services),
        model=model,
        instructions=instructions(),
        admission=AdmissionByPolicy(lambda: policy, present, opened.revision),
        services=services,
        journal=state.calls,
        replies=state.steps,
        limits=limits,
        clock=clock,
        new_id=new_id,
        approvals=approvals or NoApprovals(),
        dry_run=settings.effects == "dry_run",
        run_usd=manifest.budgets.run_usd,
    )
    return Analyst(settings, policy, limits, state, opened, python, model, wiring, clock, new_id)


def choose_model(settings: Settings) -> Model:
    """The model that FOOTNOTE_MODEL names. Raises ConfigurationError when its key is missing."""
    settings.require_model()
    if settings.model == "offline":
        from runtime.models.offline import OfflineModel

        return OfflineModel()
    from runtime.models.anthropic import AnthropicModel

    key = settings.anthropic_api_key
    return AnthropicModel(
        name=settings.model,
        api_key=key.get_secret_value() if key else "",
        base_url=settings.anthropic_base_url,
        loading=settings.tool_loading,
    )
