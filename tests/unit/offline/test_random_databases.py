"""Over random rows of two joined tables and a grammar of questions, the analyst's figures equal those worked out in
plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import mean, median

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.sqlite_tools import Database, converse

SCHEMA = """
CREATE TABLE teams (team_id INTEGER PRIMARY KEY, team TEXT NOT NULL, city TEXT NOT NULL);
CREATE TABLE runs (
  run_id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL REFERENCES teams (team_id), run_on DATE NOT NULL, kind TEXT,
  laps INTEGER);
"""
TEAMS = ((1, "red", "Oslo"), (2, "green", "Oslo"), (3, "blue", "Rome"))
KINDS = ("sprint", "relay")
MONTHS = ("January", "February", "March")


@dataclass(frozen=True)
class Run:
    team: int
    day: date
    kind: str
    laps: int | None

    @property
    def city(self) -> str:
        return TEAMS[self.team - 1][2]

    @property
    def month(self) -> str:
        return f"{self.day:%B %Y}"


runs = st.builds(
    Run,
    st.integers(1, 3),
    st.integers(0, 88).map(lambda days: date(2025, 1, 1) + timedelta(days=days)),
    st.sampled_from(KINDS),
    st.none() | st.integers(0, 30),
)


@st.composite
def tables(draw: st.DrawFn) -> list[Run]:
    """Rows in which every team, kind and month occurs with a figure, so that every word of a question is known."""
    fixed = [Run(1 + at, date(2025, 1 + at, 10), KINDS[at % 2], 3 + at) for at in range(3)]
    return fixed + draw(st.lists(runs, max_size=25))


FIGURES: dict[str, Callable[[list[int]], float | None]] = {
    "What is the total number of laps of the runs": lambda laps: sum(laps) if laps else None,
    "What is the average number of laps of the runs": lambda laps: mean(laps) if laps else None,
    "What is the median number of laps of the runs": lambda laps: median(laps) if laps else None,
}
GROUPS: dict[str, Callable[[Run], str]] = {
    "city": lambda run: run.city,
    "kind": lambda run: run.kind,
    "month": lambda run: run.month,
}


def database_of(rows: list[Run]) -> Database:
    database = Database(SCHEMA)
    database.insert("teams", [*TEAMS])
    database.insert("runs", [(n, r.team, r.day.isoformat(), r.kind, r.laps) for n, r in enumerate(rows, start=1)])
    return database


def told(text: str) -> str:
    return text.split("_How I read")[0]


def laps_of(rows: list[Run]) -> list[int]:
    return [row.laps for row in rows if row.laps is not None]


@st.composite
def narrowings(draw: st.DrawFn) -> tuple[str, Callable[[Run], bool]]:
    city = draw(st.none() | st.sampled_from(["Oslo", "Rome"]))
    kind = draw(st.none() | st.sampled_from(KINDS))
    month = draw(st.none() | st.integers(1, 3))
    words = f" in {city}" if city else ""
    words += f" of the {kind} kind" if kind else ""
    words += f" in {MONTHS[month - 1]} 2025" if month else ""
    return (
        words,
        lambda run: (
            (city is None or run.city == city)
            and (kind is None or run.kind == kind)
            and (month is None or run.day.month == month)
        ),
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), narrowings(), st.sampled_from(sorted(FIGURES)))
async def test_one_figure(rows: list[Run], narrowed: tuple[str, Callable[[Run], bool]], asks: str) -> None:
    words, keeps = narrowed
    laps = laps_of([row for row in rows if keeps(row)])
    expected = FIGURES[asks](laps)
    text = await converse(database_of(rows), f"{asks}{words}?")
    assert not declined(text), text
    if expected is None:
        assert "nothing to compute" in text, text
    else:
        assert has_figure(told(text), expected, 0.006), (expected, text)
        assert f"(from {len(laps)} row" in text, text


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.sampled_from(sorted(FIGURES)), st.sampled_from(sorted(GROUPS)))
async def test_figures_by_group(rows: list[Run], asks: str, group: str) -> None:
    groups: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        groups[GROUPS[group](row)] += [] if row.laps is None else [row.laps]
    text = await converse(database_of(rows), f"{asks} by {group}?")
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    for name, laps in groups.items():
        line = next(line for line in lines if line.startswith(f"| {name} "))
        expected = FIGURES[asks](laps)
        assert expected is not None and has_figure(line, expected, 0.006), (expected, text)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.permutations([1, 2, 3]), st.booleans())
async def test_changes_between_two_months(rows: list[Run], months: list[int], counts: bool) -> None:
    first, second = sorted(months[:2])

    def figure(month: int) -> int:
        kept = [row for row in rows if row.day.month == month]
        return len(kept) if counts else sum(laps_of(kept))

    what = "number of runs" if counts else "total laps"
    question = f"How did the {what} change from {MONTHS[first - 1]} 2025 to {MONTHS[second - 1]} 2025?"
    text = await converse(database_of(rows), question)
    before, after = figure(first), figure(second)
    for expected in (before, after, after - before):
        assert has_figure(told(text), expected, 0.006), (before, after, text)
    if before:
        assert has_figure(told(text), 100 * (after - before) / before, 0.006), text


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.sampled_from(["most", "fewest"]), st.sampled_from(sorted(GROUPS)))
async def test_the_winning_group_with_all_ties(rows: list[Run], direction: str, group: str) -> None:
    counts: dict[str, int] = defaultdict(int)
    for row in rows:
        counts[GROUPS[group](row)] += 1
    best = (max if direction == "most" else min)(counts.values())
    text = await converse(database_of(rows), f"Which {group} has the {direction} runs?")
    assert has_figure(told(text), best, 0), text
    for name, count in counts.items():
        assert (name in told(text)) == (count == best), text


async def test_a_join_that_would_repeat_rows_is_refused() -> None:
    database = Database(
        "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, placed DATE, amount NUMERIC);"
        "CREATE TABLE products (product_id INTEGER PRIMARY KEY, category TEXT);"
        "CREATE TABLE lines (line_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders (order_id),"
        " product_id INTEGER REFERENCES products (product_id), pieces INTEGER);"
    )
    database.insert("orders", [(1, "2025-01-01", 10), (2, "2025-01-02", 20)])
    database.insert("products", [(1, "ink"), (2, "pens")])
    database.insert("lines", [(1, 1, 1, 3), (2, 1, 2, 4), (3, 2, 2, 5)])
    refused = await converse(database, "What is the total amount by category?")
    assert declined(refused) and "counted several times" in refused
    right = await converse(database, "What is the total number of pieces by category?")
    assert has_figure(right, 9, 0) and has_figure(right, 3, 0)
