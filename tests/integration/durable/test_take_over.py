"""Turns of an executor that is gone go on elsewhere; those of the living are left to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from runtime.durable import Steps
from runtime.evidence import Json
from tests.integration.durable.conftest import House


class Turns:
    """Turns that hang until the first process is gone, then end; each keeps one step."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.worked: list[str] = []
        self.hang = True
        self.entered, self.ended = asyncio.Event(), asyncio.Event()

    async def __call__(self, steps: Steps, turn_id: str) -> None:
        async def work() -> Json:
            self.worked.append(turn_id)
            return None

        await steps.step("work", work)
        self.entered.set()
        if self.hang:
            await asyncio.Event().wait()
        await self.house.state.inbox.finish(turn_id)
        self.ended.set()


@pytest.fixture
async def left(house: House) -> AsyncIterator[tuple[House, Turns, str]]:
    """A turn of the executor `old`, one step in, whose process went away."""
    turns = Turns(house)
    runner = await house.start(turns, executor="old")
    turn_id = await house.accept("Ev1")
    await runner.enqueue(turn_id, "T:C:1")
    await asyncio.wait_for(turns.entered.wait(), 60)
    await house.stop()
    turns.hang = False
    yield house, turns, turn_id


async def test_the_turns_of_the_living_are_left_to_them(left):
    house, turns, turn_id = left
    runner = await house.start(turns, executor="new", recover=False)
    assert await runner.recover(house.state.inbox, {"old", "new"}) == 1
    standing = await runner._launched.standings([f"turn:{turn_id}"])
    assert [(each.stage, each.executor_id) for each in standing.values()] == [("running", "old")]
    # A process that dies while this one serves.
    await runner.recover(house.state.inbox, {"new"})
    await asyncio.wait_for(turns.ended.wait(), 60)
    await house.stop(grace_s=60)
    assert turns.worked == [turn_id]  # the step that was finished isn't repeated
    assert house.dead == []


async def test_taking_over_again_repeats_nothing(left):
    house, turns, turn_id = left
    runner = await house.start(turns, executor="new", recover=False)
    await runner.recover(house.state.inbox, {"new"})
    await runner.take_over({"old", "new"})
    await asyncio.wait_for(turns.ended.wait(), 60)
    await runner.recover(house.state.inbox, {"new"})
    await runner.take_over({"old"})
    await house.stop(grace_s=60)
    assert turns.worked == [turn_id]
    assert house.dead == []


async def test_work_that_the_gone_took_in_its_last_moment_is_put_back(left):
    house, turns, turn_id = left
    runner = await house.start(turns, executor="new", recover=False)
    await runner.recover(house.state.inbox, {"old", "new"})
    await runner.take_over({"old"})
    await asyncio.wait_for(turns.ended.wait(), 60)
    await house.stop(grace_s=60)
    assert turns.worked == [turn_id]


async def test_a_turn_that_another_process_is_at_cannot_be_stopped_here(left):
    house, turns, turn_id = left
    runner = await house.start(turns, executor="new", recover=False)
    found = await runner.cancel(turn_id)
    assert found == ("running" if house.url.startswith("sqlite") else "elsewhere")
    await runner.recover(house.state.inbox, {"new"})
    if found == "elsewhere":
        await asyncio.wait_for(turns.ended.wait(), 60)
    else:  # nobody else can be at it: it is stopped as its first act
        await asyncio.wait_for(house.died.wait(), 60)
    await house.stop(grace_s=60)
