"""A run's time: waiting for a person is no working time."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from runtime.clock import Clock


class WorkingTime:
    """How long a run has been open, and how much of that it waited for people. Seconds on the monotonic clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.monotonic()
        self.waited = 0.0

    @property
    def age(self) -> float:
        """Seconds since the run began (or began again after a crash)."""
        return self._clock.monotonic() - self._began

    @contextmanager
    def paused(self) -> Generator[None]:
        """While it is open, time passes for nobody's account."""
        since = self._clock.monotonic()
        try:
            yield
        finally:
            self.waited += self._clock.monotonic() - since
