"""A clock that stands still until a test moves it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


class ManualClock:
    """Wall and monotonic clock that move together, only by `advance`. Who sleeps by it wakes when it has moved on."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._monotonic = 1_000.0
        self._sleepers: dict[asyncio.Event, float] = {}
        self._slept = asyncio.Event()

    def now(self) -> datetime:
        """The moment it shows."""
        return self._now

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Moves both clocks on."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds
        for sleeper, until in self._sleepers.items():
            if until <= self._monotonic:
                sleeper.set()

    async def sleep(self, seconds: float) -> None:
        """Until the clock has been moved on by so much."""
        until, woken = self._monotonic + seconds, asyncio.Event()
        self._sleepers[woken] = until
        self._slept.set()
        try:
            if seconds > 0:
                await woken.wait()
        finally:
            del self._sleepers[woken]
            if not self._sleepers:
                self._slept.clear()

    async def slept_by(self) -> None:
        """Until somebody sleeps by this clock."""
        await self._slept.wait()


def counted_ids(prefix: str = "id") -> Callable[[], str]:
    """`id-1`, `id-2`, … one after the other."""
    count = 0

    def new_id() -> str:
        nonlocal count
        count += 1
        return f"{prefix}-{count}"

    return new_id
