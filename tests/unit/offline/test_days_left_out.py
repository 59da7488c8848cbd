"""Days of the week that are left out ("not on Mondays", "except weekends"): what is counted equals plain Python."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.sqlite_tools import Database, converse, talk

FIRST = date(2025, 1, 1)
NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def calls_on(days: list[int]) -> Database:
    database = Database("CREATE TABLE calls (call_id INTEGER PRIMARY KEY, called_on DATE NOT NULL);")
    database.insert("calls", [(n, (FIRST + timedelta(days=day)).isoformat()) for n, day in enumerate(days, start=1)])
    return database


def weekday(day: int) -> int:
    return (FIRST + timedelta(days=day)).weekday()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=30),
    st.lists(st.integers(0, 6), min_size=1, max_size=3, unique=True),
    st.sampled_from(["not on", "except on", "except", "other than on", "excluding"]),
    st.sampled_from(["or", "and"]),
)
async def test_days_that_are_left_out(days: list[int], out: list[int], words: str, joint: str) -> None:
    listed = [f"{NAMES[at]}s" for at in out]
    said = " ".join([", ".join(listed[:-1]), joint, listed[-1]] if len(listed) > 1 else listed)
    text = await converse(calls_on(days), f"How many calls {words} {said}?")
    kept = sum(weekday(day) not in out for day in days)
    assert not declined(text) and has_figure(text.split("_How I read")[0], kept, 0), (kept, text)


@pytest.mark.parametrize(
    ("asked", "keeps"),
    [
        (["How many calls were not at weekends?"], lambda at: at < 5),
        (["How many calls on weekdays but not on Mondays?"], lambda at: 0 < at < 5),
        (["How many calls?", "not on Fridays"], lambda at: at != 4),
        (["How many calls?", "except weekends"], lambda at: at < 5),
        (["calls not on Sundays"], lambda at: at != 6),
    ],
)
async def test_turns_of_phrase(asked: list[str], keeps: object) -> None:
    days = [*range(40)]
    text = await talk(calls_on(days), *asked)
    kept = sum(bool(keeps(weekday(day))) for day in days)  # type: ignore[operator]
    assert not declined(text) and has_figure(text, kept, 0), (kept, text)


async def test_where_no_day_is_left_nothing_is_counted() -> None:
    text = await converse(calls_on([1, 2]), "How many calls on weekends except Saturdays and Sundays?")
    assert declined(text) and "No day of the week is left" in text, text
