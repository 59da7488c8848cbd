"""`/footnote schema NAME`: the columns of a table that is open in the conversation, from whichever source."""

from __future__ import annotations

from dataclasses import dataclass

from bot.assembly import Analyst
from bot.render.text import cell_text
from runtime.capability import Scope, SourceKind
from runtime.errors import FootnoteError

_TABLES_SHOWN = 40
_COLUMNS_SHOWN = 60


@dataclass(frozen=True, slots=True)
class _Table:
    source: str
    name: str
    columns: tuple[str, ...]


async def schema_text(analyst: Analyst, scope: Scope, name: str) -> str:
    """The table's columns with their types, once for each source that has a table of this name; for a source's name its
    tables, without a name all that are open."""
    tables, unreachable = await _open_tables(analyst, scope)
    if not tables:
        return "\n".join(["No table is open in this conversation; `/footnote why` says why.", *unreachable])
    if not name:
        return "\n".join([*_named(tables), *unreachable])
    wanted = name.casefold()
    found = [table for table in tables if wanted in _spellings(table)]
    if not found and (of_source := [table for table in tables if table.source.casefold() == wanted]):
        return "\n".join(_named(of_source))
    if not found:
        shown = ", ".join(cell_text(table.name) for table in tables[:_TABLES_SHOWN])
        return "\n".join([f"No table {cell_text(name)} is open here. Open here: {shown}.", *unreachable])
    return "\n\n".join(map(_described, found[:_TABLES_SHOWN]))


async def _open_tables(analyst: Analyst, scope: Scope) -> tuple[list[_Table], list[str]]:
    """The open tables in the order of their sources, and a sentence for each source that could not be asked."""
    tables: list[_Table] = []
    unreachable: list[str] = []
    for source in sorted(scope.sources):
        try:
            tables += await _tables_of(analyst, scope, source)
        except FootnoteError as error:
            unreachable.append(f"{source}: {cell_text(str(error))}")
    return tables, unreachable


async def _tables_of(analyst: Analyst, scope: Scope, source: str) -> list[_Table]:
    opened = analyst.opened
    if scope.kind(source) is SourceKind.WORKSPACE and opened.workspace is not None:
        known = (await opened.workspace.catalog()).tables
        return [_Table(source, one.name, tuple(f"{c.name} {c.type}" for c in one.columns)) for one in known]
    if source not in opened.databases:
        return []
    structure = await opened.databases[source].structure()
    return [
        _Table(source, one.id, tuple(f"{c.name} {c.type}".strip() for c in one.columns)) for one in structure.tables
    ]


def _named(tables: list[_Table]) -> list[str]:
    lines = [f"• {cell_text(table.name)} ({table.source})" for table in tables[:_TABLES_SHOWN]]
    more = len(tables) - len(lines)
    return lines + ([f"and {more:,} more"] if more > 0 else [])


def _spellings(table: _Table) -> tuple[str, ...]:
    """What people may call it: by its name, without its schema, and with its source as it is written elsewhere."""
    name = table.name.casefold()
    bare = name.rpartition(".")[2]
    return name, bare, *(f"{table.source}{sign}{each}" for sign in "./" for each in (name, bare))


def _described(table: _Table) -> str:
    lines = [f"• {cell_text(column)}" for column in table.columns[:_COLUMNS_SHOWN]]
    more = len(table.columns) - len(lines)
    return "\n".join(
        [f"*{cell_text(table.name)}* ({table.source})", *lines, *([f"and {more:,} more"] if more > 0 else [])]
    )
