"""A state whose time and ids are the test's."""

from collections.abc import Iterator

import pytest

from runtime.state import State, open_state
from tests.integration.state.doubles import Counter, SteppingClock


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


@pytest.fixture
def state(state_url: str, clock: SteppingClock) -> Iterator[State]:
    opened = open_state(state_url, clock=clock, new_id=Counter())
    yield opened
    opened.close()
