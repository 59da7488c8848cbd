"""Days of the week and hours of the day: "on Mondays", "at weekends", "by weekday", "the hour of the day"."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.models.offline.clues import Clues
from runtime.models.offline.dialects import WEEKDAYS
from runtime.models.offline.lexicon import NEGATIONS

_NUMBERS = {name.casefold(): number for number, name in enumerate(WEEKDAYS, start=1)}
_WORKING, _FREE = (1, 2, 3, 4, 5), (6, 7)
_NAMED = (
    (("day", "of", "the", "week"), "weekday"),
    (("days", "of", "the", "week"), "weekday"),
    (("day", "of", "week"), "weekday"),
    (("weekday",), "weekday"),
    (("weekdays",), "weekday"),
    (("hour", "of", "the", "day"), "hour"),
    (("hours", "of", "the", "day"), "hour"),
    (("hour", "of", "day"), "hour"),
    (("time", "of", "day"), "hour"),
)
_SAID = frozenset(_NUMBERS) | {f"{day}s" for day in _NUMBERS} | {"weekends", *(words[0] for words, _ in _NAMED)}
_BEFORE_HOUR = ("by", "which", "what", "each")
_BEFORE_DAY = frozenset("on at the during a any".split())
_LISTING = frozenset((",", "and", "or", "nor", "on", "at"))
_OF_TIME = ("on", "at", "during", "over")


def read_weekdays(clues: Clues) -> None:
    """Takes the days that rows are kept by, and the units that they may be grouped by, where the table has dates. One
    Monday ("on Monday", "last Monday") stays unread, since no rule says which one is meant."""
    lows = [token.low for token in clues.tokens]
    if not _SAID.intersection(lows) or not any(column.dated for column in clues.table.columns):
        return
    at = 0
    left_out: set[int] = set()
    while at < len(lows):
        mention = clues.mention_at(at)
        days = () if at in clues.ignored or (mention is not None and mention.values) else _days(lows, at)
        words, unit = ((), "") if days or _is_column(clues, at) else _unit(clues, lows, at)
        if days and (negated := _negation(clues, lows, at)) is not None:
            left_out.update(_left_out(clues, lows, negated, at))
        elif days and not NEGATIONS.intersection(lows[max(at - 3, 0) : at]):
            _kept(clues, lows, at, days)
        elif unit:
            _grouped_by(clues, at, at + len(words), unit)
        at += max(len(words), 1)
    if left_out:
        clues.weekdays = tuple(day for day in clues.weekdays or (*_WORKING, *_FREE) if day not in left_out)
        clues.doubt = clues.doubt or ("" if clues.weekdays else "No day of the week is left in that question.")


def _negation(clues: Clues, lows: Sequence[str], at: int) -> int | None:
    """Where the word stands that leaves out the day at `at`: "not on Mondays", "other than Mondays"; None for none."""
    first = at - 1
    while first >= 0 and lows[first] in _BEFORE_DAY:
        first -= 1
    return first if first >= 0 and (lows[first] in NEGATIONS or first in clues.negations) else None


def _left_out(clues: Clues, lows: Sequence[str], negated: int, at: int) -> set[int]:
    """The days behind a negation, those of a whole list of them; its words are understood."""
    found: set[int] = set()
    end = at
    while end < len(lows) and (_days(lows, end) or lows[end] in _LISTING):
        found.update(_days(lows, end))
        end += 1
    while not _days(lows, end - 1):
        end -= 1
    clues.use(negated, end)
    clues.ignored.update(range(negated, end))
    return found


def _days(lows: Sequence[str], at: int) -> tuple[int, ...]:
    low, before = lows[at], lows[at - 1] if at else ""
    if low.endswith("days") and (number := _NUMBERS.get(low.removesuffix("s"))):
        return (number,)
    if before in ("a", "any") and lows[at - 2 : at - 1] == ["on"] and (number := _NUMBERS.get(low)):
        return (number,)
    if low == "weekends":
        return _FREE
    return _WORKING if low == "weekdays" and before in _OF_TIME else ()


def _kept(clues: Clues, lows: Sequence[str], at: int, days: tuple[int, ...]) -> None:
    """Rows of these days count; with an "and" or "or" between two of them those of either."""
    clues.weekdays = tuple(sorted({*clues.weekdays, *days}))
    first = at - 1 if lows[at - 1 : at] and lows[at - 1] in ("a", "any", "at", "during") else at
    first = at - 2 if lows[max(at - 2, 0) : at] in (["and", "on"], ["or", "on"]) else first
    joined = at > 1 and lows[at - 1] in ("and", "or") and bool(_days(lows, at - 2))
    clues.use(at - 1 if joined else max(first, 0), at + 1)
    clues.ignored.update(range(at - 1 if joined else at, at + 1))


def _grouped_by(clues: Clues, first: int, after: int, unit: str) -> None:
    """The words name a unit of the calendar, and no figure that is measured in hours or days."""
    clues.mentions = tuple(m for m in clues.mentions if m.after <= first or m.first >= after)
    clues.buckets.append((unit, first))
    clues.use(first + 1, after)
    clues.used[first] = False
    clues.ignored.update(range(first, after))


def _is_column(clues: Clues, at: int) -> bool:
    """True for a word that names the table's own column: it has been told which day a row is of."""
    mention = clues.mention_at(at)
    return mention is not None and any(not column.dated for column in mention.columns) and not mention.loose


def _unit(clues: Clues, lows: Sequence[str], at: int) -> tuple[tuple[str, ...], str]:
    found = next(((words, unit) for words, unit in _NAMED if tuple(lows[at : at + len(words)]) == words), None)
    if found is not None:
        return found
    timed = any(column.timed for column in clues.table.columns)
    asked = at > 0 and lows[at - 1] in _BEFORE_HOUR
    return ((lows[at],), "hour") if lows[at] in ("hour", "hours") and timed and asked else ((), "")


def days_at(clues: Clues) -> list[int]:
    """Where the days stand that rows are kept by."""
    return [at for at, token in enumerate(clues.tokens) if token.low in _SAID] if clues.weekdays else []


def days_said(days: Sequence[int]) -> str:
    """The days as people say them: "Mondays and Tuesdays"."""
    if tuple(days) in (_WORKING, _FREE):
        return "weekdays (Monday to Friday)" if tuple(days) == _WORKING else "weekends"
    if len(days) > len(_WORKING) - 1:
        others = [WEEKDAYS[day - 1] for day in (*_WORKING, *_FREE) if day not in days]
        return f"every day but {' and '.join(others)}"
    named = [f"{WEEKDAYS[day - 1]}s" for day in days]
    return " and ".join(part for part in (", ".join(named[:-1]), named[-1]) if part)
