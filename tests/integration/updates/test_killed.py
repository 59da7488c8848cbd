"""A process that makes a change is killed at every moment: the target's own counter equals the journal, each time.

FOOTNOTE_KILLS sets how often (each moment once without it), FOOTNOTE_KILL_SEED repeats a run's choices.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.clock import SystemClock, random_id
from runtime.engines.postgresql import PostgresqlEngine
from runtime.engines.postgresql.updates import PostgresqlUpdates
from runtime.engines.update_port import ChangeCall
from runtime.errors import CallError
from runtime.limits import DEFAULT
from runtime.state import State, migrate_state, open_state
from tests import postgres_server
from tests.integration.updates.conftest import World
from tests.integration.updates.dying import MOMENTS, TERMS, change, source
from tests.kill_seed import kill_seed

ROOT = Path(__file__).parents[3]
KILLS = int(os.environ.get("FOOTNOTE_KILLS", "0")) or len(MOMENTS)
SEED = kill_seed()
DEATH_S = 180

ACCOUNTS = """
CREATE TABLE accounts (id int PRIMARY KEY, tier text);
CREATE TABLE counter (changes int NOT NULL);
INSERT INTO accounts SELECT i, 'new' FROM generate_series(1, 5) AS i;
INSERT INTO counter VALUES (0);
GRANT SELECT ON accounts TO {reader};
GRANT SELECT, UPDATE ON accounts TO {writer};
GRANT SELECT, UPDATE ON counter TO {writer};
CREATE FUNCTION count_it() RETURNS trigger LANGUAGE plpgsql
  AS 'BEGIN UPDATE public.counter SET changes = changes + 1; RETURN NULL; END';
CREATE TRIGGER count_it AFTER UPDATE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION count_it();
"""


class Bank:
    """The target with a counter of its own, and the state that outlives every process; `places` are both kinds."""

    def __init__(self, world: World, places: tuple[str, str]) -> None:
        self.world, self.places = world, places
        self.state_url = places[0]
        world.run(ACCOUNTS)
        world.monkeypatch.setenv("CRM_READ_URL", world.address(world.reader))
        world.monkeypatch.setenv("CRM_WRITE_URL", world.address(world.writer))

    @property
    def changes(self) -> int:
        return self.world.run("SELECT changes FROM counter")[0][0]

    async def dies(self, moment: str, call: str) -> None:
        """A process makes a change and is killed at the moment."""
        command = [
            sys.executable,
            "-m",
            "tests.integration.updates.dying",
            self.state_url,
            moment,
            call,
            f"tier {call}",
        ]
        done = await asyncio.to_thread(
            subprocess.run, command, cwd=ROOT, capture_output=True, text=True, timeout=DEATH_S
        )
        assert done.returncode == -signal.SIGKILL, done.stderr[-2_000:]

    async def recovers(self, call: str) -> dict[str, str]:
        """The next life: finds out what became of everything, and tries the same call again. How each call ended."""
        state = open_state(self.state_url, clock=SystemClock(), new_id=random_id)
        reads = await PostgresqlEngine.open(source(), DEFAULT, SystemClock())
        try:
            updates = PostgresqlUpdates.open(source(), reads.structure, state.effects, DEFAULT, SystemClock())
            for effect in await state.effects.open():
                await updates.resolve(effect)
            await self._never_again(state, updates, call)
            assert await state.effects.open() == []
            return {effect.call_id: effect.state for effect in await state.effects.newest(10_000)}
        finally:
            await reads.close()
            state.close()

    async def _never_again(self, state: State, updates: PostgresqlUpdates, call: str) -> None:
        if await state.effects.of_call("run", call) is None:
            return  # it died before anything was begun: whoever resumes is told so and does not run it
        again, before = change(f"again {call}"), self.changes
        seen = await updates.preview(again, TERMS)
        with pytest.raises(CallError, match="begun before"):
            await updates.perform(again, TERMS, seen.fingerprint, ChangeCall("run", call, "T:C:1", "update"))
        assert self.changes == before


@pytest.fixture
def bank(world: World, postgres: str, tmp_path: Path) -> Iterator[Bank]:
    with postgres_server.database(postgres) as shared:
        migrate_state(shared)
        yield Bank(world, (f"sqlite:///{tmp_path}/journal.db", shared))


@pytest.mark.timeout(300 + 60 * KILLS)
async def test_each_death_leaves_the_counter_and_the_journal_equal(bank: Bank):
    print(f"seed {SEED}, {KILLS} kills")
    chance, order = random.Random(SEED), list[str]()
    deaths, kept = Counter[str](), dict[str, dict[str, str]]()
    for n in range(KILLS):
        order = order or chance.sample(list(MOMENTS), len(MOMENTS))
        moment, call = order.pop(), f"call {n}"
        bank.state_url = chance.choice(bank.places)
        await bank.dies(moment, call)
        kept[bank.state_url] = await bank.recovers(call)
        deaths[moment] += 1
        assert kept[bank.state_url].get(call, "") in MOMENTS[moment], moment
        states = Counter(state for journal in kept.values() for state in journal.values())
        assert (moment, states["done"], states["unknown"]) == (moment, bank.changes, 0)
    print(f"deaths: {dict(deaths)}; the target counts {bank.changes}, the journals say {dict(states)}")
