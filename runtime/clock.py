"""Where time and identifiers come from: both are injected, so that runs can be replayed exactly."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

NewId = Callable[[], str]


class Clock(Protocol):
    """Wall clock for what people read, monotonic clock for durations."""

    def now(self) -> datetime:
        """The present moment, timezone-aware, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary origin that never go backwards."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def random_id() -> str:
    """A fresh 128-bit identifier as 32 hexadecimal digits."""
    return uuid.uuid4().hex
