"""What a short remark after an answer changes in its plan: "and by month?", "only Germany", "as a chart", "why?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from runtime.models.offline.catalog import Table
from runtime.models.offline.choose import Choice, choose
from runtime.models.offline.clues import Clues
from runtime.models.offline.conditions import Span, span_of, value_filters
from runtime.models.offline.grouping import dimensions_of
from runtime.models.offline.links import linked, reached, with_units
from runtime.models.offline.listing import Listing
from runtime.models.offline.naming import named
from runtime.models.offline.notes import noted, value_note
from runtime.models.offline.percent import in_percent
from runtime.models.offline.periods import PeriodMention, in_year
from runtime.models.offline.plan import Cannot, Dimension, Plan, Reading, ValueFilter, sourced
from runtime.models.offline.reading import unmixed
from runtime.models.offline.spotting import gather
from runtime.models.offline.tokens import Token, tokenize
from runtime.models.offline.wording import column_name

_OPENERS = frozenset(
    "and only just but now instead also as by per for in not without excluding except then why since".split()
)
_LEADS = (("what", "about"), ("how", "about"), ("same", "for"), ("the", "same"), ("how", "come"))
_ASKS = frozenset("how what which who when whose list show describe compare find draw plot".split())
_CARRIED = frozenset("only just but now instead also about same but then even rather".split())
_MOST_WORDS = 8


def is_follow_up(tokens: Sequence[Token]) -> bool:
    """True for a remark that only makes sense after an answer."""
    lows = [token.low for token in tokens if token.wordlike]
    if not lows or len(lows) > _MOST_WORDS:
        return False
    if tuple(lows[:2]) in _LEADS:
        return not _ASKS & set(lows[2:])
    return lows[0] in _OPENERS and not _ASKS & set(lows)


def asks_why(tokens: Sequence[Token]) -> bool:
    """True for "why?" and the like."""
    lows = [token.low for token in tokens if token.wordlike]
    return lows[:1] == ["why"] or lows[:2] in (["how", "come"], ["and", "why"])


def resolve(
    questions: Sequence[str], tables: Sequence[Table], listing: Listing, today: date | None, *, all_seen: bool = True
) -> Choice:
    """The reading of the last question; a remark is read as a change of what stands before it. One that failed changes
    nothing, once `all_seen`: until then its unknown words are to be looked for, since it may have been answered."""
    asked = [tokenize(question) for question in questions]
    start = next((at for at in range(len(asked) - 1, 0, -1) if not is_follow_up(asked[at])), 0)
    failed: list[Choice] = []
    standing = latest = choose(asked[start], tables, listing, today)
    for at, remark in enumerate(asked[start + 1 :], start + 1):
        if asks_why(remark):
            latest = standing
            continue
        if not isinstance(standing.reading, Plan):
            latest = _by_itself(remark, standing, choose(remark, tables, listing, today))
            standing = latest if isinstance(latest.reading, Plan) else standing
            continue
        latest = _looked_for(_amended(standing.reading, remark, tables, today), tables)
        if isinstance(latest.reading, Plan):
            standing = latest
        elif at + 1 < len(asked) and latest.words:
            failed.append(latest)
    return latest if all_seen or not failed else _sought(failed)


def _by_itself(remark: Sequence[Token], before: Choice, own: Choice) -> Choice:
    """What follows a question without a figure is a question of its own, refused for its own words at most. Of one that
    plainly changes something nobody can tell what it would be a figure of."""
    tables = {table.id: table for table in (*before.look_into, *own.look_into)}
    words = tuple(dict.fromkeys((*before.words, *own.words)))
    lows = [token.low for token in remark if token.wordlike]
    changes = lows[0] in _CARRIED | {"and"} or tuple(lows[:2]) in _LEADS
    reading = own.reading
    if changes:
        unknown = reading.unknown if isinstance(reading, Cannot) else ()
        left = tuple(word for word in unknown if word.lower() not in _CARRIED)
        said = "" if left else "There is no figure before that I could change; ask the whole question, please."
        reading = Cannot(said, reading.table if isinstance(reading, Cannot) and left else None, left)
    return Choice(reading, tuple(tables.values()), words, alone=not changes)


def _sought(failed: Sequence[Choice]) -> Choice:
    """What earlier remarks have that isn't understood yet, to be looked for in one go."""
    tables = {table.id: table for choice in failed for table in choice.look_into}
    words = dict.fromkeys(word for choice in failed for word in choice.words)
    return Choice(failed[0].reading, tuple(tables.values()), tuple(words), passing=True)


def _looked_for(reading: Reading, tables: Sequence[Table]) -> Choice:
    """The reading; where a word of the remark is unknown, with the tables whose values may hold it."""
    if not isinstance(reading, Cannot) or not reading.unknown or reading.table is None:
        return Choice(reading)
    own = next((table for table in tables if table.id == reading.table.id), reading.table)
    return Choice(reading, (own, *(other for other, _ in reached(own, tables))), reading.unknown)


def _amended(plan: Plan, tokens: Sequence[Token], tables: Sequence[Table], today: date | None) -> Reading:
    own = next((table for table in tables if table.id == plan.table.id), plan.table)
    own = with_units(own, tables)
    wide = linked(own, tables)
    table = replace(wide, borrowed=own.borrowed) if wide is not None else own
    clues = gather(tokens, table, today)
    _carried(clues)
    changed = _changed(replace(sourced(plan, table.id if wide else ""), table=table), clues)
    unread = clues.unread()
    if unread:
        return Cannot("", plan.table, unread)
    settled = unmixed(changed) if isinstance(changed, Plan) else changed
    return noted(named(settled, tables)) if isinstance(settled, Plan) else settled


def _carried(clues: Clues) -> None:
    for at, token in enumerate(clues.tokens):
        clues.used[at] = clues.used[at] or token.low in _CARRIED


def _changed(plan: Plan, clues: Clues) -> Reading:
    values = value_filters(clues)
    if not isinstance(values, tuple):
        return values
    if clues.doubt:
        return Cannot(clues.doubt, plan.table)
    clues.periods = _in_the_year_of(plan, clues.periods)
    span = span_of(clues)
    if not isinstance(span, Span):
        return span
    dimensions = dimensions_of(clues, (), values, ranked=False, bounded=False)
    if not isinstance(dimensions, tuple):
        return dimensions
    functions = {function for function, _ in clues.aggregates}
    if not (
        values or span.period or span.weekdays or dimensions or functions or clues.chart or clues.top or clues.share
    ):
        return Cannot("I can't tell what that changes in the question before.", plan.table)
    if plan.shape == "share":  # what a remark narrows is the whole
        values = tuple(replace(value, base=not _narrows_part(plan, value)) for value in values)
    plan = replace(plan, values=_merged(plan.values, values), split=(), assumed=())
    notes = [note for value in plan.values if (note := value_note(value))]
    if span.period is not None:
        if plan.shape == "change":
            return Cannot("Ask the whole question again with both periods, please.", plan.table)
        plan = replace(plan, period=span.period, date=span.column, data_end=span.data_end)
        notes += [span.assumed] if span.assumed else []
    if span.weekdays:
        if plan.date is not None and plan.date != span.column:
            return Cannot("I can't tell of which date those days are; ask the whole question again.", plan.table)
        plan = replace(plan, weekdays=span.weekdays, date=span.column)
    return _reshaped(replace(plan, assumed=tuple(notes)), clues, functions, dimensions)


def _in_the_year_of(plan: Plan, periods: Sequence[PeriodMention]) -> tuple[PeriodMention, ...]:
    """ "And in April?" after March 2026 is that of the same year."""
    before = plan.period
    if before is None or before.start is None or before.end is None or before.start.year != before.end.year:
        return tuple(periods)
    return tuple(replace(said, period=in_year(said.period, before.start.year)) for said in periods)


def _reshaped(plan: Plan, clues: Clues, functions: set[str], dimensions: tuple[Dimension, ...]) -> Reading:
    aggregate = plan.aggregate
    if clues.share and functions:
        return Cannot("I can't tell which figure you want instead.", plan.table)
    if functions:
        function = functions.pop()
        if functions or aggregate.column is None or plan.beside or function not in ("sum", "avg", "median"):
            return Cannot("I can't tell which figure you want instead.", plan.table)
        if function == "sum" and not aggregate.column.additive:
            return Cannot(f"Adding up `{aggregate.column.name}` makes no sense; ask for its average.", plan.table)
        plan = replace(plan, aggregate=replace(aggregate, function=function), basis=())
    if dimensions:
        if plan.shape not in ("scalar", "groups", "change", "share", "several"):
            return Cannot("I can't group that answer; ask the whole question again, please.", plan.table)
        plan = _regrouped(plan, clues, dimensions)
    if clues.top:
        if plan.shape != "groups":
            return Cannot("I can't pick the first ones of that answer; ask the whole question again.", plan.table)
        plan = replace(plan, top=(plan.top[0] if plan.top else "max", clues.top))
    if clues.chart and plan.beside:
        return Cannot("I can only draw one figure at a time; ask for one of the columns.", plan.table)
    if clues.chart and (plan.shape not in ("groups", "share") or not plan.dimensions):
        return Cannot("There is one figure to draw. Say by what first, as in “and by month?”.", plan.table)
    plan = replace(plan, chart=plan.chart or clues.chart)
    return in_percent(plan) if clues.share else plan


def _narrows_part(plan: Plan, value: ValueFilter) -> bool:
    """True for another value of the column that the share's own condition is about."""
    return any(not one.base and one.column.name == value.column.name for one in plan.values)


def _regrouped(plan: Plan, clues: Clues, new: tuple[Dimension, ...]) -> Plan:
    """The plan by the new groups, "and by month?" within the old ones; what is given up is said."""
    lows = [token.low for token in clues.tokens if token.wordlike]
    adds = lows[:1] == ["and"] or "also" in lows
    adds = adds and not {"instead", "only", "just", "rather"} & set(lows)
    kept = [one for one in plan.dimensions if adds and not _replaced(one, new)]
    given_up = [one for one in plan.dimensions if one not in kept]
    notes = [*plan.assumed]
    if given_up and (names := [_group(one) for one in given_up if _group(one) not in [_group(each) for each in new]]):
        notes.append(f"no longer by {' and '.join(names)}")
    if plan.top is not None:
        notes.append("all groups, no longer the first ones only")
    whole = sorted((*kept, *new), key=lambda one: not one.bucket)  # the time first, so that the newest can be shown
    shape = plan.shape if plan.shape in ("change", "share", "several") else "groups"
    return replace(plan, dimensions=tuple(whole), top=None, shape=shape, assumed=tuple(notes))


def _replaced(old: Dimension, new: Sequence[Dimension]) -> bool:
    """True where a new group takes the place of an old one: the same column, or another step of its time."""
    return any(one.column.name == old.column.name and one.column.via == old.column.via for one in new)


def _group(dimension: Dimension) -> str:
    return dimension.bucket or column_name(dimension.column)


def _merged(old: Sequence[ValueFilter], new: Sequence[ValueFilter]) -> tuple[ValueFilter, ...]:
    """The new conditions in the place of old ones on the same column."""
    named = {(value.column.name, value.column.via) for value in new}
    return (*(value for value in old if (value.column.name, value.column.via) not in named), *new)
