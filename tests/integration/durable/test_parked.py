"""A turn that waits for a person holds its conversation, but neither a worker slot nor the shutdown."""

import asyncio

from runtime.durable import Steps
from tests.integration.durable.conftest import House


async def test_a_parked_turn_gives_its_worker_slot_to_other_conversations_only(house: House):
    begun: list[str] = []
    parked, answered, done = asyncio.Event(), asyncio.Event(), asyncio.Queue[str]()

    async def turn(steps: Steps, turn_id: str) -> None:
        begun.append(turn_id)
        if turn_id == asks:
            with runner.parked(turn_id):
                parked.set()
                await answered.wait()
        await house.state.inbox.finish(turn_id)
        done.put_nowait(turn_id)

    asks = await house.accept("Ev1", "T:C:1")
    behind = await house.accept("Ev2", "T:C:1")
    beside = [await house.accept(f"Ev{n}", f"T:C:{n}") for n in range(3, 6)]
    runner = await house.start(turn, recover=False, concurrency=1)
    await runner.enqueue(asks, "T:C:1")
    await asyncio.wait_for(parked.wait(), 60)
    await runner.enqueue(behind, "T:C:1")
    for number, turn_id in enumerate(beside, 3):
        await runner.enqueue(turn_id, f"T:C:{number}")
    ended = [await asyncio.wait_for(done.get(), 60) for _ in beside]
    assert sorted(ended) == sorted(beside) and behind not in begun
    answered.set()
    assert [await asyncio.wait_for(done.get(), 60) for _ in range(2)] == [asks, behind]


async def test_a_shutdown_does_not_wait_for_people(house: House):
    parked = asyncio.Event()

    async def turn(steps: Steps, turn_id: str) -> None:
        with runner.parked(turn_id):
            parked.set()
            await asyncio.Event().wait()

    runner = await house.start(turn)
    asks = await house.accept("Ev1", "T:C:1")
    await runner.enqueue(asks, "T:C:1")
    await asyncio.wait_for(parked.wait(), 60)
    # With a grace of an hour only the interruption can end it before the test does.
    await asyncio.wait_for(house.stop(3600), 60)
    assert [item.turn_id for item in await house.state.inbox.pending()] == [asks]
