"""The part of `footnote check` about a source's rules: which patterns match no table or column at all."""

from __future__ import annotations

from bot.commands.finding import Finding
from bot.settings import Settings
from bot.sources import open_database
from runtime.admission.manifest import AllowDeny, ColumnRules, PostgresqlSource, SqliteSource
from runtime.catalog.admitted import unmatched
from runtime.clock import SystemClock
from runtime.errors import CallError
from runtime.limits import Limits

_EVERYTHING = {"tables": AllowDeny(), "columns": ColumnRules(), "updates": ()}


async def check_patterns(source: SqliteSource | PostgresqlSource, settings: Settings, limits: Limits) -> list[Finding]:
    """A warning for each pattern without a match, over all that the source's role can see. What can't be read is told
    by the check of the source itself."""
    if not _ruled(source):
        return []
    whole = source.model_copy(update={key: value for key, value in _EVERYTHING.items() if hasattr(source, key)})
    engine = await open_database(whole, settings, limits, SystemClock())
    assert engine is not None, source.kind
    try:
        structure = await engine.structure()
    except CallError:
        return []
    finally:
        await engine.close()
    return [
        Finding(source.id, "warn", f"{key}: {pattern!r} matches nothing. Is it written as `{_form(source, key)}`?")
        for key, pattern in unmatched(structure, source.tables, source.columns)
    ]


def _ruled(source: SqliteSource | PostgresqlSource) -> bool:
    return source.tables != AllowDeny() or source.columns != ColumnRules()


def _form(source: SqliteSource | PostgresqlSource, key: str) -> str:
    table = "schema.table" if isinstance(source, PostgresqlSource) else "table"
    return table if key.startswith("tables") else f"{table}.column"
