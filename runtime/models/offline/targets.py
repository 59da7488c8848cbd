"""What is being counted or bounded: the noun after "how many", and the figure that a bound speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runtime.models.offline.catalog import Column
from runtime.models.offline.clues import Clues, is_adverb
from runtime.models.offline.comparisons import ComparisonMention
from runtime.models.offline.lexicon import CONCEPTS, GOODS
from runtime.models.offline.measures import Measure, find_measure, named_numbers
from runtime.models.offline.mentions import Mention
from runtime.models.offline.plan import Ask, Cannot, Comparison
from runtime.models.offline.tokens import stems

_OF_PLACE = frozenset("in at from for with by".split())
_VERBS = frozenset("is are was were be been do does did has have had can could will would".split())


@dataclass(frozen=True, slots=True)
class Target:
    """The noun of one "how many": rows, the different values of a `column`, calendar buckets, a figure ("how many
    kilometres"), or the pieces, kept in `column`, of goods that a value names."""

    kind: Literal["rows", "label", "bucket", "figure", "pieces"]
    column: Column | None = None
    bucket: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on the number of rows (`measure` None) or on a figure. `tokens` are those that name the figure."""

    comparison: Comparison
    measure: Measure | None
    tokens: frozenset[int] = frozenset()


def counted(clues: Clues) -> tuple[Target, ...]:
    """The nouns that the question counts, without repeats."""
    found: list[Target] = []
    for clue, _, after in clues.phrases:
        if clue == "rows":
            found.append(Target("rows"))
        elif clue == "many":
            found.extend(_noun(clues, after))
    for function, at in clues.aggregates:
        if function == "count" and not _names_number(clues, at - 1):
            found.extend(_noun(clues, at + 1))
    return tuple(dict.fromkeys(found))


def _names_number(clues: Clues, at: int) -> bool:
    """ "page count": the count is the column itself."""
    mention = clues.mention_at(at) if at >= 0 else None
    return mention is not None and any(column.kind == "number" for column in mention.columns)


def _noun(clues: Clues, at: int) -> tuple[Target, ...]:
    """The noun from `at` on, past the conditions before it: "paid orders", "high priority tickets"."""
    passed: Mention | None = None
    index = clues.next_content(at)
    while index is not None:
        if passed is not None and any(token.low in _VERBS | _OF_PLACE for token in clues.tokens[passed.after : index]):
            break  # "how many mugs were ordered", "how many mugs in Hamburg": the value is the noun
        mention = clues.mention_at(index)
        between = {token.low for token in clues.tokens[passed.after : index]} if passed is not None else set[str]()
        if "and" in between and mention is not None and not mention.values:
            break  # "number of mails and clicks": two of them
        if mention is not None and not (mention.table or mention.values) and mention.after in clues.rows_at:
            return (Target("rows"),)  # "line items", "customer records"
        said_of = mention is not None and _said_of_value(clues, mention)
        target = None if said_of else _target(clues, index, mention)
        if target is not None:
            return (target,)
        condition = mention is not None and (mention.values or any(c.kind == "flag" for c in mention.columns))
        if not condition and not said_of and not _passes(clues, index):
            break
        passed = mention if condition else passed
        index = clues.next_content(mention.after if mention else index + 1)
    return () if passed is None else _of_value(clues, passed)


def _said_of_value(clues: Clues, mention: Mention) -> bool:
    """True for "priority" in "high priority" and "tier" in "tier gold": the column of the value beside it."""
    if mention.values or mention.table:
        return False
    beside = [clues.mention_at(mention.first - 1) if mention.first else None, clues.mention_at(mention.after)]
    held = {value.column for other in beside if other is not None for value in other.values}
    return any(column in held for column in mention.columns)


def _of_value(clues: Clues, mention: Mention) -> tuple[Target, ...]:
    """What is counted where a value is the noun: of goods ("how many mugs") the pieces, where the table has them."""
    goods = any(GOODS.intersection(stems(value.column.name)) for value in mention.values)
    own = [column for column in clues.table.of_kind("number") if column.via is None and column.additive]
    pieces = [column for column in own if CONCEPTS["pieces"] & {*column.words}]
    return (Target("pieces", pieces[0]),) if goods and len(pieces) == 1 else (Target("rows"),)


def _passes(clues: Clues, index: int) -> bool:
    spans = [(first, after) for name, first, after in clues.phrases if name in ("distinct", "single", "people", "new")]
    spans += [(period.first, period.after) for period in clues.periods]
    return any(first <= index < after for first, after in spans)


def _target(clues: Clues, index: int, mention: Mention | None) -> Target | None:
    bucket = next((bucket for bucket, at in clues.buckets if at == index and not is_adverb(clues.tokens[at])), "")
    if bucket:
        return Target("bucket", bucket=bucket)
    if mention is None:
        return Target("rows") if index in clues.rows_at else None
    if mention.values:
        return None
    if mention.table:
        return Target("rows")
    for column in mention.columns:
        if column.kind in ("label", "id", "year"):
            return Target("label", column)
        if column.kind in ("number", "noisy"):
            return Target("figure", column)
    return Target("figure", mention.units[0]) if mention.units else None


def bounds_of(clues: Clues) -> tuple[Bound, ...] | Ask | Cannot:
    """Every bound of the question with what it bounds."""
    found: list[Bound] = []
    for mention in clues.comparisons:
        bound = Bound(mention.comparison, None) if mention.times else _bound(clues, mention)
        if not isinstance(bound, Bound):
            return bound
        found.append(bound)
    return tuple(found)


def _bound(clues: Clues, said: ComparisonMention) -> Bound | Ask | Cannot:
    index = clues.next_content(said.after)
    mention = clues.mention_at(index) if index is not None else None
    if index is not None and mention is None and index in clues.rows_at:
        return Bound(said.comparison, None)
    if mention is not None and index is not None and index - said.after <= 1:
        if mention.table and not mention.columns:
            return Bound(said.comparison, None)
        if named := _measure_of(clues, mention):
            return Bound(said.comparison, named, frozenset([mention.first]))
        if any(column.kind in ("label", "id") for column in mention.columns):
            return Cannot("I can't read what that bound is about.", clues.table)
    before = [m for m in clues.mentions if m.after <= said.first and _measure_of(clues, m)]
    if before and said.first - before[-1].after <= 4:
        measure = _measure_of(clues, before[-1])
        return Bound(said.comparison, measure, frozenset([before[-1].first]))
    measure = find_measure(clues, said.concept)
    return Bound(said.comparison, measure) if isinstance(measure, Measure) else measure


def _measure_of(clues: Clues, mention: Mention) -> Measure | None:
    others = frozenset(m.first for m in clues.mentions if m.first != mention.first)
    named = named_numbers(clues, others, pointed=True)
    return named[0] if len(named) == 1 else None
