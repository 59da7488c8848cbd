"""Which rows count: the values, flags, bounds and the period that a question names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from runtime.models.offline.catalog import Column, Table
from runtime.models.offline.clues import Clues
from runtime.models.offline.lexicon import EXCEPTIONS, FILLERS, IDENTIFIER_WORDS, MONTH_NAMES
from runtime.models.offline.mentions import Mention, Value
from runtime.models.offline.periods import Period, PeriodMention, in_year
from runtime.models.offline.plan import Ask, Cannot, ValueFilter
from runtime.models.offline.tokens import stems

_LISTED = frozenset((",", "and", "or", "nor", "from", "in", "the", "also"))


@dataclass(frozen=True, slots=True)
class Span:
    """A period, or days of the week, and the date column that they limit; None when the question names neither.
    `data_end` is the last day of the data where they end within the period."""

    period: Period | None = None
    column: Column | None = None
    assumed: str = ""
    data_end: date | None = None
    weekdays: tuple[int, ...] = ()


def value_filters(clues: Clues) -> tuple[ValueFilter, ...] | Ask | Cannot:
    """One filter for every column with a named value or flag."""
    found: dict[str, ValueFilter] = {}
    named = {column.name for mention in clues.mentions for column in mention.columns}
    before: tuple[Mention, ValueFilter] | None = None
    for mention in clues.mentions:
        flag = next((column for column in mention.columns if column.kind == "flag"), None)
        if mention.values:
            fitting = _fitting(mention.values, named)
            if len(fitting) > 1:
                said = clues.tokens[mention.first].text
                return Ask(f"Where do you mean “{said}”?", tuple(f"as {value.column.name}" for value in fitting)[:3])
            new = ValueFilter(fitting[0].column, fitting[0].spellings, _negated(clues, mention.first))
        elif flag is not None:
            new = ValueFilter(flag, ("true",), _negated(clues, mention.first))
        else:
            continue
        if before is not None and _excluded_too(clues, before, mention, new):
            new = replace(new, negated=True)
        before = (mention, new)
        old = found.get(new.column.name)
        if old is not None and old.negated != new.negated:
            return Cannot(f"The question both asks for and excludes values of {new.column.name}.", clues.table)
        values_all = tuple(dict.fromkeys((old.values if old else ()) + new.values))
        found[new.column.name] = ValueFilter(new.column, values_all, new.negated)
    for row in _numbered(clues):
        found.setdefault(row.column.name, row)
    return tuple(found.values())


def _numbered(clues: Clues) -> list[ValueFilter]:
    """Rows by their number: "order 1001" where orders have one key of numbers, "customer 47" by a column of theirs."""
    found: list[ValueFilter] = []
    for mention in clues.mentions:
        at = mention.after
        number = clues.tokens[at] if at < len(clues.tokens) else None
        if number is None or clues.used[at] or not number.text.isdigit():
            continue
        keys = [c for c in clues.table.columns if c.kind == "id" and c.via is None and c.name in clues.table.keys]
        named = [c for c in mention.columns if c.kind == "id" and c.via is None] or (keys if mention.table else [])
        named = named or [key for column in mention.columns if (key := _pointing(column)) is not None]
        if len(named) == 1:
            clues.used[at] = True
            found.append(ValueFilter(named[0], (number.text,), _negated(clues, mention.first)))
    return found


def _pointing(column: Column) -> Column | None:
    """The key by which rows are found whose name is `column`: "customer 47" where orders hold a customer_id."""
    way = column.via
    if way is None or column.kind != "label":
        return None
    words = stems(way.column)
    named = words[-1] in IDENTIFIER_WORDS and words[:-1] == column.words
    return Column(way.column, "", "id", words, 0, source=way.origin, via=way.before) if named else None


def _fitting(values: tuple[Value, ...], named: set[str]) -> list[Value]:
    """The values whose column is named too, if any is; else all of them."""
    return [value for value in values if value.column.name in named] or list(values)


def _excluded_too(clues: Clues, before: tuple[Mention, ValueFilter], mention: Mention, new: ValueFilter) -> bool:
    """ "except Germany and France", "not cancelled or open": the next one of a list that is left out. What "not … and"
    means can't be told."""
    last, old = before
    between = [token.low for token in clues.tokens[last.after : mention.first]]
    if not old.negated or new.column.name != old.column.name or not set(between) <= _LISTED or not between:
        return False
    said = {clues.tokens[at].low for at in clues.negations if at < mention.first}
    return bool(said & EXCEPTIONS) or "or" in between


def _negated(clues: Clues, first: int) -> bool:
    """True when a negation stands right before the words at `first`; that negation is then understood."""
    for at in range(first - 1, max(first - 5, -1), -1):
        if at in clues.negations:
            clues.used[at] = True
            return True
        if clues.tokens[at].stem not in FILLERS:
            return False
    return False


def date_column(clues: Clues) -> Column | Ask | Cannot:
    """The date column that a period or a calendar word speaks of: the one named, or that of the rows themselves, or of
    the nearest rows that they point at."""
    dated = tuple(column for column in clues.table.columns if column.dated)
    named = tuple(c for mention in clues.mentions for c in mention.columns if c.dated)
    nearest = min((column.steps for column in dated), default=0)
    choice = tuple(dict.fromkeys(named)) or tuple(column for column in dated if column.steps == nearest)
    if len(choice) == 1:
        return choice[0]
    if not dated:
        return no_dates(clues.table)
    return Ask("Which date do you mean?", tuple(column.name for column in choice[:3]))


def no_dates(table: Table) -> Cannot:
    """The refusal of what only dates could tell."""
    return Cannot(f"{table.called} has no dates.", table)


def pair_of(clues: Clues) -> tuple[Span, Period] | Ask | Cannot:
    """The later of two compared periods as a span, and the earlier one."""
    column = date_column(clues)
    if not isinstance(column, Column):
        return column
    periods: list[Period] = []
    said = {m.period.start.year for m in clues.periods if m.period.month is None and m.period.start}
    for mention in clues.periods:
        month = mention.period.month
        years = said if month and len(said) == 1 else _years_with(month, column) if month else set[int]()
        if month and len(years) != 1:
            return _ask_year(month, years) or _no_period(clues, column)
        periods.append(in_year(mention.period, next(iter(years))) if month else mention.period)
    earlier, later = sorted(periods, key=lambda period: period.start or date.min)
    for period in (earlier, later):
        if outside := _outside(period, column, clues.table):
            return Cannot(outside, clues.table)
    if not (earlier.end and later.start and earlier.end < later.start):
        return Cannot("The two periods overlap, so their figures can't be compared.", clues.table)
    return Span(later, column, _beyond(later, column), _data_end(later, column), clues.weekdays), earlier


def span_of(clues: Clues) -> Span | Ask | Cannot:
    """The period of the question, checked against what the data cover, and the days of the week that count."""
    span = _period_of(clues)
    if not isinstance(span, Span) or not clues.weekdays:
        return span
    column = span.column or date_column(clues)
    return replace(span, column=column, weekdays=clues.weekdays) if isinstance(column, Column) else column


def _period_of(clues: Clues) -> Span | Ask | Cannot:
    if not clues.periods:
        return Span()
    if not any(column.dated for column in clues.table.columns) and _is_named_year(clues):
        return Span()
    column = date_column(clues)
    if not isinstance(column, Column):
        return column
    period = _merged(clues.periods, column)
    if not isinstance(period, Period):
        return _no_period(clues, column) if period is None else period
    for mention in clues.periods:
        if mention.span and not _spans(column, *mention.span):
            return Cannot(f"The data don't cover exactly {mention.span[0]} {mention.span[1]}s.", clues.table)
    if period.start is None and period.end is None:
        return Span()
    outside = _outside(period, column, clues.table)
    assumed = _assumed_year(clues, period) or _beyond(period, column)
    return Cannot(outside, clues.table) if outside else Span(period, column, assumed, _data_end(period, column))


def _is_named_year(clues: Clues) -> bool:
    """True when the only period is the year that the file's own name carries."""
    return all(
        mention.period.start is not None and mention.period.label in clues.table.name.split("_")
        for mention in clues.periods
    )


def _merged(mentions: tuple[PeriodMention, ...], column: Column) -> Period | Ask | None:
    """One period out of all that were said: months take the year of the others, the narrower one wins."""
    dated = [m.period for m in mentions if m.period.month is None and (m.period.start or m.period.end)]
    years = {p.start.year for p in dated if p.start and p.end and p.start.year == p.end.year}
    periods = list(dated)
    for mention in mentions:
        if mention.period.month is None:
            continue
        candidates = years if len(years) == 1 else _years_with(mention.period.month, column)
        if len(candidates) != 1:
            return _ask_year(mention.period.month, candidates)
        periods.append(in_year(mention.period, next(iter(candidates))))
    if not periods:
        return Period(None, None)
    narrow = min(periods, key=_length)
    return narrow if all(_contains(period, narrow) for period in periods) else None


def _ask_year(month: tuple[int, int], years: set[int]) -> Ask | None:
    if not years:
        return None
    choices = tuple(f"{MONTH_NAMES[month[0] - 1]} {year}" for year in sorted(years)[-3:])
    return Ask("Which year do you mean?", choices)


def _years_with(month: tuple[int, int], column: Column) -> set[int]:
    first, last = column.first_day(), column.last_day()
    if first is None or last is None:
        return set()
    return {
        year
        for year in range(first.year, last.year + 1)
        if date(year, month[0], 1) <= last and (in_year(Period(None, None, month), year).end or last) >= first
    }


def _length(period: Period) -> int:
    return ((period.end or date.max) - (period.start or date.min)).days


def _contains(wide: Period, narrow: Period) -> bool:
    starts = (wide.start or date.min) <= (narrow.start or date.min)
    return starts and (wide.end or date.max) >= (narrow.end or date.max)


def _spans(column: Column, count: int, unit: str) -> bool:
    first, last = column.first_day(), column.last_day()
    if first is None or last is None:
        return False
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    return months == (count * 12 if unit == "year" else count)


def _outside(period: Period, column: Column, table: Table) -> str:
    first, last = column.first_day(), column.last_day()
    if first is None or last is None:
        return ""
    if (period.start and period.start > last) or (period.end and period.end < first):
        return (
            f"{table.called} has no rows for {period.label}: its `{column.name}` runs from {first.isoformat()} to "
            f"{last.isoformat()}."
        )
    return ""


def _beyond(period: Period, column: Column) -> str:
    """A word about a period that goes on after the data end."""
    last = _data_end(period, column)
    return f"the data end on {last.isoformat()}, within that period" if last is not None else ""


def _data_end(period: Period, column: Column) -> date | None:
    """The last day of data that end within the period. Months that are stamped by their first day are whole."""
    last = column.last_day()
    if last is None or period.end is None or period.end <= last:
        return None
    if last.day == 1 and (period.end.year, period.end.month) == (last.year, last.month):
        return None
    return last


def _assumed_year(clues: Clues, period: Period) -> str:
    alone = all(mention.period.month is not None for mention in clues.periods if not mention.span)
    return f"the only such time in the data is {period.label}" if alone and period.start else ""


def _no_period(clues: Clues, column: Column) -> Cannot:
    first, last = column.first_day(), column.last_day()
    cover = f" The data run from {first.isoformat()} to {last.isoformat()}." if first and last else ""
    return Cannot(f"I couldn't settle on one period.{cover}", clues.table)
