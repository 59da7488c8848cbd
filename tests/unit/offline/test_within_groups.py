"""Extremes within groups: the extreme rows of each, or the extreme figure of each, equal those found in plain Python;
never the one group whose total is the highest."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.duckdb_tools import Folder
from tests.unit.offline.duckdb_tools import converse as converse_over_files
from tests.unit.offline.sqlite_tools import Database, converse

TOWNS = {1: "Oslo", 2: "Rome", 3: "Rome"}
Trip = tuple[int, int]
books = st.lists(st.tuples(st.integers(1, 3), st.integers(1, 60)), min_size=1, max_size=10).map(
    lambda trips: [(1, 20), (2, 30), *trips]
)


def database_of(trips: list[Trip]) -> Database:
    database = Database(
        "CREATE TABLE drivers (driver_id INTEGER PRIMARY KEY, driver TEXT, town TEXT);"
        "CREATE TABLE trips (trip_id INTEGER PRIMARY KEY, driver_id INTEGER REFERENCES drivers (driver_id),"
        " kind TEXT, distance INTEGER);"
    )
    database.insert("drivers", [(n, f"Driver{n}", town) for n, town in TOWNS.items()])
    rows = [(at, driver, ("long", "short")[distance % 2], distance) for at, (driver, distance) in enumerate(trips, 100)]
    database.insert("trips", rows)
    return database


def rows_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("| ")][2:]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    books,
    st.sampled_from(["town", "kind"]),
    st.sampled_from(["highest", "lowest"]),
    st.sampled_from(["in each", "per", "by"]),
)
async def test_the_extreme_rows_of_each_group(trips: list[Trip], group: str, word: str, by: str) -> None:
    text = await converse(database_of(trips), f"Which trip has the {word} distance {by} {group}?")
    groups: dict[str, list[tuple[int, int]]] = {}
    for at, (driver, distance) in enumerate(trips, 100):
        name = TOWNS[driver] if group == "town" else ("long", "short")[distance % 2]
        groups.setdefault(name, []).append((distance, at))
    best = {name: (max if word == "highest" else min)(rows)[0] for name, rows in groups.items()}
    right = {at for name, rows in groups.items() for distance, at in rows if distance == best[name]}
    assert not declined(text), text
    cells = [row.strip("| ").split(" | ") for row in rows_of(text)]
    assert {int(row[1 if group == "town" else 0]) for row in cells} == right, text
    assert all(any(name in row and row[-1] == str(figure) for row in cells) for name, figure in best.items()), text


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(books, st.sampled_from(["town", "kind"]), st.sampled_from(["highest", "lowest", "max"]))
async def test_the_extreme_figure_of_each_group(trips: list[Trip], group: str, word: str) -> None:
    text = await converse(database_of(trips), f"{word} distance of trips by {group}")
    groups: dict[str, list[int]] = {}
    for driver, distance in trips:
        name = TOWNS[driver] if group == "town" else ("long", "short")[distance % 2]
        groups.setdefault(name, []).append(distance)
    assert len(rows_of(text)) == len(groups), text
    for name, figures in groups.items():
        row = next(row for row in rows_of(text) if row.startswith(f"| {name} |"))
        assert has_figure(row, min(figures) if word == "lowest" else max(figures), 0), text


GOODS = "good,kind,list_price\nPen,paper,3\nInk,paper,9\nPad,paper,5\nLamp,light,40\nBulb,light,4\n"


@pytest.mark.parametrize(
    ("question", "goods"),
    [
        ("cheapest good by kind", ["Bulb", "Pen"]),
        ("What is the most expensive good in each kind?", ["Lamp", "Ink"]),
        ("top 2 goods by list price in each kind", ["Lamp", "Bulb", "Ink", "Pad"]),
        ("What is the list price of Ink?", ["Ink"]),
        ("price of Lamp", ["Lamp"]),
    ],
)
async def test_prices_are_found_and_not_added_up(tmp_path: Path, question: str, goods: list[str]) -> None:
    (tmp_path / "goods.csv").write_text(GOODS)
    text = await converse_over_files(Folder([tmp_path / "goods.csv"]), question)
    assert not declined(text) and sorted(row.split(" | ")[0].strip("| ") for row in rows_of(text)) == sorted(goods), (
        text
    )


@pytest.mark.parametrize("question", ["total list price by kind", "sum of the list price of paper"])
async def test_prices_of_several_rows_are_no_total(tmp_path: Path, question: str) -> None:
    (tmp_path / "goods.csv").write_text(GOODS)
    assert declined(await converse_over_files(Folder([tmp_path / "goods.csv"]), question))


LINES = (
    "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, channel TEXT, amount INTEGER);"
    "CREATE TABLE order_lines (order_id INTEGER REFERENCES orders (order_id), line_no INTEGER, quantity INTEGER,"
    " PRIMARY KEY (order_id, line_no));"
)


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("How many lines does order 2 have?", 3),
        ("How many lines are there?", 6),
        ("Which order had the most lines?", 3),
        ("average number of lines per order", 2),
        ("How many orders have more than 2 lines?", 1),
        ("How many orders?", 3),
        ("average amount per order", 20),
    ],
)
async def test_lines_are_those_of_the_table_that_has_them(question: str, figure: float) -> None:
    database = Database(LINES)
    database.insert("orders", [(1, "web", 10), (2, "web", 20), (3, "shop", 30)])
    database.insert("order_lines", [(1, 1, 5), (2, 1, 1), (2, 2, 1), (2, 3, 2), (3, 1, 1), (3, 2, 9)])
    text = await converse(database, question)
    assert not declined(text) and has_figure(text.split("_How I read")[0], figure, 0), text


@pytest.mark.parametrize("question", ["total takings by good", "takings by good in January 2025", "amount by good"])
async def test_a_figure_is_never_counted_once_for_each_line(question: str) -> None:
    database = Database(
        "CREATE TABLE goods (good_id INTEGER PRIMARY KEY, good TEXT);"
        "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, ordered_on DATE, amount INTEGER);"
        "CREATE TABLE bookings (order_id INTEGER PRIMARY KEY REFERENCES orders (order_id), takings INTEGER);"
        "CREATE TABLE order_lines (order_id INTEGER REFERENCES orders (order_id), line_no INTEGER,"
        " good_id INTEGER REFERENCES goods (good_id), quantity INTEGER, PRIMARY KEY (order_id, line_no));"
    )
    database.insert("goods", [(1, "Pen"), (2, "Ink")])
    database.insert("orders", [(1, "2025-01-01", 10), (2, "2025-01-02", 20)])
    database.insert("bookings", [(1, 9), (2, 18)])
    database.insert("order_lines", [(1, 1, 1, 5), (1, 2, 2, 1), (2, 1, 1, 1)])
    text = await converse(database, question)
    assert declined(text) and "would be counted several times" in text and "total quantity by good" in text, text
    asked = await converse(database, "total quantity by good")
    assert not declined(asked) and "| Pen | 1 | 6 |" in asked, asked
