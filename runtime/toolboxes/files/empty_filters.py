"""When a filter found nothing: values that do occur and are near the wanted ones."""

from __future__ import annotations

from runtime.engines.port import ReadResult
from runtime.engines.workspace.workspace import Workspace
from runtime.errors import CallError
from runtime.evidence import Json
from runtime.sqlguard import EqualityFilter

_FILTERS_LOOKED_AT = 4


async def near_values(engine: Workspace, sql: str, result: ReadResult) -> list[Json]:
    """`{table, column, value, near}` for each filtered column of a query that gave no row or a NULL aggregate, where
    the wanted value does not occur as written. A look-up that fails is left out: the query itself did work."""
    if not _looks_empty(result):
        return []
    query = await engine.understand(sql)
    if result.row_count and not query.has_aggregate:
        return []
    found: list[Json] = []
    for wanted in query.filters[:_FILTERS_LOOKED_AT]:
        value = _plain(wanted)
        try:
            near = await engine.near_values(wanted.table, wanted.column, value)
        except CallError:
            continue
        if near and value not in map(str, near):
            found.append({"table": wanted.table, "column": wanted.column, "value": wanted.value, "near": near})
    return found


def _plain(wanted: EqualityFilter) -> str:
    """The text that a pattern is about: `%nroth%` asks for nroth."""
    return wanted.value.replace("%", " ").replace("_", " ").strip() if "like" in wanted.operator else wanted.value


def _looks_empty(result: ReadResult) -> bool:
    """No row, or one row with a NULL or a zero: what an aggregate over nothing gives."""
    return not result.rows or (result.row_count == 1 and any(cell is None or cell == 0 for cell in result.rows[0]))
