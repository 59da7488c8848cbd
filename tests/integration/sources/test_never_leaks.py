"""No query, sound or hostile, gets an un-admitted value out by any way, and none writes.

Two databases that differ only in un-admitted tables, columns and masked cells are asked the same random query. Both
have to answer the same, errors included, nothing in the answers may hold an un-admitted value, and afterwards both are
stored as they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.integration.sources.conftest import Twins
from tests.integration.sources.grammar import queries
from tests.integration.sources.twins import leaked, seen

WAYS = Path(__file__).parent / "ways"
RANDOM = settings(
    max_examples=30,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)


async def ask(twins: Twins, sql: str, tally: Counter[bool]) -> None:
    """Both twins answer the same, and without a trace of what isn't admitted."""
    asked = sql.replace("{outside}", twins.outside)
    first, second = [await seen(engine, asked) for engine in twins.engines]
    tally[first.answered] += 1
    assert not leaked(asked, first), (asked, first)
    assert not leaked(asked, second), (asked, second)
    assert first == second, asked


@pytest.fixture
def tally() -> Iterator[Counter[bool]]:
    """How many queries were answered (True) and refused (False): a test that is always refused shows nothing."""
    counted = Counter[bool]()
    yield counted
    assert counted[True] > counted.total() // 10
    assert counted[False] > counted.total() // 10


async def ask_known(twins: Twins, *files: str) -> None:
    """Every statement of these files."""
    tally = Counter[bool]()
    for file in files:
        for line in (WAYS / f"{file}.sql").read_text().splitlines():
            if not line.startswith("--"):
                await ask(twins, line, tally)


async def test_known_ways_in_sqlite(sqlite_twins: Twins) -> None:
    await ask_known(sqlite_twins, "database", "sqlite")


async def test_known_ways_in_postgresql(postgresql_twins: Twins) -> None:
    await ask_known(postgresql_twins, "database", "postgres")


async def test_known_ways_out_of_a_workspace(workspace_twins: Twins) -> None:
    await ask_known(workspace_twins, "workspace")


@RANDOM
@given(st.lists(queries("sqlite"), min_size=5, max_size=20))
async def test_random_queries_in_sqlite(sqlite_twins: Twins, tally: Counter[bool], asked: list[str]) -> None:
    await ask_random(sqlite_twins, tally, asked)


@RANDOM
@given(st.lists(queries("postgres"), min_size=5, max_size=20))
async def test_random_queries_in_postgresql(postgresql_twins: Twins, tally: Counter[bool], asked: list[str]) -> None:
    await ask_random(postgresql_twins, tally, asked)


@RANDOM
@given(st.lists(queries("duckdb"), min_size=5, max_size=20))
async def test_random_queries_in_a_workspace(workspace_twins: Twins, tally: Counter[bool], asked: list[str]) -> None:
    await ask_random(workspace_twins, tally, asked)


async def ask_random(twins: Twins, tally: Counter[bool], asked: list[str]) -> None:
    """These statements one after the other."""
    for sql in asked:
        await ask(twins, sql, tally)
