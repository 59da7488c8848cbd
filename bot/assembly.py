"""Puts the analyst together from the settings: policy, state, engines, model. Knows nothing of Slack."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from bot.settings import Settings
from runtime.admission import AdmissionByPolicy, Asker, Conversation, Manifest, Policy, Present
from runtime.admission.policy import WORKSPACE
from runtime.capability import Scope, Services
from runtime.clock import Clock, NewId, SystemClock, random_id
from runtime.engines.port import ReadEngine, ReadEngines
from runtime.engines.python import PythonEngine, open_python
from runtime.engines.workspace.workspace import Workspace
from runtime.errors import ConfigurationError
from runtime.instructions import instructions
from runtime.limits import Limits
from runtime.models.port import Model
from runtime.registry import Registry
from runtime.run import Wiring
from runtime.state import State

SERVED = frozenset({WORKSPACE})  # the kinds of source that have an engine; others are declared, and said to be closed


@dataclass(slots=True)
class Analyst:
    """Everything a run needs, opened once per process."""

    settings: Settings
    policy: Policy
    limits: Limits
    state: State
    workspace: Workspace | None
    python: PythonEngine | None
    model: Model
    wiring: Wiring
    clock: Clock
    new_id: NewId

    def sources(self, conversation: Conversation, asker: Asker | None) -> frozenset[str]:
        """The admitted sources of a conversation that this version can read."""
        admitted = self.policy.admitted(conversation, asker) & SERVED
        return admitted if self.workspace is not None else admitted - {WORKSPACE}

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
        )

    async def close(self) -> None:
        """Closes engines and model. The state belongs to whoever opened it."""
        if self.workspace is not None:
            await self.workspace.close()
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
) -> Analyst:
    """Opens the analyst of a manifest over `state`. Raises ConfigurationError for a folder or model that cannot be
    used."""
    clock = clock or SystemClock()
    policy, limits = Policy.of(manifest), manifest.effective_limits()
    workspace = await _open_workspace(manifest, settings, limits, clock)
    model = model or choose_model(settings)
    python = open_python(limits, cache=settings.data_dir / "guest", isolated=settings.guest == "isolated")
    engines: dict[str, ReadEngine] = {WORKSPACE: workspace} if workspace is not None else {}
    members: list[object] = [member for member in (workspace, python) if member is not None]
    services = Services(*members, ReadEngines(engines))
    wiring = Wiring(
        registry=Registry.of().served(services),
        model=model,
        instructions=instructions(),
        admission=AdmissionByPolicy(lambda: policy, present, _revisions(workspace)),
        services=services,
        journal=state.calls,
        replies=state.steps,
        limits=limits,
        clock=clock,
        new_id=new_id,
        run_usd=manifest.budgets.run_usd,
    )
    return Analyst(settings, policy, limits, state, workspace, python, model, wiring, clock, new_id)


def workspace_root(manifest: Manifest, manifest_path: Path) -> Path | None:
    """The workspace's folder, relative to the manifest. Raises ConfigurationError when it is no folder."""
    if manifest.workspace is None:
        return None
    try:
        root = (manifest_path.parent / manifest.workspace.root).resolve()
    except (OSError, ValueError, RuntimeError) as error:  # a NUL byte, a loop of links
        raise ConfigurationError(f"workspace.root: {manifest.workspace.root!r} is no path: {error}") from error
    if not root.is_dir():
        raise ConfigurationError(f"workspace.root: {root} is not a folder. Create it or mend the path.")
    return root


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


async def _open_workspace(manifest: Manifest, settings: Settings, limits: Limits, clock: Clock) -> Workspace | None:
    root = workspace_root(manifest, settings.manifest)
    if root is None:
        return None
    _require_writable(settings.data_dir)
    return await Workspace.open(root, settings.data_dir / "workspace", limits, clock)


def _require_writable(folder: Path) -> None:
    """Caches and artifacts go here; without it no file can be read. Raises ConfigurationError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigurationError(
            f"The data folder {folder} cannot be written: {reason}. Mend its rights, or set FOOTNOTE_DATA_DIR."
        ) from error


def _revisions(workspace: Workspace | None) -> Callable[[str], Awaitable[str]]:
    async def revision(source_id: str) -> str:
        if source_id == WORKSPACE and workspace is not None:
            return (await workspace.catalog()).revision
        return ""

    return revision
