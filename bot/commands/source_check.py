"""The part of `footnote check` about sources: is each reachable, what is open of it, may its role only read?"""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.commands.finding import Finding
from bot.commands.pattern_check import check_patterns
from bot.commands.remote_check import check_remote
from bot.commands.updates_check import check_updates
from bot.settings import Settings
from bot.sources import open_database
from runtime.admission import Manifest
from runtime.admission.manifest import McpSource, PostgresqlSource, Source
from runtime.catalog import ClosedView
from runtime.clock import SystemClock
from runtime.engines.port import DatabaseEngine
from runtime.errors import CallError, ConfigurationError
from runtime.limits import Limits

_VIEWS_SHOWN = 20


async def check_sources(manifest: Manifest, settings: Settings) -> AsyncIterator[Finding]:
    """One line for each declared source, and for a role with too many rights the script that mends it."""
    limits = manifest.effective_limits()
    for source in manifest.sources:
        if isinstance(source, McpSource):
            yield await check_remote(source, limits)
            continue
        try:
            engine = await open_database(source, settings, limits, SystemClock())
        except ConfigurationError as error:
            yield Finding(source.id, "fail", str(error))
            continue
        assert engine is not None, source.kind
        try:
            standing = await _standing(source, engine)
            changes = await _changes(source, engine, standing, limits)
        finally:
            await engine.close()
        yield standing
        for finding in changes:
            yield finding
        if standing.state != "fail":  # an engine that answered can be asked for its whole structure, too
            for finding in await check_patterns(source, settings, limits):
                yield finding


async def _standing(source: Source, engine: DatabaseEngine) -> Finding:
    if isinstance(source, PostgresqlSource):
        return await _postgresql(source, engine)
    try:
        tables = len((await engine.structure()).tables)
    except CallError as error:
        return Finding(source.id, "fail", f"{error.message} {error.hint}".strip())
    return _reachable(source, tables)


async def _changes(source: Source, engine: DatabaseEngine, standing: Finding, limits: Limits) -> list[Finding]:
    """What of a source that can be read may be changed."""
    if not isinstance(source, PostgresqlSource) or standing.state == "fail":
        return []
    return await check_updates(source, engine, limits)


async def _postgresql(source: PostgresqlSource, engine: DatabaseEngine) -> Finding:
    from runtime.engines.postgresql import PostgresqlEngine

    assert isinstance(engine, PostgresqlEngine)
    found = await engine.check()
    if found.unreachable or found.rights is None:
        return Finding(source.id, "fail", f"It cannot be reached: {found.unreachable}")
    if found.rights.problems:
        problems = "\n".join(f"  {problem}" for problem in found.rights.problems)
        return Finding(
            source.id,
            "fail",
            f"The role {found.rights.role} may do more than read, so nothing of it is read:\n{problems}\n"
            f"This mends it, run by the database's owner:\n\n{found.rights.script}",
        )
    reachable = _reachable(source, found.tables)
    told = [*found.rights.remarks, *map(_closed, found.closed[:_VIEWS_SHOWN])]
    if (more := len(found.closed) - _VIEWS_SHOWN) > 0:
        told.append(f"and {more:,} more views are not open for what they call")
    if not told:
        return reachable
    remarks = "\n".join(f"  {remark}" for remark in told)
    return Finding(source.id, "warn", f"{reachable.text}\n{remarks}")


def _closed(view: ClosedView) -> str:
    """A view that isn't open, for operators: with the functions, and what opens what it shows."""
    return (
        f"the view {view.id} is not open, as it calls {', '.join(view.calls)}: that may read anything, whatever its "
        "owner declares of it. A view without the call, or a table that is filled from this one, can be open"
    )


def _reachable(source: Source, tables: int) -> Finding:
    if not tables:
        return Finding(source.id, "warn", "It is reachable, but no table of it is admitted: see its tables and role.")
    open_ones = "1 table or view is" if tables == 1 else f"{tables:,} tables and views are"
    return Finding(source.id, "ok", f"{source.kind}: {open_ones} open")
