"""The part of `footnote check` about changes: can each table that the manifest opens be changed by its role?"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from bot.commands.finding import Finding
from runtime.admission.manifest import PostgresqlSource
from runtime.clock import SystemClock, random_id
from runtime.engines.port import DatabaseEngine
from runtime.errors import CallError, ConfigurationError
from runtime.limits import Limits
from runtime.state import open_state


async def check_updates(source: PostgresqlSource, reads: DatabaseEngine, limits: Limits) -> list[Finding]:
    """One line for each table; none for a source whose data nobody may change."""
    if not source.updates:
        return []
    from runtime.engines.postgresql.updates import PostgresqlUpdates

    state = open_state("sqlite://", clock=SystemClock(), new_id=random_id)  # nothing is journalled by a look
    try:
        engine = PostgresqlUpdates.open(source, reads.structure, state.effects, limits, SystemClock())
        return [await _table(source.id, engine.fit, rule.table) for rule in source.updates]
    except ConfigurationError as error:
        return [Finding(source.id, "fail", str(error))]
    finally:
        state.close()


async def _table(part: str, fit: Callable[[str], Awaitable[Sequence[str]]], table: str) -> Finding:
    try:
        warnings = await fit(table)
    except CallError as error:
        return Finding(part, "fail", f"{table} cannot be changed: {error.message} {error.hint}".strip())
    return Finding(part, "ok", " ".join((f"{table} is open to changes.", *warnings)))
