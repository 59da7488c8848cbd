"""Periods in words: "the second half of 2023", "July to December 2023", "May 2026", "2024-03", "Q2 2024"."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from runtime.models.offline.lexicon import MONTH_NAMES, MONTHS, NUMBER_WORDS
from runtime.models.offline.tokens import Token

_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1}


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `start` to `end`, both included; None = open. `month` is set while the year is still unknown."""

    start: date | None
    end: date | None
    month: tuple[int, int] | None = None

    @property
    def label(self) -> str:
        """The period as people say it, with its exact ends."""
        if self.start and self.end:
            return _closed_label(self.start, self.end)
        if self.start:
            return f"from {self.start.isoformat()} on"
        return f"up to {self.end.isoformat()}" if self.end else "the whole time"

    @property
    def said(self) -> str:
        """The label beside figures, where a bare year would read like one."""
        return f"January to December {self.label}" if self.label.isdigit() else self.label


@dataclass(frozen=True, slots=True)
class PeriodMention:
    """A period and the tokens [first, after) that say it. `span` is (count, unit) for "the two years"."""

    first: int
    after: int
    period: Period
    span: tuple[int, str] | None = None


def find_periods(tokens: Sequence[Token], today: date | None) -> tuple[PeriodMention, ...]:
    """Every period said in `tokens`, left to right, without overlaps."""
    found: list[PeriodMention] = []
    at = 0
    while at < len(tokens):
        mention = _range(tokens, at) or _part(tokens, at, today)
        if mention is None:
            at += 1
            continue
        found.append(mention)
        at = mention.after
    return tuple(found)


def find_points(tokens: Sequence[Token], today: date | None) -> tuple[PeriodMention, ...]:
    """Every period of `tokens` by itself, where "from X to Y" means two of them that are compared."""
    found: list[PeriodMention] = []
    at = 0
    while at < len(tokens):
        mention = _part(tokens, at, today)
        found += [mention] if mention and mention.span is None else []
        at = mention.after if mention else at + 1
    return tuple(found)


def in_year(period: Period, year: int) -> Period:
    """A period said by its months only, in `year`."""
    if period.month is None:
        return period
    first, last = period.month
    return Period(date(year, first, 1), _month_end(year, last))


def _closed_label(start: date, end: date) -> str:
    if start.day == 1 and end == _month_end(end.year, end.month):
        if (start.year, start.month) == (end.year, end.month):
            return f"{MONTH_NAMES[start.month - 1]} {start.year}"
        if start.month == 1 and end.month == 12:
            return f"{start.year}" if start.year == end.year else f"{start.year} to {end.year}"
        first = f"{MONTH_NAMES[start.month - 1]}" + (f" {start.year}" if start.year != end.year else "")
        return f"{first} to {MONTH_NAMES[end.month - 1]} {end.year}"
    return start.isoformat() if start == end else f"{start.isoformat()} to {end.isoformat()}"


def _range(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    """ "from X to Y", "between X and Y", "X to Y", "since X", "before X", "after X", "until X"."""
    low = tokens[at].low
    if low in ("since", "after", "before", "until", "till") or _is_words(tokens, at, "up", "to"):
        return _open_range(tokens, at)
    begin = at + (1 if low in ("from", "between") else 0)
    left = _point(tokens, begin) or (_day_of_later(tokens, begin) if begin > at else None)
    if left is None or left.after >= len(tokens):
        return None
    joint = tokens[left.after]
    joints = ("and",) if low == "between" else ("to", "through", "until", "till", "thru", "-", "–")
    if joint.low not in joints and not (joint.low == "and" and low != "from" and _adjacent_years(tokens, left)):
        return None
    right = _point(tokens, left.after + 1)
    period = None if right is None else _joined(left.period, right.period)
    return None if right is None or period is None else PeriodMention(at, right.after, period)


def _day_of_later(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    """The 10 of "between 10 and 20 January 2026"."""
    number = _day_number(tokens, at)
    later = _point(tokens, at + 2) if number is not None else None
    if number is None or later is None or later.period.start is None or later.period.start != later.period.end:
        return None
    day = _valid(later.period.start.year, later.period.start.month, number)
    return PeriodMention(at, at + 1, Period(day, day)) if day else None


def _adjacent_years(tokens: Sequence[Token], left: PeriodMention) -> bool:
    """True for "2023 and 2024": two whole years next to each other, or two months of one year are not joined."""
    right = _point(tokens, left.after + 1)
    if right is None or left.period.end is None or right.period.start is None:
        return False
    return left.period.end + timedelta(days=1) == right.period.start


def _open_range(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    word = tokens[at].low
    point = _point(tokens, at + (2 if word == "up" else 1))
    if point is None or point.period.start is None or point.period.end is None:
        return None
    start, end = point.period.start, point.period.end
    period = {
        "since": Period(start, None),
        "after": Period(end + timedelta(days=1), None),
        "before": Period(None, start - timedelta(days=1)),
    }.get(word, Period(None, end))
    return PeriodMention(at, point.after, period)


def _joined(left: Period, right: Period) -> Period | None:
    if left.month and right.month:
        return Period(None, None, (left.month[0], right.month[1])) if left.month[0] <= right.month[1] else None
    if left.month and right.start:
        year = right.start.year if left.month[0] <= right.start.month else right.start.year - 1
        left = in_year(left, year)
    if right.month or left.start is None or right.end is None or left.start > right.end:
        return None
    return Period(left.start, right.end)


def _point(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    """A day, month, quarter or year."""
    if at >= len(tokens):
        return None
    if tokens[at].low == "the" or tokens[at].low == "of":
        return _point(tokens, at + 1)
    return _iso(tokens, at) or _day(tokens, at) or _month(tokens, at) or _quarter(tokens, at) or _year(tokens, at)


def _part(tokens: Sequence[Token], at: int, today: date | None) -> PeriodMention | None:
    return _fraction(tokens, at) or _point_here(tokens, at) or _relative(tokens, at, today) or _span(tokens, at)


def _point_here(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    return None if tokens[at].low in ("the", "of") else _point(tokens, at)


def _iso(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    token = tokens[at]
    if token.kind != "number" or token.number is not None:
        return None
    parts = [int(part) for part in token.text.split("-")]
    if not _FIRST_YEAR <= parts[0] <= _LAST_YEAR or not 1 <= parts[1] <= 12:
        return None
    if len(parts) == 2:
        return PeriodMention(at, at + 1, Period(date(parts[0], parts[1], 1), _month_end(parts[0], parts[1])))
    day = _valid(parts[0], parts[1], parts[2])
    return PeriodMention(at, at + 1, Period(day, day)) if day else None


def _day(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    """ "13 February 2024", "February 13, 2024", "13th of February 2024"."""
    month_first = _month_at(tokens, at)
    if month_first:
        number, year_at = _day_number(tokens, at + 1), at + 2
    else:
        number = _day_number(tokens, at)
        month_at = at + 1 + (1 if at + 1 < len(tokens) and tokens[at + 1].low == "of" else 0)
        month_first, year_at = _month_at(tokens, month_at), month_at + 1
    if not month_first or number is None:
        return None
    year_at += 1 if year_at < len(tokens) and tokens[year_at].low == "," else 0
    year = _year_at(tokens, year_at)
    day = _valid(year, month_first, number) if year else None
    return PeriodMention(at, year_at + 1, Period(day, day)) if day else None


def _month(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    month = _month_at(tokens, at)
    if not month:
        return None
    after = at + 1
    if after < len(tokens) and tokens[after].low in (",", "of", "in"):
        after += 1
    year = _year_at(tokens, after)
    if year:
        return PeriodMention(at, after + 1, Period(date(year, month, 1), _month_end(year, month)))
    return PeriodMention(at, at + 1, Period(None, None, (month, month)))


def _quarter(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    low = tokens[at].low
    if len(low) == 2 and low[0] == "q" and low[1] in "1234":
        after = at + 1 + (1 if at + 1 < len(tokens) and tokens[at + 1].low in ("of", "in") else 0)
        year = _year_at(tokens, after)
        return _months(tokens, at, after, year, int(low[1]) * 3 - 2, 3)
    return None


def _year(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    year = _year_at(tokens, at)
    return PeriodMention(at, at + 1, Period(date(year, 1, 1), date(year, 12, 31))) if year else None


def _fraction(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    """ "first half of 2023", "last six months of 2023", "third quarter of 2024"."""
    rank = _ORDINALS.get(tokens[at].low)
    if rank is None or at + 1 >= len(tokens):
        return None
    count, unit_at = _count(tokens, at + 1)
    unit = tokens[unit_at].stem if unit_at < len(tokens) else ""
    size = {"half": 6, "quarter": 3, "month": 1}.get(unit, 0) * count
    after = unit_at + 1
    while after < len(tokens) and tokens[after].low in ("of", "in", "the", "year"):
        after += 1
    year = _year_at(tokens, after)
    if not size or not year or (12 % size and rank != 1 and rank != -1) or size > 12:
        return None
    first = 13 - size if rank == -1 else (rank - 1) * size + 1
    return _months(tokens, at, after, year, first, size) if first + size <= 13 else None


def _months(
    tokens: Sequence[Token], at: int, after: int, year: int | None, first: int, size: int
) -> PeriodMention | None:
    if year is None:
        return None
    return PeriodMention(at, after + 1, Period(date(year, first, 1), _month_end(year, first + size - 1)))


def _relative(tokens: Sequence[Token], at: int, today: date | None) -> PeriodMention | None:
    """ "last month", "this year", "yesterday", "the last 30 days"; needs to know today."""
    if today is None:
        return None
    low = tokens[at].low
    if low in ("today", "yesterday"):
        day = today - timedelta(days=low == "yesterday")
        return PeriodMention(at, at + 1, Period(day, day))
    if low not in ("last", "this", "past", "previous") or at + 1 >= len(tokens):
        return None
    count, unit_at = _count(tokens, at + 1)
    unit = tokens[unit_at].stem if unit_at < len(tokens) else ""
    if unit_at > at + 1:
        return _rolling(tokens, at, unit_at, count, unit, today) if low in ("last", "past") else None
    period = _calendar_period(unit, today, 0 if low == "this" else 1)
    return PeriodMention(at, unit_at + 1, period) if period else None


def _rolling(
    tokens: Sequence[Token], at: int, unit_at: int, count: int, unit: str, today: date
) -> PeriodMention | None:
    """The days up to today; of months, quarters and years whole ones, as "last month" is the whole month before."""
    days = {"day": 1, "week": 7}.get(unit)
    if days is None:
        first, last = _calendar_period(unit, today, count), _calendar_period(unit, today, 1)
        period = Period(first.start, last.end) if first and last else None
        return PeriodMention(at, unit_at + 1, period) if period else None
    return PeriodMention(at, unit_at + 1, Period(today - timedelta(days=days * count - 1), today))


def _calendar_period(unit: str, today: date, back: int) -> Period | None:
    if unit == "year":
        return Period(date(today.year - back, 1, 1), date(today.year - back, 12, 31))
    if unit in ("month", "quarter"):
        size = 1 if unit == "month" else 3
        index = (today.year * 12 + today.month - 1) // size - back
        year, month = divmod(index * size, 12)
        return Period(date(year, month + 1, 1), _month_end(year, month + size))
    if unit == "week":
        monday = today - timedelta(days=today.weekday() + 7 * back)
        return Period(monday, monday + timedelta(days=6))
    return None


def _span(tokens: Sequence[Token], at: int) -> PeriodMention | None:
    """ "the two years of …", "all twelve months": right only when the data span just that (checked later)."""
    if tokens[at].low not in ("the", "all", "these", "both"):
        return None
    count, unit_at = _count(tokens, at + 1)
    if tokens[at].low == "both":
        count, unit_at = 2, at + 1
    if count < 2 or unit_at >= len(tokens) or tokens[unit_at].stem not in ("year", "month"):
        return None
    return PeriodMention(at, unit_at + 1, Period(None, None), (count, tokens[unit_at].stem))


def _count(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """A count before a unit, 1 when there is none: (count, index of the unit)."""
    if at < len(tokens):
        number = tokens[at].number if tokens[at].kind == "number" else NUMBER_WORDS.get(tokens[at].low)
        if number is not None and number == int(number) and 1 <= number <= 400:
            return int(number), at + 1
    return 1, at


def _month_at(tokens: Sequence[Token], at: int) -> int:
    if at >= len(tokens) or tokens[at].kind != "word":
        return 0
    low = tokens[at].low
    small = low in ("may", "march", "mar", "sep", "dec", "jan") and not tokens[at].text[0].isupper()
    if small and not _year_at(tokens, at + 1) and tokens[at - 1].low not in ("in", "since", "until"):
        return 0
    if low == "may" and at == 0:  # "May I …"
        return 0
    return MONTHS.get(low, 0)


def _day_number(tokens: Sequence[Token], at: int) -> int | None:
    if at >= len(tokens):
        return None
    digits = tokens[at].low.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    return int(digits) if digits.isdigit() and 1 <= int(digits) <= 31 else None


def _year_at(tokens: Sequence[Token], at: int) -> int | None:
    if at >= len(tokens) or tokens[at].kind != "number" or not tokens[at].text.isdigit():
        return None
    year = int(tokens[at].text)
    return year if len(tokens[at].text) == 4 and _FIRST_YEAR <= year <= _LAST_YEAR else None


def _is_words(tokens: Sequence[Token], at: int, *words: str) -> bool:
    return tuple(token.low for token in tokens[at : at + len(words)]) == words


def _month_end(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
