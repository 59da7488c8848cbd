"""Kill -9 at every moment of an approved change: the target's counter equals the journal, and each card is true.

The product's own tools change a real PostgreSQL after a press over Slack's wire. FOOTNOTE_KILLS sets how often the bot
dies (once at each moment without it), FOOTNOTE_KILL_SEED repeats a run's choices.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.state import migrate_state
from tests import postgres_server
from tests.acceptance.change_drill.drill import drill_at
from tests.acceptance.change_drill.moments import MOMENTS, Moment
from tests.acceptance.change_drill.verdict import verdict
from tests.kill_seed import kill_seed

KILLS = int(os.environ.get("FOOTNOTE_KILLS", "0")) or len(MOMENTS)
SEED = kill_seed()
# Each kind of state takes its part of the deaths, so that they can run side by side.
STATES = ("sqlite", "postgresql")


def order() -> list[Moment]:
    """The moments of all deaths: every round has each once, in another order."""
    chance, made = random.Random(SEED), list[Moment]()
    while len(made) < KILLS:
        made += chance.sample(MOMENTS, len(MOMENTS))
    return made[:KILLS]


@pytest.fixture
def postgres() -> Iterator[str]:
    with postgres_server.server() as dsn:
        yield dsn


@pytest.mark.parametrize("kind", STATES)
@pytest.mark.timeout(600 + 60 * KILLS)
async def test_killed_at_every_moment_a_change_is_made_once_or_not_and_its_card_is_true(
    tmp_path: Path, postgres: str, kind: str
) -> None:
    part = STATES.index(kind)
    moments = order()[part :: len(STATES)]
    print(f"seed {SEED}, state on {kind}, {len(moments)} kills")
    begun = time.monotonic()
    with postgres_server.database(postgres) as target, postgres_server.database(postgres) as shared:
        if kind == "postgresql":
            migrate_state(shared)
        state_url = shared if kind == "postgresql" else f"sqlite:///{tmp_path / 'state.db'}"
        async with drill_at(tmp_path, target, state_url, SEED + part) as drill:
            await drill.run(moments)
            await verdict(drill)
    print(f"{time.monotonic() - begun:.0f} s")
