"""Over random orders with lines of products, figures that need several tables equal those worked out in plain Python:
conditions and days of the rows pointed at hold, and no row is counted twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.sqlite_tools import Database, converse

SCHEMA = """
CREATE TABLE buyers (buyer_id INTEGER PRIMARY KEY, buyer TEXT NOT NULL, town TEXT NOT NULL);
CREATE TABLE deals (
  deal_id INTEGER PRIMARY KEY, buyer_id INTEGER NOT NULL REFERENCES buyers (buyer_id), closed_on DATE NOT NULL,
  state TEXT);
CREATE TABLE goods (good_id INTEGER PRIMARY KEY, good TEXT NOT NULL, color TEXT NOT NULL, net_weight INTEGER NOT NULL);
CREATE TABLE deal_lines (
  deal_id INTEGER NOT NULL REFERENCES deals (deal_id), good_id INTEGER NOT NULL REFERENCES goods (good_id),
  pieces INTEGER NOT NULL);
"""
BUYERS = ((1, "Ada", "Oslo"), (2, "Bo", "Rome"), (3, "Cy", "Rome"), (4, "Di", "Oslo"))
GOODS = ((1, "Lamp", "red"), (2, "Sofa", "blue"), (3, "Vase", "red"))
WEIGHTS = {1: 4, 2: 60, 3: 2}
STATES = ("won", "lost")
MONTHS = ("January", "February", "March")


@dataclass(frozen=True)
class Deal:
    buyer: int
    day: date
    state: str
    lines: tuple[tuple[int, int], ...]

    @property
    def town(self) -> str:
        return BUYERS[self.buyer - 1][2]


@dataclass(frozen=True)
class Line:
    deal: Deal
    good: int
    pieces: int

    @property
    def facts(self) -> dict[str, str]:
        deal = self.deal
        _, good, color = GOODS[self.good - 1]
        return {"good": good, "color": color, "town": deal.town, "state": deal.state, "month": f"{deal.day:%B %Y}"}


deals = st.builds(
    Deal,
    st.integers(1, 4),
    st.integers(0, 88).map(lambda days: date(2025, 1, 1) + timedelta(days=days)),
    st.sampled_from(STATES),
    st.lists(st.tuples(st.integers(1, 3), st.integers(1, 9)), min_size=1, max_size=4).map(tuple),
)


@st.composite
def books(draw: st.DrawFn) -> list[Deal]:
    """Deals in which every good, state and month occurs."""
    fixed = [Deal(1 + at % 2, date(2025, 1 + at, 10), STATES[at % 2], ((at + 1, 2),)) for at in range(3)]
    return fixed + draw(st.lists(deals, max_size=12))


def lines_of(book: list[Deal]) -> list[Line]:
    return [Line(deal, *line) for deal in book for line in deal.lines]


def database_of(book: list[Deal]) -> Database:
    database = Database(SCHEMA)
    database.insert("buyers", [*BUYERS])
    database.insert("goods", [(*good, WEIGHTS[good[0]]) for good in GOODS])
    database.insert("deals", [(n, d.buyer, d.day.isoformat(), d.state) for n, d in enumerate(book, start=1)])
    database.insert("deal_lines", [(n, *line) for n, d in enumerate(book, start=1) for line in d.lines])
    return database


def told(text: str) -> str:
    return text.split("_How I read")[0]


@st.composite
def narrowings(draw: st.DrawFn) -> tuple[str, Callable[[Line], bool]]:
    good = draw(st.none() | st.sampled_from([name for _, name, _ in GOODS]))
    town = draw(st.none() | st.sampled_from(["Oslo", "Rome"]))
    month = draw(st.none() | st.sampled_from(MONTHS))
    words = f" of good {good}" if good else ""
    words += f" in {town}" if town else ""
    words += f" in {month} 2025" if month else ""
    wanted = {"good": good, "town": town, "month": f"{month} 2025" if month else None}
    return words, lambda line: all(line.facts[name] == value for name, value in wanted.items() if value)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), narrowings())
async def test_a_total_under_conditions_of_the_rows_pointed_at(
    book: list[Deal], narrowed: tuple[str, Callable[[Line], bool]]
) -> None:
    words, keeps = narrowed
    kept = [line for line in lines_of(book) if keeps(line)]
    text = await converse(database_of(book), f"Total pieces of deal lines{words}")
    assert not declined(text), text
    if kept:
        assert has_figure(told(text), sum(line.pieces for line in kept), 0), text
        assert f"(from {len(kept)} row" in text, text
    else:
        assert "nothing to compute" in text, text


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), narrowings(), st.sampled_from(["good", "color", "town", "state", "month"]), st.booleans())
async def test_groups_by_what_the_rows_pointed_at_say(
    book: list[Deal], narrowed: tuple[str, Callable[[Line], bool]], group: str, counts: bool
) -> None:
    words, keeps = narrowed
    asks = "Number of deal lines" if counts else "Total pieces of deal lines"
    text = await converse(database_of(book), f"{asks}{words} by {group}")
    assert not declined(text), text
    sums = Counter[str]()
    for line in lines_of(book):
        if keeps(line):
            sums[line.facts[group]] += 1 if counts else line.pieces
    rows = [line for line in text.splitlines() if line.startswith("| ")][2:]
    assert len(rows) == len(sums), text
    for name, figure in sums.items():
        assert any(row.startswith(f"| {name} |") and has_figure(row, figure, 0) for row in rows), (name, figure, text)


async def test_a_word_that_a_linked_table_knows_is_never_called_unknown() -> None:
    book = [Deal(1, date(2025, 1, 5), "won", ((1, 2),))]
    text = await converse(database_of(book), "Total pieces of frobnicated Lamp in Oslo")
    assert declined(text) and "“frobnicated”" in text and "“Lamp”" not in text and "“Oslo”" not in text, text


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books(), st.integers(0, 70), st.booleans())
async def test_a_bound_on_a_figure_of_the_rows_pointed_at(book: list[Deal], bound: int, counts: bool) -> None:
    asks = "Number of deal lines" if counts else "Total pieces of deal lines"
    text = await converse(database_of(book), f"{asks} of goods with a net weight over {bound}")
    kept = [line for line in lines_of(book) if WEIGHTS[line.good] > bound]
    right = len(kept) if counts else sum(line.pieces for line in kept)
    assert not declined(text), text
    assert has_figure(told(text), right, 0) or (not kept and "nothing to compute" in text), (right, text)


@pytest.mark.parametrize(
    "question",
    [
        "Total net weight of deal lines",
        "Average net weight of deal lines by town",
        "Highest net weight of deal lines",
        "Total net weight by town",
        "Correlation between pieces and net weight",
        "Total pieces and net weight of deal lines",
    ],
)
async def test_a_figure_of_the_rows_pointed_at_is_never_counted_once_for_each_row(question: str) -> None:
    book = [Deal(1, date(2025, 1, 5), "won", ((1, 2), (1, 3), (2, 1))), Deal(2, date(2025, 2, 5), "lost", ((2, 1),))]
    text = await converse(database_of(book), question)
    assert declined(text), text


async def test_a_name_of_two_words_is_never_half_of_another_tables() -> None:
    database = Database(
        "CREATE TABLE boxes (box_id INTEGER PRIMARY KEY, box TEXT, list_price INTEGER);"
        "CREATE TABLE sales (sale_id INTEGER PRIMARY KEY, sold_on DATE, unit_price INTEGER);"
    )
    database.insert("boxes", [(1, "small", 5), (2, "large", 90)])
    database.insert("sales", [(1, "2025-01-01", 3), (2, "2025-01-02", 70)])
    text = await converse(database, "How many sales with a list price over 10?")
    assert declined(text), text
    right = await converse(database, "How many sales with a unit price over 10?")
    assert has_figure(right, 1, 0) and not declined(right), right
