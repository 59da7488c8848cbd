"""A table together with the labels of the tables that its rows point at, so that "orders from Germany" can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runtime.models.offline.catalog import Column, Join, Table


def linked(table: Table, tables: Sequence[Table]) -> Table | None:
    """`table` with the label columns of every table that it refers to by exactly one column, where the other side is
    a key: such a join never repeats a row. None when there is no such table."""
    columns = [replace(column, source=table.name) for column in table.columns]
    added: list[Column] = []
    own = {column.words for column in table.columns}
    for other in tables:
        join = _only_join(table, other)
        if join is None:
            continue
        for column in other.columns:
            if column.kind != "label" or column.name == join.other_column or column.words in own:
                continue
            if column.name in other.keys or (*column.words, "id") not in own:  # two customers may share a name
                added.append(replace(column, source=other.name, via=join))
    return replace(table, columns=(*columns, *added)) if added else None


def _only_join(table: Table, other: Table) -> Join | None:
    joins = [join for join in table.joins if join.table == other.name]
    if other.name == table.name or len(joins) != 1 or joins[0].other_column not in other.keys:
        return None
    return joins[0]
