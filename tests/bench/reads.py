"""Reads beside each other: the same rows in several ways, the bare one among them, and a tool's by its boundary."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from runtime.boundary import Boundary, Call

ROUNDS, WARM_UP = 80, 8
SIZE = 20_000
"""Rows of the table that is read."""

Read = Callable[[str], Awaitable[object]]


async def medians(sql: Callable[[int], str], *ways: Read) -> list[float]:
    """Median milliseconds of each way to read, over rounds that go through all of them; `sql` gives a round's query."""
    taken: list[list[float]] = [[] for _ in ways]
    for n in range(ROUNDS + WARM_UP):
        for way, spent in zip(ways, taken, strict=True):
            began = time.perf_counter()
            await way(sql(n))
            spent.append((time.perf_counter() - began) * 1e3)
    return [statistics.median(spent[WARM_UP:]) for spent in taken]


def through(boundary: Boundary, tool: str, arguments: Callable[[str], Mapping[str, Any]]) -> Read:
    """Reads by calls of a tool, one batch each, as the run's loop does; `arguments` of a call are made of its SQL."""
    numbers = itertools.count(1)

    async def read(sql: str) -> None:
        n = next(numbers)
        (done,) = await boundary.batch(
            [Call(f"c{n}", tool, arguments(sql))],
            first=n,
            loaded=frozenset(),
            allowed=1,
            deadline=time.monotonic() + 300,
        )
        if done.is_error or done.evidence.repeat_of:
            raise AssertionError(f"not a read of its own: {done.text}")

    return read
