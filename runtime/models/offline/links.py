"""A table together with what the tables that its rows point at say, so that "orders from Germany" can be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from runtime.models.offline.catalog import Column, Join, Table
from runtime.models.offline.naming import name_of, shares_names
from runtime.models.offline.plan import Cannot
from runtime.models.offline.tokens import Token

_STEPS = 3
_SAYING = ("label", "flag", "year", "date", "textdate", "number")
_NAMELESS = ("",)


def linked(table: Table, tables: Sequence[Table]) -> Table | None:
    """`table` with the labels, flags, days and figures of every table that its rows lead to, step by step, by exactly
    one column to a key: such joins never repeat a row, so no figure of its own is counted twice; those of the others
    would be, and serve as bounds only. Never over two sources. None when
    there is no such table."""
    columns = [replace(column, source=table.id) for column in table.columns]
    added: list[Column] = []
    own = {column.words for column in table.columns}
    for other, way in reached(table, tables):
        name = name_of(other, way.other_column)
        for column in other.columns:
            if column.kind not in _SAYING or column.name == way.other_column or column.words in own:
                continue
            shared = name is not None and column.name == name.name and shares_names(column, other)
            column = replace(column, source=other.id, via=way, shared=shared)
            by_id = column.kind == "label" and column.name not in other.keys and (*column.words, "id") in own
            added.append(replace(column, words=_NAMELESS) if by_id else column)  # "by customer" goes by its id
    return replace(table, columns=(*columns, *added)) if added else None


def with_units(table: Table, tables: Sequence[Table]) -> Table:
    """`table` with the currencies or units that its amounts are in by the rows they belong to: those of an order's
    lines stand in the order."""
    if any(column.tells_unit for column in table.columns):
        return table
    ways = ((other, way) for other, way in reached(table, tables))
    found = next((replace(c, source=o.id, via=way) for o, way in ways for c in o.columns if c.tells_unit), None)
    if found is None:
        return table
    columns = tuple(replace(column, source=table.id) for column in table.columns)
    return replace(table, columns=columns, borrowed=(found,))


def repeating(tokens: Sequence[Token], tables: Sequence[Table]) -> Cannot | None:
    """The refusal of a figure of one table by a label of another that only a join that repeats its rows would reach:
    an order's amount would be counted once for each of its lines."""
    said = frozenset(token.stem for token in tokens)
    for table in tables:
        figures = [c for c in table.columns if c.kind == "number" and c.additive and said.issuperset(c.words)]
        near = {table.id, *(other.id for other, _ in reached(table, tables))}
        for between in tables if figures else ():
            beside = [other for other, _ in reached(between, tables)]
            if between.source != table.source or between.id in near or near.isdisjoint(other.id for other in beside):
                continue
            for other in beside:
                label = next((c for c in other.columns if c.kind == "label" and said.issuperset(c.words)), None)
                if label is not None and other.id not in near:
                    return Cannot(
                        f"`{figures[0].name}` stands in {table.called} and `{label.name}` in {other.called}. Joined "
                        f"over {between.called}, a row of {table.called} would be counted several times, so I don't."
                        + _instead(between, label),
                        between,
                        score=-1.0,
                    )
    return None


def _instead(between: Table, label: Column) -> str:
    """What may be asked of the table between, which has a row for each."""
    own = next((column for column in between.of_kind("number") if column.additive and column.via is None), None)
    return "" if own is None else f" Of {between.called} itself you could ask for the total {own.name} by {label.name}."


def reached(table: Table, tables: Sequence[Table]) -> Iterator[tuple[Table, Join]]:
    """The tables behind keys, nearest first, each by the first way that leads there; one that two columns of the same
    table point at could be meant twice and is left out."""
    seen = {table.id}
    edge: list[tuple[Table, Join | None]] = [(table, None)]
    for _ in range(_STEPS):
        following: list[tuple[Table, Join | None]] = []
        for near, before in edge:
            for other in tables:
                join = _only_join(near, other)
                if join is not None and other.id not in seen:
                    seen.add(other.id)
                    way = replace(join, sql=other.sql, origin=near.id, before=before)
                    following.append((other, way))
                    yield other, way
        edge = following


def _only_join(table: Table, other: Table) -> Join | None:
    joins = [join for join in table.joins if join.table == other.id]
    if other.id == table.id or other.source != table.source or len(joins) != 1:
        return None
    return joins[0] if joins[0].other_column in other.keys else None
