"""A clock that stands still until a test moves it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
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

    def sleep(self, seconds: float) -> Coroutine[None, None, None]:
        """Until the clock has been moved on by so much, counted from this call and not from when it is awaited."""
        return self._sleep_until(self._monotonic + seconds)

    async def _sleep_until(self, until: float) -> None:
        woken = asyncio.Event()
        self._sleepers[woken] = until
        self._slept.set()
        try:
            if self._monotonic < until:
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
