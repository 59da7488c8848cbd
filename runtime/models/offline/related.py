"""Rows that other rows point at, or don't: "customers without orders", "orders refunded", "the refund rate"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from runtime.models.offline.catalog import Column, Join, Table
from runtime.models.offline.comparisons import find_comparisons
from runtime.models.offline.conditions import Span, span_of, value_filters
from runtime.models.offline.links import linked, reached
from runtime.models.offline.mentions import names_said, valued
from runtime.models.offline.plan import Aggregate, Cannot, Plan, Reading, Related
from runtime.models.offline.reading import read
from runtime.models.offline.spotting import gather
from runtime.models.offline.tokens import Token, stems, tokenize

_LACKS = frozenset(("no", "without", "never", "not", "lacking"))
_BEARS = frozenset(("with", "have", "has", "had", "having"))
_IDLE = frozenset(
    "any anything something a an the single at least one ever yet been got get gotten made placed was were".split()
)
_RANKS = frozenset("most least fewest best worst".split())
_PARTS_OF = (("line",), ("item",), ("position",), ("detail",))
_GROUPS = frozenset(("by", "per", "each", "every"))
_DAY_WORDS = frozenset(("on", "at", "in", "date", "day"))
_BEFORE = 6


@dataclass(frozen=True, slots=True)
class _Clause:
    """The tokens [first, after) that speak of rows elsewhere; `said` are those that name and narrow them. A `rate` is
    the share of the rows pointed at."""

    first: int
    after: int
    said: tuple[Token, ...]
    negated: bool = False
    rate: bool = False


def with_related(tokens: Sequence[Token], tables: Sequence[Table], today: date | None) -> Reading | None:
    """The reading of a question about rows that rows of another table point at, or don't; None where it is no such
    question. A row is counted once, however many rows point at it."""
    found: list[Reading] = []
    often = any(said.times for said in find_comparisons(tokens))  # "ordered more than 15 times" counts those rows
    for far in tables:
        for clause in () if often else _clauses(tokens, far):
            for own, way in reached(far, tables):
                if not clause.rate or way.before is None:
                    reading = _reading(tokens, clause, own, (far, way), tables, today)
                    found += [reading] if reading is not None else []
    plans = [reading for reading in found if isinstance(reading, Plan)]
    if len({plan.table.id for plan in plans}) > 1 and any(plan.shape == "share" for plan in plans):
        return Cannot("I can't tell of what that is the rate; name it, as in “what share of … was …”.", plans[0].table)
    return max(plans or found, key=lambda reading: reading.score, default=None)


# The part of the question that speaks of other rows ------------------------------------------------------------------


def _clauses(tokens: Sequence[Token], far: Table) -> Iterator[_Clause]:
    length = len(far.words)
    for at in range(len(tokens) - length + 1) if length else ():
        if tuple(token.stem for token in tokens[at : at + length]) == far.words:
            yield from _clause(tokens, at, at + length)
    if length > 1 and far.words[1:] in _PARTS_OF:
        yield from _ordered(tokens, far)


def _ordered(tokens: Sequence[Token], far: Table) -> Iterator[_Clause]:
    """ "Products that were never ordered": no line of an order has them. Of how many were ordered, pieces may be meant,
    and what was ordered most is a matter of pieces."""
    if any(token.low in _RANKS for token in tokens):
        return
    name = tokenize(" ".join(far.words))
    for at, token in enumerate(tokens):
        for clause in _clause(tokens, at, at + 1) if token.low == f"{far.words[0]}ed" else ():
            if clause.negated or all(one.low != "many" for one in tokens):
                yield replace(clause, said=tuple(part for one in clause.said for part in _named(one, token, name)))


def _named(one: Token, verb: Token, name: tuple[Token, ...]) -> tuple[Token, ...]:
    return name if one is verb else (one,)


def _clause(tokens: Sequence[Token], first: int, after: int) -> Iterator[_Clause]:
    """The clause around the name of the other table at [first, after)."""
    name = tuple(tokens[first:after])
    lows = [token.low for token in tokens]
    if lows[after : after + 1] == ["rate"]:
        yield _Clause(first, after + 1, name, rate=True)
    if lows[max(first - 2, 0) : first] == ["rate", "of"]:
        yield _Clause(first - 2, after, name, rate=True)
    end = next((at for at in range(after, len(tokens)) if _ends(tokens[at])), len(tokens))
    opening = next(
        (at for at in range(first - 1, max(first - _BEFORE, 0) - 1, -1) if lows[at] in _LACKS | _BEARS), None
    )
    if opening is not None:
        said = tuple(token for token in tokens[opening + 1 : end] if token.low not in _IDLE)
        yield _Clause(opening, end, said, negated=lows[opening] in _LACKS)
    elif lows[first].endswith("ed") and after == first + 1:  # "orders that were refunded in May"
        said = tuple(token for token in tokens[first:end] if token.low not in _IDLE)
        yield _Clause(first, end, said)
        yield _Clause(first, after, name)  # "refunded orders of 2026"


def _ends(token: Token) -> bool:
    return token.low in _GROUPS or (token.kind == "punct" and token.low not in "-'")


# Reading it ----------------------------------------------------------------------------------------------------------


def _reading(
    tokens: Sequence[Token],
    clause: _Clause,
    own: Table,
    pointing: tuple[Table, Join],
    tables: Sequence[Table],
    today: date | None,
) -> Reading | None:
    main = (*tokens[: clause.first], *tokens[clause.after :])
    if clause.rate:
        main = (*tokenize(f"share of {own.name.replace('_', ' ')}"), *(token for token in main if token.low != "the"))
    if not _names(main, own):
        return None
    far, way = pointing
    rows = _pointing_rows(clause.said, far, way, tables, today)
    key = own.column(way.other_column)
    if rows is None or key is None:
        return None
    if (said := _of_both(clause.said, own, far, rows)) is not None:
        return Cannot(f"I can't tell whether “{said}” is that of {own.called} or of {far.called}.", own)
    related = Related(replace(key, source=own.id), rows, clause.negated)
    values, names = valued(main, tables), names_said(main, tables)
    wide = linked(own, tables)
    for table in (own, wide) if wide is not None else (own,):
        reading = read(main, table, today, values, names, (related,))
        if isinstance(reading, Plan) and reading.aggregate.function == "distinct":
            return None  # "customers with orders that have no refunds": of whom that is said can't be told
        if not (isinstance(reading, Cannot) and reading.unknown):
            return _dated_apart(reading, main, far)
    return None


def _names(tokens: Sequence[Token], table: Table) -> bool:
    words = [token.stem for token in tokens]
    return any(tuple(words[at : at + len(table.words)]) == table.words for at in range(len(words)))


def _pointing_rows(
    said: Sequence[Token], far: Table, way: Join, tables: Sequence[Table], today: date | None
) -> Plan | None:
    """The rows of `far` that the clause means, with the column that points along `way`; None where a word stays
    unread or says more than which rows are meant."""
    table = linked(far, tables) or far
    clues = gather(said, table, today)
    more = (clues.phrases, clues.extremes, clues.aggregates, clues.buckets, clues.comparisons, clues.negations)
    if clues.unread() or any(more) or clues.doubt or clues.weekdays or clues.share or clues.change or clues.top:
        return None
    values, span = value_filters(clues), span_of(clues)
    if not isinstance(values, tuple) or not isinstance(span, Span):
        return None
    columns = {column.name for mention in clues.mentions if not mention.table for column in mention.columns}
    if columns - {value.column.name for value in values} - ({span.column.name} if span.column else set()):
        return None
    start = next(one for one in tables if one.id == way.origin)
    pointer = start.column(way.column)
    pointer = pointer or Column(way.column, "", "id", stems(way.column), 0)
    return Plan(
        table,
        "scalar",
        Aggregate("count"),
        values=values,
        period=span.period,
        date=span.column,
        other=replace(pointer, source=way.origin, via=way.before),
    )


def _of_both(said: Sequence[Token], own: Table, far: Table, rows: Plan) -> str | None:
    """A value said behind the other table's name that a row of this one may have as well: "… refunds in EUR"."""
    words = [token.stem for token in said]
    behind = next(at for at in range(len(words)) if tuple(words[at : at + len(far.words)]) == far.words)
    for value in rows.values:
        if _leads_through(value.column, own) or any(column.words == value.column.words for column in own.columns):
            spelled = {stems(text) for text in value.values}
            if any(tuple(words[at : at + len(one)]) in spelled for one in spelled for at in range(behind, len(words))):
                return value.values[0]
    return None


def _leads_through(column: Column, own: Table) -> bool:
    way = column.via
    while way is not None and way.table != own.id:
        way = way.before
    return way is not None


def _dated_apart(reading: Reading, main: Sequence[Token], far: Table) -> Reading:
    """The reading, unless its time may as well be that of the other rows: "customers in 2026 without orders"."""
    timed = isinstance(reading, Plan) and (reading.period is not None or bool(reading.weekdays))
    if not isinstance(reading, Plan) or not timed or reading.shape == "share":
        return reading
    said = reading.date is not None and {token.stem for token in main}.intersection(reading.date.words) - _DAY_WORDS
    if said or not any(column.dated for column in far.columns):
        return reading
    return Cannot(
        f"I can't tell whether that time is that of {reading.table.called} or of {far.called}; say it right "
        f"behind the one that is meant.",
        reading.table,
    )
