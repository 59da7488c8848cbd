"""A clock that stands still until a test moves it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


class ManualClock:
    """Wall and monotonic clock that move together, only by `advance`."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._monotonic = 1_000.0

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


def counted_ids(prefix: str = "id") -> Callable[[], str]:
    """`id-1`, `id-2`, … one after the other."""
    count = 0

    def new_id() -> str:
        nonlocal count
        count += 1
        return f"{prefix}-{count}"

    return new_id
