"""The drill: questions are asked, the bot is killed at chosen moments and started again, until all is answered."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.local import LocalSlack
from bot.local.world import Channel, demo_world
from tests.acceptance.conftest import Stage, write_workspace
from tests.acceptance.drill.asking import PARTS, Model
from tests.acceptance.drill.lives import Life
from tests.acceptance.drill.moments import MOMENTS, STARTING, Feed, Moment, reached, tell_of_results
from tests.acceptance.drill.remains import look_into

# Many channels: the bot posts at Slack's pace, about one message a second in each.
CHANNELS = tuple(f"C0DRILL{n}" for n in range(8))
PEOPLE = ("U0ANN", "U0MIA", "U0LEO")
# A turn may be resumed five times before it is given up: no question of the drill is killed more often than this.
_MOST_DEATHS = 4
_MOMENT_S = 25.0
_ANSWERS_S = 300.0


@dataclass
class Asked:
    """A question and how many deaths of the bot it has lived through."""

    number: int
    channel: str
    thread: str
    deaths: int = 0


@dataclass
class Drill:
    """Everything that one drill is made of."""

    stage: Stage
    model: Model
    chance: random.Random
    asked: list[Asked] = field(default_factory=list)
    kills: Counter[str] = field(default_factory=Counter)
    missed: int = 0
    starts_s: list[float] = field(default_factory=list)
    recovery_s: float = 0.0
    remains: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    @property
    def slack(self) -> LocalSlack:
        return self.stage.slack

    async def run(self, kills: int) -> None:
        """Kills the bot so often, then lets it finish and end."""
        order = list[Moment]()
        for n in range(1, kills + 1):
            order = order or self.chance.sample(MOMENTS, len(MOMENTS))
            moment = order.pop()
            found = await self._life(moment)
            print(f"{n}/{kills} killed: {moment.name}; found: {', '.join(found)}", flush=True)
        await self._last_life()

    async def _life(self, moment: Moment) -> tuple[str, ...]:
        """One life, killed at the moment; where it left the questions."""
        if self.chance.random() < 0.3:
            await self.ask()  # while nobody is there
        life = await self.begin()
        try:
            if moment is STARTING:
                with suppress(TimeoutError):
                    await asyncio.wait_for(life.ready(), self.chance.random() * 1.2 * self._usual_start())
            else:
                await self._until(life, moment)
        finally:
            await self.kill(life)
        self.kills[moment.name] += 1
        remains = await asyncio.to_thread(look_into, self.stage.folder)
        self.remains.update(remains)
        return remains

    async def _until(self, life: Life, moment: Moment) -> None:
        """Until the moment comes: while earlier questions are resumed or, by lot, only with new ones."""
        tired = any(asked.deaths >= _MOST_DEATHS for asked in self.open())
        at_once = not tired and self.chance.random() < 0.3
        changes = self.slack.workspace.changes
        with changes.feed() as feed, running(tell_of_results(self.stage.folder / "state.db", changes.notify)):
            if at_once:
                moment.arm(self.slack.faults)
                if await self._comes_before(self.ready(life), moment, feed):
                    return
            else:
                await self.ready(life)
                if tired:
                    await self.answered()
                while not feed.empty():
                    feed.get_nowait()
                moment.arm(self.slack.faults)
            for _ in range(self.chance.choice((1, 1, 2))):
                await self.ask()
            skip = self.chance.randrange(moment.times)
            try:
                await asyncio.wait_for(reached(moment, feed, skip), _MOMENT_S)
            except TimeoutError:
                self.missed += 1
        await self._a_little_later(moment)

    async def _comes_before(self, other: Coroutine[Any, Any, None], moment: Moment, feed: Feed) -> bool:
        """Whether the moment came while the other thing was awaited; then the other thing is given up."""
        coming = asyncio.create_task(reached(moment, feed, 0))
        awaited = asyncio.create_task(other)
        await asyncio.wait({coming, awaited}, return_when=asyncio.FIRST_COMPLETED)
        late = awaited if coming.done() else coming
        late.cancel()
        await asyncio.gather(late, return_exceptions=True)
        if late is awaited:
            await self._a_little_later(moment)
            return True
        await awaited
        return False

    async def _a_little_later(self, moment: Moment) -> None:
        await asyncio.sleep(self.chance.random() ** 2 * moment.spread_s)

    def _usual_start(self) -> float:
        return self.starts_s[-1] if self.starts_s else 3.0

    async def begin(self) -> Life:
        """Starts the next life; it is not ready yet."""
        self.model.life += 1
        return await Life.begin(self.stage)

    async def ready(self, life: Life) -> None:
        """Until a life is ready; what Slack held back for its minute comes now."""
        await life.ready()
        assert life.start_s is not None
        self.starts_s.append(life.start_s)
        self.slack.hurry_retries()

    async def kill(self, life: Life) -> None:
        """Kills a life; what was on its way to Slack arrives now."""
        await life.kill()
        self.slack.faults.clear()
        self.errors += life.complaints()
        for asked in self.open():
            asked.deaths += 1

    async def _last_life(self) -> None:
        life = await self.begin()
        await self.ready(life)
        await self.finish(life)

    async def finish(self, life: Life) -> None:
        """Lets it answer everything, and ends it in good order."""
        await self.answered()
        self.recovery_s = time.monotonic() - life.born
        code = await life.end()
        assert code == 0, f"it ended with {code}: {''.join(life.said[-60:])}"
        self.errors += life.complaints()

    async def answered(self) -> None:
        """Until every question has all parts of its answer."""
        await self.slack.wait_for(lambda: not self.open(), _ANSWERS_S)

    async def ask(self) -> None:
        """A question in a channel, or in the thread of an earlier one."""
        number = len(self.asked) + 1
        earlier = [asked for asked in self.asked if asked.deaths < 2][-6:]
        follow_up = self.chance.choice(earlier) if earlier and self.chance.random() < 0.25 else None
        channel = follow_up.channel if follow_up else self.chance.choice(CHANNELS)
        thread = follow_up.thread if follow_up else None
        words = f"question {number}, please"
        ts = await self.slack.ask(channel, self.chance.choice(PEOPLE), words, thread_ts=thread)
        self.asked.append(Asked(number, channel, thread or ts))

    def open(self) -> list[Asked]:
        """Questions that lack a part of their answer. In a thread the questions are answered one after the other."""
        found, counts = list[Asked](), Counter[str]()
        for asked in self.asked:
            counts[asked.thread] += 1
            if len(self.slack.answers(asked.channel, asked.thread)) < counts[asked.thread] * PARTS:
                found.append(asked)
        return found


@contextmanager
def running(work: Coroutine[Any, Any, None]) -> Iterator[None]:
    """Keeps a task for as long as the block runs."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()


@asynccontextmanager
async def drill_at(folder: Path, seed: int) -> AsyncGenerator[Drill]:
    """A drill with a Slack of its own and an empty state in `folder`; the same seed makes the same choices."""
    chance = random.Random(seed)
    world = demo_world()
    for channel in CHANNELS:
        world.channels.append(Channel(channel, channel.lower(), [*PEOPLE, world.apps[0].bot_user]))
    # An event is retried for as long as it takes; the real Slack gives up after an hour.
    async with LocalSlack(world, retry_delays=(0.0, *(60.0,) * 100)) as slack:
        model = Model(chance, slack.workspace.changes.notify)
        async with model.serving():
            stage = Stage(slack, folder, write_workspace(folder), model)
            yield Drill(stage, model, chance)
