"""One guest in threads for the whole module: a run starts from the snapshot, so sharing it is part of the test."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from guest import Guest, GuestLimits, GuestResult, GuestSqlError, open_guest
from guest.host.opening import BUILT

# Less fuel than in production, and far more time: what ends a program must not depend on how busy the machine is.
LIMITS = GuestLimits(fuel=1_500_000_000, wall_s=90)
NOW = "2026-03-04T05:06:07+01:00"

Run = Callable[..., Awaitable[GuestResult]]


async def sql(query: str, source: str | None) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
    """A source that knows a few queries."""
    if query == "bad":
        raise GuestSqlError("no table 'bad'; did you mean 'orders'?")
    if query == "broken":
        raise ConnectionError("broken")
    if query.startswith("rows "):
        return ["id", "grp", "x"], [[i, f"g{i % 7}", i * 1.5] for i in range(int(query[5:]))]
    if query.startswith("chars "):
        return ["text"], [["x" * int(query[6:])]]
    return ["query", "source"], [[query, source]]


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    opened = open_guest(artifact_dir=BUILT, cache_dir=tmp_path_factory.mktemp("cache"), isolated=False, limits=LIMITS)
    yield opened
    asyncio.run(opened.close())


@pytest.fixture
def run(guest: Guest) -> Run:
    async def run(source: str, **given: Any) -> GuestResult:
        return await guest.run(source, given.pop("sql", sql), **{"now": NOW, "seed": 7, **given})

    return run


@pytest.fixture(scope="session")
def built() -> Path:
    return BUILT
