"""Over random tables and a grammar of questions, the analyst's figure equals one worked out in plain Python."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from statistics import mean, median

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.acceptance.grading import declined, has_figure
from tests.unit.offline.duckdb_tools import Folder, converse

TEAMS = ("red", "green", "blue", "violet")
MONTHS = ("January", "February", "March", "April")


@dataclass(frozen=True)
class Run:
    day: date
    team: str
    laps: int
    indoor: bool


runs = st.builds(
    Run,
    st.integers(0, 119).map(lambda days: date(2024, 1, 1) + timedelta(days=days)),
    st.sampled_from(TEAMS),
    st.integers(0, 40),
    st.booleans(),
)


@st.composite
def tables(draw: st.DrawFn) -> list[Run]:
    """Rows in which every team, both kinds and every month occur, so that every word of a question is known."""
    fixed = [Run(date(2024, 1 + at, 10), team, 3 + at, bool(at % 2)) for at, team in enumerate(TEAMS)]
    return fixed + draw(st.lists(runs, max_size=30))


@dataclass(frozen=True)
class Narrowed:
    words: str
    team: str | None
    month: int | None
    indoor: bool | None

    def of(self, rows: list[Run]) -> list[Run]:
        return [
            row
            for row in rows
            if (self.team is None or row.team == self.team)
            and (self.month is None or row.day.month == self.month)
            and (self.indoor is None or row.indoor == self.indoor)
        ]


@st.composite
def narrowings(draw: st.DrawFn) -> Narrowed:
    team = draw(st.none() | st.sampled_from(TEAMS))
    month = draw(st.none() | st.integers(1, 4))
    indoor = draw(st.none() | st.booleans())
    words = f" by the {team} team" if team else ""
    words += {True: " that are indoor", False: " that are not indoor", None: ""}[indoor]
    words += f" in {MONTHS[month - 1]} 2024" if month else ""
    return Narrowed(words, team, month, indoor)


def folder_of(rows: list[Run], root: str) -> Folder:
    path = Path(root) / "runs.csv"
    lines = [f"{row.day},{row.team},{row.laps},{'yes' if row.indoor else 'no'}" for row in rows]
    path.write_text("day,team,laps,indoor\n" + "\n".join(lines) + "\n")
    return Folder([path])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    tables(), narrowings(), st.sampled_from(["count", "sum", "average", "median", "most", "above"]), st.integers(1, 20)
)
async def test_one_figure(rows: list[Run], narrowed: Narrowed, kind: str, bound: int) -> None:
    kept = narrowed.of(rows)
    laps = [row.laps for row in kept]
    question, expected = {
        "count": (f"How many runs{narrowed.words}?", [len(kept)]),
        "sum": (f"Total laps of the runs{narrowed.words}", [sum(laps)] if laps else []),
        "average": (f"What is the average number of laps of the runs{narrowed.words}?", [mean(laps)] if laps else []),
        "median": (f"Median laps of runs{narrowed.words}?", [median(laps)] if laps else []),
        "most": (f"What are the most laps of the runs{narrowed.words}?", [max(laps)] if laps else []),
        "above": (f"How many runs with more than {bound} laps{narrowed.words}?", [sum(n > bound for n in laps)]),
    }[kind]
    with tempfile.TemporaryDirectory() as root:
        text = await converse(folder_of(rows, root), question)
    assert not declined(text), (question, text)
    if not expected:
        assert "no row" in text.lower() or "nothing to compute" in text, (question, text)
    for figure in expected:
        assert has_figure(text.split("_How I read")[0], figure, 0.006) or (figure == 0 and "No row" in text), (
            question,
            text,
        )


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    tables(), st.sampled_from(["laps", "runs"]), st.sampled_from(["most", "fewest"]), st.sampled_from(["team", "month"])
)
async def test_the_winning_group_with_all_ties(rows: list[Run], what: str, direction: str, group: str) -> None:
    totals: dict[str, int] = defaultdict(int)
    for row in rows:
        key = row.team if group == "team" else f"{MONTHS[row.day.month - 1]} 2024"
        totals[key] += row.laps if what == "laps" else 1
    best = (max if direction == "most" else min)(totals.values())
    with tempfile.TemporaryDirectory() as root:
        text = await converse(folder_of(rows, root), f"Which {group} has the {direction} {what}?")
    answer = text.split("_How I read")[0]
    assert has_figure(answer, best, 0), text
    for name, total in totals.items():
        assert (name in answer) == (total == best), text
