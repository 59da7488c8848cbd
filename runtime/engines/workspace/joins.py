"""Finds columns of other tables that a table can be joined on: alike in name, and sharing values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol

from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceTable
from runtime.evidence import Column, Json
from runtime.ingest.columns import quoted

_CANDIDATES = 24
_VALUES = 1_000
_SHARE = 0.5
_IDENTIFIER = re.compile(r"(?:^|_)(?:id|key|code|no|nr|num|number|sku|isbn|zip|year)$|Id$", re.IGNORECASE)
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")


class Ask(Protocol):
    """Runs fixed SQL of our own over the workspace's tables and gives its rows."""

    async def __call__(self, sql: str, parameters: tuple[Json, ...] = ()) -> tuple[tuple[Json, ...], ...]: ...


async def likely_joins(
    ask: Ask, catalog: WorkspaceCatalog, table: WorkspaceTable, columns: Sequence[Column]
) -> tuple[tuple[str, str, str], ...]:
    """(column, other table, other column) where at least half of the column's first 1,000 distinct values occur in
    the other one. At most 24 pairs are tried, in the order of tables and columns."""
    joins: list[tuple[str, str, str]] = []
    for column, other, match in islice(_pairs(catalog, table, columns), _CANDIDATES):
        mine, theirs = quoted(column), quoted(match)
        found = await ask(
            f"SELECT count(*), count_if(v IN (SELECT {theirs} FROM {quoted(other)} WHERE {theirs} IS NOT NULL)) FROM"
            f" (SELECT DISTINCT {mine} AS v FROM {quoted(table.name)} WHERE {mine} IS NOT NULL LIMIT {_VALUES}) AS t"
        )
        (values, shared), *_ = found
        if isinstance(values, int) and isinstance(shared, int) and shared and shared >= _SHARE * values:
            joins.append((column, other, match))
    return tuple(joins)


def near_tables(
    catalog: WorkspaceCatalog, table: WorkspaceTable, columns: Sequence[Column]
) -> tuple[WorkspaceTable, ...]:
    """The tables that `likely_joins` looks into."""
    names = {other for _, other, _ in islice(_pairs(catalog, table, columns), _CANDIDATES)}
    return tuple(each for each in catalog.tables if each.name in names)


def _pairs(
    catalog: WorkspaceCatalog, table: WorkspaceTable, columns: Sequence[Column]
) -> Iterator[tuple[str, str, str]]:
    for other in catalog.tables:
        if other.name == table.name:
            continue
        for column in columns:
            for match in other.columns:
                if _comparable(column.type, match.type) and _alike(table, column, other, match):
                    yield column.name, other.name, match.name


def _alike(table: WorkspaceTable, mine: Column, other: WorkspaceTable, theirs: Column) -> bool:
    one, two = mine.name.casefold(), theirs.name.casefold()
    if one == two:
        # Every table counts its own ids from one; and numbers of one name are more often measures than references.
        return one != "id" and (mine.type not in _WHOLE or _IDENTIFIER.search(mine.name) is not None)
    return _refers(one, other.name, two) or _refers(two, table.name, one)


def _refers(column: str, table: str, key: str) -> bool:
    """`customer_id` refers to `id` (or `customer`) of `customers`."""
    stem = column.removesuffix("_id")
    if stem == column or key not in ("id", stem, "code", "key"):
        return False
    name = table.casefold()
    return name in (stem, stem + "s", stem + "es", stem.removesuffix("y") + "ies")


def _comparable(one: str, other: str) -> bool:
    """Types that compare without a cast and name things; measures are no join columns."""
    if one in _WHOLE and other in _WHOLE:
        return True
    return one == other and one in ("VARCHAR", "DATE", "UUID")
