"""Puts the analyst together from the settings: policy, state, sources, model. Knows nothing of Slack."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bot.settings import Settings
from bot.sources import OpenSources, open_sources
from bot.updates import open_updates
from bot.uses import Uses
from runtime.admission import AdmissionByPolicy, Asker, Conversation, Policy, PolicyInForce, Present
from runtime.boundary import Approvals, NoApprovals
from runtime.capability import Scope, Services
from runtime.clock import Clock, NewId, SystemClock, random_id
from runtime.engines.mcp import Changed
from runtime.engines.python import PythonEngine, open_python
from runtime.engines.workspace.workspace import Workspace
from runtime.instructions import instructions
from runtime.limits import Limits
from runtime.models.port import Model
from runtime.registry import CAPABILITIES, Registry
from runtime.run import Wiring
from runtime.state import State


@dataclass(slots=True)
class Analyst:
    """Everything a run needs, opened once per process. Another manifest changes it by `take` alone."""

    settings: Settings
    state: State
    opened: OpenSources
    python: PythonEngine | None
    wiring: Wiring
    in_force: PolicyInForce
    changed: Changed | None = None
    uses: Uses = field(default_factory=Uses)

    @property
    def policy(self) -> Policy:
        """The newest policy that this process has."""
        return self.in_force.policy

    @property
    def limits(self) -> Limits:
        """The limits of that policy's manifest."""
        return self.opened.limits

    @property
    def model(self) -> Model:
        """The model that answers."""
        return self.wiring.model

    @property
    def clock(self) -> Clock:
        """The clock of this process."""
        return self.wiring.clock

    @property
    def new_id(self) -> NewId:
        """The source of new ids."""
        return self.wiring.new_id

    @property
    def workspace(self) -> Workspace | None:
        """The workspace, when one is declared."""
        return self.opened.workspace

    def sources(self, conversation: Conversation, asker: Asker | None) -> frozenset[str]:
        """The admitted sources of a conversation that this process can read; none as long as it hasn't the policy that
        the state names."""
        ruling = self.in_force.ruling()
        return ruling.admitted(conversation, asker) & self.opened.terms.keys() if ruling else frozenset()

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
            terms=self.opened.terms_now(sources),
        )

    async def reopened(self, policy: Policy) -> OpenSources:
        """Opens what `policy` declares and isn't open yet; nothing changes for anybody. Raises ConfigurationError."""
        limits = policy.manifest.effective_limits()
        return await open_sources(
            policy.manifest, self.settings, limits, self.clock, opened=self.opened, changed=self.changed
        )

    def take(self, policy: Policy, opened: OpenSources) -> Uses:
        """Works by `policy` from now on; runs that began before keep what they began with, and are admitted no more.
        Returns their count: when none is left, what is open no more may be closed."""
        admission, before = self.wiring.admission, self.uses
        assert isinstance(admission, AdmissionByPolicy)
        services = services_of(opened, self.python, self.state, self.clock)
        self.wiring = replace(
            self.wiring,
            registry=registry_of(opened, services),
            admission=replace(admission, revision=opened.revision),
            services=services,
            limits=opened.limits,
            run_usd=policy.manifest.budgets.run_usd,
        )
        self.opened, self.uses = opened, Uses()
        self.in_force.take(policy)
        return before

    async def close(self) -> None:
        """Closes engines and model. The state belongs to whoever opened it."""
        await self.opened.close()
        if self.python is not None:
            await self.python.close()
        await self.model.close()


async def open_analyst(
    settings: Settings,
    in_force: PolicyInForce,
    state: State,
    present: Present,
    *,
    clock: Clock | None = None,
    new_id: NewId = random_id,
    model: Model | None = None,
    approvals: Approvals | None = None,
    changed: Changed | None = None,
) -> Analyst:
    """Opens the analyst of the manifest in force over `state`. Without `approvals` nobody can be asked for one;
    `changed` hears of remote tools that changed. Raises ConfigurationError for a folder or model that cannot be
    used."""
    clock = clock or SystemClock()
    manifest = in_force.policy.manifest
    limits = manifest.effective_limits()
    model = model or choose_model(settings)  # before anything is open that would have to be closed
    opened = await open_sources(manifest, settings, limits, clock, changed=changed)
    try:
        python = open_python(limits, cache=settings.data_dir / "guest", isolated=settings.guest == "isolated")
        services = services_of(opened, python, state, clock)
    except BaseException:
        await opened.close()  # what is left open keeps the process from ending
        raise
    wiring = Wiring(
        registry=registry_of(opened, services),
        model=model,
        instructions=instructions(),
        admission=AdmissionByPolicy(in_force.ruling, present, opened.revision),
        services=services,
        journal=state.calls,
        replies=state.steps,
        limits=limits,
        clock=clock,
        new_id=new_id,
        approvals=approvals or NoApprovals(),
        dry_run=settings.effects == "dry_run",
        approvers_of=lambda kind: in_force.policy.manifest.effects.approver_rule(kind),
        run_usd=manifest.budgets.run_usd,
    )
    return Analyst(settings, state, opened, python, wiring, in_force, changed)


def services_of(opened: OpenSources, python: PythonEngine | None, state: State, clock: Clock) -> Services:
    """The engines that tools look up. Raises ConfigurationError for an address of updates that is none."""
    members: list[object] = [member for member in (opened.workspace, python) if member is not None]
    return Services(*members, opened.engines, open_updates(opened, state.effects, clock))


def registry_of(opened: OpenSources, services: Services) -> Registry:
    """The tools that these engines serve."""
    return Registry.of((*CAPABILITIES, *opened.remote_capabilities(opened.limits))).served(services)


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
