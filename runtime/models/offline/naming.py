"""Names beside ids: "top 3 products" says what the products are called, and keeps two of the same name apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runtime.models.offline.catalog import Column, Join, Table
from runtime.models.offline.lexicon import IDENTIFIER_WORDS
from runtime.models.offline.plan import Aggregate, Dimension, Plan, sourced

_NAMES = ("name", "title")
_MOSTLY = 2  # a label of more values than half of the rows tells them apart


def name_of(table: Table, key: str = "") -> Column | None:
    """The column beside `key` that says what each row of `table` is called: the one named after a key or the table, or
    the only name or title."""
    labels = [column for column in table.of_kind("label") if column.via is None and column.name != key]
    after = {_without_id(column.words) for column in table.columns if column.name in table.keys} | {table.words}
    return next((column for column in labels if column.words in after), None) or _only_name(labels)


def _only_name(labels: Sequence[Column]) -> Column | None:
    named = [column for column in labels if column.words[-1].endswith(_NAMES)]
    return named[0] if len(named) == 1 else None


def _without_id(words: tuple[str, ...]) -> tuple[str, ...]:
    return words[:-1] if words[-1] in IDENTIFIER_WORDS else words


def shares_names(column: Column, table: Table) -> bool:
    """True when two rows of `table` may bear the same name in `column`, or one that differs in case or blanks only."""
    return column.folds or column.distinct < table.rows


def named(plan: Plan, tables: Sequence[Table]) -> Plan:
    """`plan` with a name beside every id it groups by. What is grouped or told apart by the name of the rows that it
    points at goes by their key, so that two of one name stay two."""
    by_id = {table.id: table for table in tables}
    dimensions = tuple(_by_key(dimension, by_id) for dimension in plan.dimensions)
    whole = replace(plan, dimensions=dimensions, aggregate=_distinct_keys(plan.aggregate, by_id))
    labelled = tuple(replace(one, label=one.label or _label(one, plan.table, by_id)) for one in dimensions)
    if labelled != dimensions:
        whole = sourced(replace(whole, dimensions=labelled), plan.table.id)
    shared = [one for one in labelled if one.label is not None and one.label.shared]
    notes = tuple(
        f"some `{one.column.name}`s share a `{one.label.name}` and are kept apart" for one in shared if one.label
    )
    return replace(whole, assumed=(*plan.assumed, *notes))


def _label(dimension: Dimension, table: Table, by_id: dict[str, Table]) -> Column | None:
    """The name that stands beside the id of `dimension`, in its own table or in the one that it points at."""
    column = dimension.column
    if dimension.bucket or dimension.width or column.via is not None:
        return None
    join = _only_join(column, table)
    other = by_id.get(join.table) if join is not None else None
    if join is not None and other is not None and join.other_column in other.keys and other.source == table.source:
        label = name_of(other, join.other_column)
        way = replace(join, sql=other.sql, origin=table.id)
        return replace(label, source=other.id, via=way, shared=shares_names(label, other)) if label else None
    own = by_id.get(table.id, table)
    label = name_of(own, column.name) if column.name in table.keys and column.kind == "id" else None
    return replace(label, shared=shares_names(label, own)) if label else None


def _only_join(column: Column, table: Table) -> Join | None:
    joins = [join for join in table.joins if join.column == column.name]
    return joins[0] if len(joins) == 1 else None


def _by_key(dimension: Dimension, by_id: dict[str, Table]) -> Dimension:
    """The key in the place of a name that several rows of another table may bear."""
    key = _key_behind(dimension.column, by_id)
    return dimension if key is None else Dimension(key, label=replace(dimension.column, shared=True))


def _distinct_keys(aggregate: Aggregate, by_id: dict[str, Table]) -> Aggregate:
    key = _key_behind(aggregate.column, by_id) if aggregate.function == "distinct" and aggregate.column else None
    return aggregate if key is None else replace(aggregate, column=key)


def _key_behind(column: Column, by_id: dict[str, Table]) -> Column | None:
    """The key of the table that `column` is looked up in, if the column names that table's rows and may repeat."""
    table = by_id.get(column.source) if column.via is not None and column.kind == "label" else None
    if table is None or column.via is None or column.name in table.keys or not shares_names(column, table):
        return None
    name = name_of(table, column.via.other_column)
    if name is None or name.name != column.name or column.distinct * _MOSTLY <= table.rows:
        return None
    way = column.via
    pointing = by_id.get(way.origin) if way.before is None else None
    if pointing is not None and (key := pointing.column(way.column)) is not None:
        return replace(key, source=pointing.id)
    key = table.column(way.other_column)
    return replace(key, source=table.id, via=way) if key is not None else None
