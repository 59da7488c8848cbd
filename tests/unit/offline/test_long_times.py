"""Of many steps of time the newest are seen, what ends early and what is folded is said, and a remark about groups
gives up nothing in silence."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.sqlite_tools import Database, converse, talk
from tests.unit.offline.test_random_lines import Deal, books, database_of
from tests.unit.offline.test_shares import rows_of


def visits_of(days: list[date], places: list[str] | None = None) -> Database:
    database = Database("CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, seen_on DATE, place TEXT);")
    where = places or ["Oslo"] * len(days)
    numbered = enumerate(zip(days, where, strict=True), start=1)
    database.insert("visits", [(at, day.isoformat(), place) for at, (day, place) in numbered])
    return database


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(80, 130), st.sets(st.integers(0, 79), max_size=60), st.booleans())
async def test_of_days_the_last_ten_are_seen_however_many(count: int, left_out: set[int], shares: bool) -> None:
    days = [date(2025, 1, 1) + timedelta(days=at) for at in range(count) if at not in left_out]
    asks = "What share of visits came from Oslo, by day?" if shares else "How many visits per day?"
    text = await converse(visits_of(days), asks)
    shown = [row.split(" | ")[0].strip("| ") for row in rows_of(text)]
    assert shown == [day.isoformat() for day in days[-10:]], text
    assert len(days) <= 10 or f"These are the last ten of {len(days)} rows" in text, text


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (["How many visits in 2025?"], "for January to December 2025 (the data end on 2025-03-01)"),
        (["How many visits?", "only 2025"], "for January to December 2025 (the data end on 2025-03-01)"),
        (["How many visits by place?", "only 2025"], "for January to December 2025 (the data end on 2025-03-01)"),
        (["How many visits in January 2025?"], "in January 2025 ["),
        (["Compare the number of visits in 2025 with 2024"], "(January to December 2025; the data end on 2025-03-01)"),
        (["Compare the number of visits in 2025 with 2024 by place"], "in both periods, by `place` (the data end on"),
    ],
)
async def test_a_period_that_goes_on_after_the_data_says_where_they_end(ask: list[str], said: str) -> None:
    days = [date(2024, 12, 1), date(2025, 1, 31), date(2025, 2, 1), date(2025, 3, 1)]
    text = await talk(visits_of(days), *ask)
    assert said in text, text


PLACES = ("Oslo", "OSLO", "oslo ", "Rome", "rome", "Bonn")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(PLACES), min_size=1, max_size=20))
async def test_spellings_that_count_as_one_are_said(places: list[str]) -> None:
    places = ["Oslo", *places]
    database = visits_of([date(2025, 1, 1)] * len(places), places)
    same = [place for place in places if place.strip().casefold() == "oslo"]
    one = await converse(database, "How many visits in Oslo?")
    ways = len({*same})
    assert has_figure(one, len(same), 0), one
    assert (f"{('', 'one', 'two', 'three')[ways]} spellings of “" in one) == (ways > 1), one
    groups = await converse(database, "How many visits by place?")
    more = len({*places}) - len({place.strip().casefold() for place in places})
    words = ("", "one spelling of `place`", "two spellings of `place`", "three spellings of `place`")
    assert (words[more] in groups) if more else ("spelling" not in groups), groups
    counts = Counter(place.strip().casefold() for place in places)
    assert sorted(int(row.split(" | ")[1].strip("| ")) for row in rows_of(groups)) == sorted(counts.values()), groups


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), st.sampled_from(["town", "state"]))
async def test_a_further_group_is_one_within_the_first(book: list[Deal], group: str) -> None:
    text = await talk(database_of(book), f"Number of deals by {group}", "and by month?")
    counts = Counter((f"{deal.day:%B %Y}", deal.town if group == "town" else deal.state) for deal in book)
    assert len(rows_of(text)) == min(len(counts), 10), text
    assert all(f"| {month} | {name} | {count} |" in text for (month, name), count in counts.items()), text


@pytest.mark.parametrize(
    ("remarks", "said"),
    [
        (["Number of deals by state", "by month"], "no longer by `state`"),
        (["Number of deals by state", "and by month instead?"], "no longer by `state`"),
        (["Number of deals by month", "and by quarter?"], "no longer by month"),
        (["Top 1 state by number of deals", "and by month?"], "no longer the first ones only"),
        (["What share of deals was won?", "and by town?"], "within each"),
    ],
)
async def test_what_a_remark_gives_up_is_said(remarks: list[str], said: str) -> None:
    book = [Deal(1, date(2025, 1, 5), "won", ((1, 2),)), Deal(2, date(2025, 2, 5), "lost", ((2, 1),))]
    text = await talk(database_of(book), *remarks)
    assert not declined(text) and said in text, text


async def test_a_value_that_only_a_remark_names_is_looked_up() -> None:
    database = Database(
        "CREATE TABLE boxes (box_id INTEGER PRIMARY KEY, box TEXT);"
        "CREATE TABLE loads (load_id INTEGER PRIMARY KEY, box_id INTEGER REFERENCES boxes (box_id), tons INTEGER);"
    )
    names = [f"Box{letter}" for letter in "abcdefghijklm"]
    database.insert("boxes", [*enumerate([*names, "Zed"], start=1)])
    database.insert("loads", [(at, at, at) for at in range(1, 15)] + [(15, 14, 100)])
    text = await talk(database, "Total tons by box", "only Zed")
    assert "| Zed | 14 | 114 | 2 |" in text, text
    unknown = await talk(database, "Total tons by box", "only Xyzzy")
    assert declined(unknown) and "Xyzzy" in unknown, unknown


async def test_how_a_figure_was_worked_out_stands_after_a_remark() -> None:
    database = Database("CREATE TABLE members (member_id INTEGER PRIMARY KEY, member TEXT NOT NULL, town TEXT);")
    database.insert("members", [(1, "Ada", "Oslo"), (2, "ADA", "Oslo"), (3, "Bo", "Rome")])
    text = await talk(database, "How many different people are members?", "and by town?")
    assert "| Oslo | 1 | 2 |" in text and "rows of one `member`, whatever its case and blanks, count once" in text, text
