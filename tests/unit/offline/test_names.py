"""Names beside ids: over random rows, every group is the id's own, its name beside it, and two of one name stay two."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.acceptance.grading import declined
from tests.unit.offline.duckdb_tools import Folder
from tests.unit.offline.duckdb_tools import converse as converse_over_files
from tests.unit.offline.sqlite_tools import Database, converse

NAMES = ("Ada", "ada", "Bo", "BO ", "Cy", "Di", "Ed")
SHARED = "share a `player` and are kept apart"


def club(players: list[str], games: list[tuple[int, int]]) -> Database:
    database = Database(
        "CREATE TABLE players (player_id INTEGER PRIMARY KEY, player TEXT NOT NULL);"
        "CREATE TABLE games (game_id INTEGER PRIMARY KEY, winner INTEGER REFERENCES players (player_id), points INT);"
        "CREATE TABLE goals (goal_id INTEGER PRIMARY KEY, player_id INT REFERENCES players (player_id), minutes INT)"
    )
    database.insert("players", [*enumerate(players, start=1)])
    database.insert("goals", [(at, *game) for at, game in enumerate(games, start=1)])
    return database


@st.composite
def clubs(draw: st.DrawFn) -> tuple[list[str], list[tuple[int, int]]]:
    players: list[str] = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=8))
    goal = st.tuples(st.integers(1, len(players)), st.integers(0, 90))
    return players, draw(st.lists(goal, min_size=1, max_size=30))


def lines_of(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines() if line[:2] == "| "]


def named_twice(players: list[str]) -> bool:
    return len({name.strip().casefold() for name in players}) < len(players)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(clubs(), st.sampled_from(["How many goals by player?", "Total minutes by player", "Median minutes by player"]))
async def test_groups_of_an_id_are_its_own(drawn: tuple[list[str], list[tuple[int, int]]], question: str) -> None:
    players, goals = drawn
    text = await converse(club(players, goals), question)
    assert not declined(text), text
    groups: dict[int, list[int]] = defaultdict(list)
    for player, minutes in goals:
        groups[player].append(minutes)
    shown = {int(line[1]): line for line in lines_of(text)[2:]}
    assert shown.keys() == groups.keys(), text
    for player, line in shown.items():
        assert line[0] == players[player - 1].strip(), text
        if question.startswith("How many"):
            assert int(line[2]) == len(groups[player]), text
        if question.startswith("Total"):
            assert int(line[2]) == sum(groups[player]), text
    assert (SHARED in text) == named_twice(players), text


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(clubs(), st.integers(1, 4))
async def test_the_top_ones_are_called_by_name(drawn: tuple[list[str], list[tuple[int, int]]], wanted: int) -> None:
    players, goals = drawn
    counts = Counter(player for player, _ in goals)
    ranked = sorted(counts.values(), reverse=True)
    least = ranked[min(wanted, len(ranked)) - 1]
    text = await converse(club(players, goals), f"Top {wanted} players by number of goals")
    best = [player for player, count in counts.items() if count >= least]
    for player in best if wanted > 1 else ():
        assert [players[player - 1].strip(), str(player), str(counts[player])] in lines_of(text), text
    if wanted == 1:
        assert all(f"{players[player - 1].strip()} (`player_id` {player})" in text for player in best), text


async def test_a_column_of_another_name_leads_to_the_name_too() -> None:
    database = club(["Ada", "Bo"], [])
    database.insert("games", [(1, 2, 10), (2, 2, 20), (3, 1, 5)])
    text = await converse(database, "Total points by winner")
    assert ["Bo", "2", "30", "2"] in lines_of(text), text


async def test_grouping_by_a_name_of_other_rows_goes_by_their_key() -> None:
    database = Database(
        "CREATE TABLE members (id INTEGER PRIMARY KEY, nickname TEXT, town TEXT);"
        "CREATE TABLE visits (visit_id INTEGER PRIMARY KEY, who INTEGER REFERENCES members (id), hours INTEGER);"
    )
    database.insert("members", [(1, "Ada", "Oslo"), (2, "ADA", "Rome"), (3, "Bo", "Oslo")])
    database.insert("visits", [(1, 1, 2), (2, 2, 3), (3, 3, 4), (4, 2, 1)])
    text = await converse(database, "Total hours by nickname")
    assert ["Ada", "1", "2", "1"] in lines_of(text) and ["ADA", "2", "4", "2"] in lines_of(text), text
    assert "kept apart" in text
    by_town = await converse(database, "Total hours by town")
    assert ["Oslo", "6", "2"] in lines_of(by_town) and "kept apart" not in by_town, by_town


@pytest.mark.parametrize("question", ["Number of goals by player_id", "Which player has the most goals?"])
async def test_files_that_share_a_key_name_their_ids(tmp_path: Path, question: str) -> None:
    (tmp_path / "players.csv").write_text("player_id,player\n1,Ada\n2,Bo\n3,Cy\n")
    (tmp_path / "goals.csv").write_text("player_id,minute_of_play\n2,10\n2,20\n1,30\n")
    text = await converse_over_files(Folder([tmp_path / "players.csv", tmp_path / "goals.csv"]), question)
    assert "Bo" in text and SHARED not in text, text


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("Top players by number of goals", 5),
        ("Best players by minutes", 5),
        ("Top player by number of goals", 1),
        ("Top 2 players by number of goals", 2),
        ("Which players have the most goals?", 1),
    ],
)
async def test_top_ones_without_a_number_are_five(question: str, shown: int) -> None:
    goals = [(player, 10 * player) for player in range(1, 8) for _ in range(player)]
    text = await converse(club(["Ada", "Bo", "Cy", "Di", "Ed", "Fi", "Gus"], goals), question)
    rows = [line for line in lines_of(text)[2:] if line[0] != "---"]
    assert len(rows) == shown if shown > 1 else not rows and "Gus" in text, text
