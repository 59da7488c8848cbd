"""Text comparisons on columns of admitted tables, so that a query that finds nothing can be told near values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from runtime.sqlguard.policy import EqualityFilter, GuardPolicy, fold
from runtime.sqlguard.tables import TablesRead

MAX_FILTERS = 50

_OPERATORS: dict[type[exp.Expr], str] = {exp.EQ: "=", exp.In: "in", exp.Like: "like", exp.ILike: "ilike"}
_TEXT_CALLS = frozenset({"lower", "upper", "trim", "lcase", "ucase"})


def text_filters(comparisons: Iterable[exp.Expr], read: TablesRead, policy: GuardPolicy) -> tuple[EqualityFilter, ...]:
    """The comparisons of a column with text, at most fifty, in the order the tree holds them."""
    found: list[EqualityFilter] = []
    for comparison in comparisons:
        for column, value in _pairs(comparison):
            where = _column_of(column, read, policy)
            if where is not None:
                found.append(EqualityFilter(*where, value, _OPERATORS[type(comparison)]))
                if len(found) == MAX_FILTERS:
                    return tuple(found)
    return tuple(found)


def _pairs(comparison: exp.Expr) -> Iterator[tuple[exp.Column, str]]:
    left = comparison.this
    rights = comparison.expressions if isinstance(comparison, exp.In) else [comparison.args.get("expression")]
    for right in rights:
        sides = ((left, right), (right, left)) if isinstance(comparison, exp.EQ) else ((left, right),)
        for side, other in sides:
            column = _bare_column(side)
            if column is not None and isinstance(other, exp.Literal) and other.args.get("is_string"):
                yield column, str(other.this)


def _bare_column(side: object) -> exp.Column | None:
    if isinstance(side, exp.Anonymous) and side.name.lower() in _TEXT_CALLS and len(side.expressions) == 1:
        side = side.expressions[0]
    elif isinstance(side, exp.Trim) and side.args.get("expression") is None:
        side = side.this
    return side if type(side) is exp.Column else None


def _column_of(column: exp.Column, read: TablesRead, policy: GuardPolicy) -> tuple[str, str] | None:
    """(admitted table, column) the node names, or None when it is ambiguous or no admitted table's."""
    select = column.find_ancestor(exp.Select)
    if select is None or column.args.get("db"):
        return None
    qualifier, name = fold(column.table), fold(column.name)
    sources = [select.args.get("from_"), *(select.args.get("joins") or ())]
    hits: list[tuple[str, str]] = []
    for source in sources:
        table = source.this if source is not None else None
        admitted = read.by_node.get(id(table))
        if admitted is None or not isinstance(table, exp.Table):
            continue
        if qualifier and fold(table.alias_or_name) != qualifier:
            continue
        known = policy.column(admitted, name)
        if known is not None:
            hits.append((admitted, known))
    return hits[0] if len(hits) == 1 else None
