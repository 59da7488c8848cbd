"""A running local workspace with a clock that stands still, and clients for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.integration.local.bolt_bots import web_client
from tests.patient_slack import patient_slack


class SteppedClock:
    """Time moves only when told."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._now.timestamp()

    def step(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
async def slack(clock):
    async with patient_slack(clock=clock, trigger_seconds=3.0) as running:
        yield running


@pytest.fixture
async def client(slack):
    async with web_client(slack) as made:
        yield made
