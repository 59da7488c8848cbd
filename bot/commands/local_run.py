"""What `ask` and `sql` share: an operator in a direct message on this machine, with a state that lives as long."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.assembly import Analyst, open_analyst
from bot.direct import not_open
from bot.settings import Settings, load_settings
from runtime.admission import Asker, Conversation, Policy, PolicyInForce, load_manifest
from runtime.capability import Scope
from runtime.clock import SystemClock, random_id
from runtime.errors import ConfigurationError
from runtime.state import open_state

PLACE = Conversation("im", "D0LOCAL")
ADDRESS = "local:D0LOCAL:0"
WITHOUT_OPERATORS = "U0LOCAL"
"""Who asks where the manifest names no operator."""


class OperatorPresence:
    """The first operator of the manifest, in a direct message."""

    async def look(self, scope: Scope) -> tuple[Conversation, Asker | None]:
        """Always the same place and person."""
        return PLACE, Asker(scope.asker)


def settings_for(manifest: str | None, model: str | None) -> Settings:
    """The environment's settings with the command line's on top. Raises ConfigurationError."""
    overrides: dict[str, object] = {}
    if manifest:
        overrides["FOOTNOTE_MANIFEST"] = Path(manifest)
    if model:
        overrides["FOOTNOTE_MODEL"] = model
    return load_settings(**overrides)


@asynccontextmanager
async def local_analyst(settings: Settings) -> AsyncGenerator[tuple[Analyst, Scope]]:
    """The analyst and the scope of one run of the operator."""
    state = open_state("sqlite://", clock=SystemClock(), new_id=random_id)
    try:
        in_force = PolicyInForce(Policy.of(load_manifest(settings.manifest)))
        analyst = await open_analyst(settings, in_force, state, OperatorPresence())
    except BaseException:
        state.close()
        raise
    try:
        operators = analyst.policy.manifest.operators.users
        user = operators[0] if operators else WITHOUT_OPERATORS
        sources = analyst.sources(PLACE, Asker(user))
        await analyst.opened.ready(sources)
        yield (
            analyst,
            analyst.scope(random_id(), ADDRESS, user, analyst.policy.timezone(PLACE.id), sources),
        )
    finally:
        await analyst.close()
        state.close()


def require_open(scope: Scope, source: str) -> None:
    """Raises ConfigurationError when a source is not open to an operator in a direct message."""
    if closed := not_open(source, scope):
        raise ConfigurationError(f"{closed} Set `im: true` in a source's audience to ask for it here.")
