"""Figures of several columns of one table: side by side, added up, one less the other ("sum of Q1, Q2 and Q3"), or one
by the other ("cost per click")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from runtime.models.offline.catalog import Table
from runtime.models.offline.lexicon import AGGREGATES, BUCKETS, MONEY_COLUMNS
from runtime.models.offline.mentions import Mention, find_mentions
from runtime.models.offline.plan import Aggregate, Cannot, Combined, Plan, Reading
from runtime.models.offline.tokens import Token, tokenize

_LEADING = frozenset("the our my a total sum average mean median of".split())
_PLUS, _MINUS = frozenset(("plus", "+")), frozenset(("minus", "−"))
_JOINING = frozenset((",", "and", "&", "from", "per")) | _PLUS | _MINUS
_DIFFERENCE = (("difference", "between"), ("difference", "of"), ("gap", "between"))
_ADDED = (("sum", "of"), ("total", "of"), ("add", "up"), ("sum", "up"), ("add",), ("sum",))
_TOGETHER = (("together",), ("combined",), ("all", "together"), ("taken", "together"))
_SAYS_SO = _PLUS | _MINUS | frozenset("difference gap subtract add sum together combined".split())
_TOTAL = tokenize("total")


@dataclass(frozen=True, slots=True)
class _Listed:
    """The columns that tokens [first, after) name one by one, each with the words right before it."""

    first: int
    after: int
    items: tuple[tuple[Token, ...], ...]
    combined: Combined


def with_several(
    tokens: Sequence[Token],
    tables: Sequence[Table],
    read: Callable[[Sequence[Token]], Reading],
    *,
    beside: bool = False,
) -> Reading | None:
    """The reading of a question for figures of several columns, read once for each of them; None where it is no such
    question. Columns that are only listed are taken where `beside` says so."""
    listed = _listed(tokens, tables, beside=beside)
    if listed is None:
        return None
    readings: list[Plan] = []
    for item in listed.items:
        reading = read(_alone(tokens, listed, item))
        if not isinstance(reading, Plan):
            return reading
        readings.append(reading)
    return _merged(readings, listed.combined)


# Which columns are listed, and what for ------------------------------------------------------------------------------


def _listed(tokens: Sequence[Token], tables: Sequence[Table], *, beside: bool) -> _Listed | None:
    lows = [token.low for token in tokens]
    says_so = not _SAYS_SO.isdisjoint(lows) or ("total", "of") in pairwise(lows)
    says_so = says_so or any(one.low == "per" and other.stem not in BUCKETS for one, other in pairwise(tokens))
    if not (beside or says_so) or _JOINING.isdisjoint(lows):
        return None
    for table in tables:
        runs = [*_runs(tokens, table)]
        if len(runs) == 1 and (found := _meant(tokens, lows, runs[0], beside=beside)) is not None:
            return found
    return None


def _runs(tokens: Sequence[Token], table: Table) -> Iterator[list[Mention]]:
    """Two or more figures of the table that are named one after the other."""
    run: list[Mention] = []
    for mention in find_mentions(tokens, table, [True] * len(tokens)):
        if not _is_figure(mention, tokens):
            continue
        if run and not _joined([token.low for token in tokens[run[-1].after : mention.first]]):
            if len(run) > 1:
                yield run
            run = []
        run.append(mention)
    if len(run) > 1:
        yield run


def _is_figure(mention: Mention, tokens: Sequence[Token]) -> bool:
    figures = [column for column in mention.columns if column.kind in ("number", "noisy") and column.via is None]
    bare = mention.after - mention.first == 1 and tokens[mention.first].stem in AGGREGATES
    return len(figures) == len(mention.columns) == 1 and not (mention.values or mention.table or bare)


def _joined(between: Sequence[str]) -> bool:
    said = [low for low in between if low not in _LEADING]
    return bool(said) and _JOINING.issuperset(said) and sum(low != "," for low in said) <= 1


def _meant(tokens: Sequence[Token], lows: Sequence[str], run: Sequence[Mention], *, beside: bool) -> _Listed | None:
    """What is to be done with the columns of a run; None where nothing says so."""
    starts = [_start(lows, mention.first) for mention in run]
    items = tuple(tuple(tokens[start : one.after]) for start, one in zip(starts, run, strict=True))
    between = {low for one, other in pairwise(run) for low in lows[one.after : other.first]}
    first, after = starts[0], run[-1].after
    before = next((words for words in _DIFFERENCE if _ends_with(lows, run[0].first, words)), None)
    two = len(run) == 2
    if before is not None:
        begins = _start(lows, run[0].first) - len(before)
        return _Listed(begins, after, items, "difference") if two and between & {"and"} else None
    if "from" in between:
        taken_off = two and lows[max(first - 1, 0) : first] == ["subtract"]
        return _Listed(first - 1, after, items[::-1], "difference") if taken_off else None
    if "per" in between:
        plain = tuple(tuple(token for token in item if token.stem not in AGGREGATES) for item in items)
        return _Listed(first, after, plain, "quotient") if two else None
    if between & _MINUS:
        return _Listed(first, after, items, "difference") if two else None
    added = any(tuple(lows[max(first - len(words), 0) : first]) == words for words in _ADDED)
    added = added or any(_ends_with(lows, run[0].first, words) for words in _ADDED)
    together = any(tuple(lows[after : after + len(words)]) == words for words in _TOGETHER)
    if between & _PLUS or added or together:
        begins = first - (lows[max(first - 1, 0) : first] == ["add"])
        return _Listed(begins, after, items, "sum")
    return _Listed(first, after, items, "") if beside else None


def _start(lows: Sequence[str], first: int) -> int:
    """Where the words begin that stand before a column and belong to it: "the average"."""
    while first and lows[first - 1] in _LEADING:
        first -= 1
    return first


def _ends_with(lows: Sequence[str], end: int, words: tuple[str, ...]) -> bool:
    """True when `words` stand before `end`, apart from an article and the like."""
    for at in (end, _start(lows, end)):
        while at and lows[at - 1] in ("the", "our", "my"):
            at -= 1
        if tuple(lows[max(at - len(words), 0) : at]) == words:
            return True
    return False


def _alone(tokens: Sequence[Token], listed: _Listed, item: tuple[Token, ...]) -> tuple[Token, ...]:
    """The question for one of the columns, as a total unless it names another figure."""
    before, after = tokens[: listed.first], tokens[listed.after :]
    kind = tuple(token for token in listed.items[0] if token.stem in AGGREGATES)
    own = any(token.stem in AGGREGATES for token in item) or not kind
    said = (*(() if own else kind), *item)
    whole = (*before, *said, *after)
    known = any(token.stem in AGGREGATES for token in whole)
    return whole if known else (*before, *_TOTAL, *said, *after)


# One plan of all -----------------------------------------------------------------------------------------------------


def _merged(plans: Sequence[Plan], combined: Combined) -> Reading | None:
    """The plan with the figures of all plans, where these differ in nothing else."""
    first = plans[0]
    figures = [plan.aggregate for plan in plans]
    if any(_frame(plan) != _frame(first) for plan in plans) or first.shape not in ("scalar", "groups"):
        return Cannot("I can't put these figures side by side: what they are of differs.", first.table)
    if first.top is not None or any(one.column is None or one.assumed or one.divisor != 1 for one in figures):
        return Cannot("I can't rank by several columns, or convert them; ask for one at a time.", first.table)
    functions = {figure.function for figure in figures}
    if len(functions) > 1 or not functions <= {"sum", "avg"}:
        return Cannot("I can work out several columns at a time as totals or as averages only.", first.table)
    if len({figure.column.name for figure in figures if figure.column}) < len(figures):
        return None
    basis: tuple[str, ...] = ()
    if combined in ("sum", "difference") and len({_kind(figure) for figure in figures}) > 1:
        if combined == "difference":
            return Cannot("I can't take one of these figures off the other: they aren't of one kind.", first.table)
        combined, basis = "", ("not added up, because they aren't of one kind",)
    if combined == "quotient" and functions != {"sum"}:
        return None
    if combined == "sum" and functions == {"avg"}:
        combined = ""
    score = max(plan.score for plan in plans)
    named = frozenset[str]().union(*(plan.named for plan in plans))
    whole = replace(first, shape="several", beside=tuple(figures[1:]), combined=combined, basis=basis)
    return replace(whole, score=score, named=named, akin=any(plan.akin for plan in plans), trend=False)


def _frame(plan: Plan) -> Plan:
    """The plan without its figure."""
    return replace(plan, aggregate=Aggregate("count"), basis=(), score=0.0, akin=False, named=frozenset())


def _kind(figure: Aggregate) -> tuple[str, bool]:
    """What tells whether two figures can be added up: their unit, and whether they are money."""
    words = figure.column.words if figure.column is not None else ()
    return figure.unit, bool(MONEY_COLUMNS.intersection(words))
