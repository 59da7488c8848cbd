"""A clock that moves only when told and ids that count up."""

import itertools
from datetime import UTC, datetime, timedelta


class SteppingClock:
    def __init__(self) -> None:
        self.at = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    def advance(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


class Counter:
    def __init__(self, prefix: str = "id") -> None:
        self._prefix = prefix
        self._numbers = itertools.count(1)

    def __call__(self) -> str:
        return f"{self._prefix}{next(self._numbers)}"
