"""What the guard is told of a database: its admitted structure, with the columns that are masked."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping

from runtime.catalog import CatalogTable, Structure
from runtime.limits import Limits
from runtime.sqlguard import GuardPolicy

_PLAIN_TYPE = re.compile(r"(?:[a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]*", re.ASCII)


def policy_of(
    structure: Structure,
    limits: Limits,
    *,
    parameters: int = 0,
    schema: str = "main",
    search_path: tuple[str, ...] = (),
    by_columns: bool = False,
) -> GuardPolicy:
    """The guard's policy over an admitted structure, made once for each use of it. `by_columns`: every table is read by
    the columns that are known, where one that is added meanwhile may be one to hide."""
    kept = structure.derived(_policies)
    key = (parameters, schema, search_path, by_columns, limits.sql_bytes, limits.sql_nesting)
    if key not in kept:
        kept[key] = GuardPolicy(
            structure.derived(_columns),
            structure.dialect,
            schema=schema,
            search_path=search_path,
            partial=frozenset(table.id for table in structure.tables if by_columns or table.partial),
            masked=structure.derived(_masked),
            unsorted=structure.derived(_unsorted),
            types=structure.derived(_types),
            fields=structure.derived(_fields),
            keys={table.id: table.primary_key for table in structure.tables if table.primary_key},
            parameters=parameters,
            max_bytes=limits.sql_bytes,
            max_nesting=limits.sql_nesting,
        )
    return kept[key]


def _policies(_: Structure) -> dict[Hashable, GuardPolicy]:
    return {}


def _columns(structure: Structure) -> Mapping[str, tuple[str, ...]]:
    return {table.id: tuple(column.name for column in table.columns) for table in structure.tables}


def _types(structure: Structure) -> frozenset[str]:
    """Of types that belong to what isn't masked; one with an odd name is compared with plain text only."""
    names = (name for table in structure.tables for item in table.columns if not item.masked for name in item.casts)
    return frozenset(name for name in names if _PLAIN_TYPE.fullmatch(name))


def _fields(structure: Structure) -> Mapping[str, frozenset[str]]:
    fields = {table.id: frozenset(name for item in table.columns for name in item.fields) for table in structure.tables}
    return {name: found for name, found in fields.items() if found}


def _unsorted(structure: Structure) -> Mapping[str, str]:
    """Tables with an index over a column that nobody or only people may see, and a column that such an index lacks: a
    scan that reads it, too, goes by the table. "" where there is none, or where the index would sort what it finds."""
    found: dict[str, str] = {}
    for table in structure.tables:
        open_to_all = {item.name for item in table.columns if not item.masked}
        withheld = [columns for columns in table.indexed if not open_to_all.issuperset(columns)]
        if withheld:
            single = all(len(columns) == 1 and columns[0] for columns in withheld)
            found[table.id] = (_beside(table) if single else None) or ""
    return found


def _beside(table: CatalogTable) -> str | None:
    """An open, stored column that is no part of a key: every index of SQLite holds the key of its rows."""
    kept = (item.name for item in table.columns if not item.masked and not item.generated)
    return next((name for name in kept if name not in table.primary_key), None)


def _masked(structure: Structure) -> Mapping[str, frozenset[str]]:
    masked = {
        table.id: frozenset(column.name for column in table.columns if column.masked) for table in structure.tables
    }
    return {name: columns for name, columns in masked.items() if columns}
