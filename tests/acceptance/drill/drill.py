"""The drill: questions are asked, the bot is killed at chosen moments and started again, until all is answered."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from bot.local import LocalSlack
from bot.local.world import Channel, demo_world
from tests.acceptance.conftest import Stage, write_workspace
from tests.acceptance.drill.asking import PARTS, Model
from tests.acceptance.drill.lives import Life
from tests.acceptance.drill.moments import MOMENTS, STARTING, Moment, reached
from tests.acceptance.drill.remains import Remains, look_into

# Many channels: the bot posts at Slack's pace, about one message a second in each.
CHANNELS = tuple(f"C0DRILL{n}" for n in range(8))
PEOPLE = ("U0ANN", "U0MIA", "U0LEO")
# A turn may be resumed five times before it is given up: no question of the drill is killed more often than this.
_MOST_DEATHS = 4
_MOMENT_S = 30.0
_ANSWERS_S = 180.0


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
    recoveries_s: list[float] = field(default_factory=list)
    remains: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    @property
    def slack(self) -> LocalSlack:
        return self.stage.slack

    async def run(self, kills: int) -> None:
        """Kills the bot so often, then lets it finish and end."""
        order = list[Moment]()
        for _ in range(kills):
            order = order or self.chance.sample(MOMENTS, len(MOMENTS))
            await self._life(order.pop())
        await self._last_life()

    async def _life(self, moment: Moment) -> None:
        if self.chance.random() < 0.3:
            await self._ask()  # while nobody is there
        life = await self._begin()
        try:
            if moment is STARTING:
                with suppress(TimeoutError):
                    await asyncio.wait_for(life.ready(), self.chance.random() * 1.2 * self._usual_start())
            else:
                await self._until(life, moment)
        finally:
            await self._kill(life)
        self.kills[moment.name] += 1
        await self._after_death()

    async def _until(self, life: Life, moment: Moment) -> None:
        """The moment comes while earlier questions are resumed, or with new ones, drawn by lot."""
        at_once = self.chance.random() < 0.3
        with self.slack.workspace.changes.feed() as early:
            rule = moment.arm(self.slack.faults) if at_once else None
            task = asyncio.create_task(reached(moment, early, 0))
            ready = asyncio.create_task(self._ready(life))
            await asyncio.wait({ready, *([task] if at_once else [])}, return_when=asyncio.FIRST_COMPLETED)
            if not ready.done():
                ready.cancel()
            else:
                await ready
            if not at_once:
                task.cancel()
            elif task.done():
                await asyncio.sleep(self._spread(moment))
                return
        await self._with_new_questions(moment, None if rule is None else task)

    async def _with_new_questions(self, moment: Moment, running: asyncio.Task[None] | None) -> None:
        if any(asked.deaths >= _MOST_DEATHS for asked in self._open()):
            await self.answered()
        with self.slack.workspace.changes.feed() as feed:
            if running is None:
                moment.arm(self.slack.faults)
            skip = self.chance.choice((0, 0, 1, 2)) if moment.spread_s and running is None else 0
            for _ in range(self.chance.choice((1, 1, 2))):
                await self._ask()
            try:
                await asyncio.wait_for(reached(moment, feed, skip), _MOMENT_S)
            except TimeoutError:
                self.missed += 1
        await asyncio.sleep(self._spread(moment))

    def _spread(self, moment: Moment) -> float:
        return self.chance.random() ** 2 * moment.spread_s

    def _usual_start(self) -> float:
        return self.starts_s[-1] if self.starts_s else 3.0

    async def _begin(self) -> Life:
        self.model.life += 1
        return await Life.begin(self.stage)

    async def _ready(self, life: Life) -> None:
        await life.ready()
        assert life.start_s is not None
        self.starts_s.append(life.start_s)
        self.slack.hurry_retries()

    async def _kill(self, life: Life) -> None:
        await life.kill()
        self.slack.faults.clear()  # what was on its way arrives now
        self.errors += life.complaints()
        for asked in self._open():
            asked.deaths += 1

    async def _after_death(self) -> None:
        remains: Remains = await asyncio.to_thread(look_into, self.stage.folder)
        self.remains.update(remains.words())

    async def _last_life(self) -> None:
        life = await self._begin()
        left = len(self._open())
        await self._ready(life)
        await self.answered()
        if left:
            self.recoveries_s.append(time.monotonic() - life.born)
        code = await life.end()
        assert code == 0, "".join(life.said[-40:])
        self.errors += life.complaints()

    async def answered(self) -> None:
        """Until every question has all parts of its answer."""
        await self.slack.wait_for(lambda: not self._open(), _ANSWERS_S)

    async def _ask(self) -> None:
        number = len(self.asked) + 1
        earlier = [asked for asked in self.asked if asked.deaths < 2][-6:]
        follow_up = self.chance.choice(earlier) if earlier and self.chance.random() < 0.25 else None
        channel = follow_up.channel if follow_up else self.chance.choice(CHANNELS)
        thread = follow_up.thread if follow_up else None
        words = f"question {number}, please"
        ts = await self.slack.ask(channel, self.chance.choice(PEOPLE), words, thread_ts=thread)
        self.asked.append(Asked(number, channel, thread or ts))

    def _open(self) -> list[Asked]:
        """Questions that lack a part of their answer. In a thread the questions are answered one after the other."""
        found, counts = list[Asked](), Counter[str]()
        for asked in self.asked:
            counts[asked.thread] += 1
            if len(self.slack.answers(asked.channel, asked.thread)) < counts[asked.thread] * PARTS:
                found.append(asked)
        return found


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
