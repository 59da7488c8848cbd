"""Turns run once, one at a time in a conversation, survive interruption, and never end in silence."""

import asyncio
import logging
from collections import Counter

import pytest

from runtime.durable import DirectSteps, StepFailed, Steps
from tests.integration.durable.conftest import House


class Recorder:
    """A turn body that notes what ran and waits where it is told to."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.begun: Counter[str] = Counter()
        self.work: Counter[tuple[str, str]] = Counter()
        self.results: dict[str, list[object]] = {}
        self.active: set[str] = set()
        self.most_active = 0
        self.entered: asyncio.Event = asyncio.Event()
        self.gate: asyncio.Event = asyncio.Event()
        self.done: asyncio.Queue[str] = asyncio.Queue()
        self.wait_in: str | None = None

    async def __call__(self, steps: Steps, turn_id: str) -> None:
        self.begun[turn_id] += 1
        self.active.add(turn_id)
        self.most_active = max(self.most_active, len(self.active))
        try:
            self.results[turn_id] = [await self.step(steps, turn_id, name) for name in ("first", "second", "third")]
        finally:
            self.active.discard(turn_id)
        await self.house.state.inbox.finish(turn_id)
        self.done.put_nowait(turn_id)

    async def step(self, steps: Steps, turn_id: str, name: str) -> object:
        async def work() -> dict[str, object]:
            if name == self.wait_in:
                self.entered.set()
                await self.gate.wait()
            self.work[turn_id, name] += 1
            return {"turn": turn_id, "step": name, "time": self.work[turn_id, name]}

        return await steps.step(name, work)

    async def finished(self, count: int) -> list[str]:
        return [await asyncio.wait_for(self.done.get(), 60) for _ in range(count)]


async def test_a_turn_enqueued_many_times_runs_once(house: House):
    turn = Recorder(house)
    runner = await house.start(turn)
    id = await house.accept("Ev1")
    await asyncio.gather(*(runner.enqueue(id, "T:C:1") for _ in range(5)))
    assert await turn.finished(1) == [id]
    await runner.enqueue(id, "T:C:1")
    other = await house.accept("Ev2")
    await runner.enqueue(other, "T:C:1")
    assert await turn.finished(1) == [other]
    assert turn.begun == {id: 1, other: 1}
    assert [result["step"] for result in turn.results[id]] == ["first", "second", "third"]
    assert await house.state.inbox.pending() == []


async def test_one_turn_at_a_time_in_a_conversation_in_order_and_others_beside_it(house: House):
    turn = Recorder(house)
    turn.wait_in = "second"
    runner = await house.start(turn)
    same = [await house.accept(f"Ev{n}", "T:C:1") for n in range(3)]
    beside = await house.accept("Ev9", "T:C:2")
    for id in same:
        await runner.enqueue(id, "T:C:1")
    await asyncio.wait_for(turn.entered.wait(), 60)
    turn.wait_in = None
    await runner.enqueue(beside, "T:C:2")
    assert await turn.finished(1) == [beside]
    assert turn.begun == {same[0]: 1, beside: 1}
    turn.gate.set()
    assert await turn.finished(3) == same
    assert turn.most_active == 2


async def test_no_more_turns_run_at_once_than_allowed(house: House):
    turn = Recorder(house)
    turn.wait_in = "first"
    runner = await house.start(turn, concurrency=2)
    ids = [await house.accept(f"Ev{n}", f"T:C:{n}") for n in range(5)]
    for id in ids:
        await runner.enqueue(id, f"T:C:{id}")
    await asyncio.wait_for(turn.entered.wait(), 60)
    turn.gate.set()
    assert sorted(await turn.finished(5)) == sorted(ids)
    assert turn.most_active <= 2


async def test_an_interrupted_turn_resumes_without_repeating_finished_steps(house: House):
    turn = Recorder(house)
    turn.wait_in = "third"
    runner = await house.start(turn)
    id = await house.accept("Ev1")
    await runner.enqueue(id, "T:C:1")
    await asyncio.wait_for(turn.entered.wait(), 60)
    await house.stop()
    assert turn.active == set()
    turn.wait_in = None
    await house.start(turn)
    assert await turn.finished(1) == [id]
    assert turn.begun[id] == 2
    assert dict(turn.work) == {(id, "first"): 1, (id, "second"): 1, (id, "third"): 1}
    assert [result["step"] for result in turn.results[id]] == ["first", "second", "third"]
    assert house.dead == []


async def test_closing_lets_running_turns_end_within_the_grace(house: House):
    turn = Recorder(house)
    turn.wait_in = "second"
    runner = await house.start(turn)
    id = await house.accept("Ev1")
    await runner.enqueue(id, "T:C:1")
    await asyncio.wait_for(turn.entered.wait(), 60)
    closing = asyncio.create_task(house.stop(grace_s=60))
    turn.gate.set()
    assert await turn.finished(1) == [id]
    await closing
    assert turn.begun[id] == 1
    # The loop's own threads work again after the engine took its pool away.
    assert await asyncio.to_thread(lambda: 1) == 1


async def test_a_conversation_stays_in_order_across_a_restart(house: House):
    turn = Recorder(house)
    turn.wait_in = "first"
    runner = await house.start(turn)
    ids = [await house.accept(f"Ev{n}", "T:C:1") for n in range(3)]
    for id in ids:
        await runner.enqueue(id, "T:C:1")
    await asyncio.wait_for(turn.entered.wait(), 60)
    await house.stop()
    turn.wait_in = None
    runner = await house.start(turn)
    late = await house.accept("Ev9", "T:C:1")
    await runner.enqueue(late, "T:C:1")
    assert await turn.finished(4) == [*ids, late]
    assert turn.most_active == 1


async def test_what_was_accepted_but_never_enqueued_is_found_at_boot(house: House):
    turn = Recorder(house)
    ids = [await house.accept(f"Ev{n}", f"T:C:{n % 2}") for n in range(4)]
    await house.start(turn)
    assert sorted(await turn.finished(4)) == sorted(ids)
    assert set(turn.begun.values()) == {1}


async def test_turns_of_another_version_begin_anew(house: House):
    turn = Recorder(house)
    turn.wait_in = "second"
    runner = await house.start(turn, version="old")
    id = await house.accept("Ev1")
    await runner.enqueue(id, "T:C:1")
    await asyncio.wait_for(turn.entered.wait(), 60)
    await house.stop()
    turn.wait_in = None
    await house.start(turn, version="new")
    assert await turn.finished(1) == [id]
    assert turn.work[id, "first"] == 2


async def test_a_turn_that_raises_is_given_up_once_and_the_next_one_runs(house: House, caplog):
    ran = Recorder(house)

    async def turn(steps: Steps, turn_id: str) -> None:
        if turn_id == bad:
            raise RuntimeError("a surprise")
        await ran(steps, turn_id)

    runner = await house.start(turn)
    bad, good = await house.accept("Ev1"), await house.accept("Ev2")
    await runner.enqueue(bad, "T:C:1")
    await runner.enqueue(good, "T:C:1")
    assert await ran.finished(1) == [good]
    assert house.dead == [bad]
    assert "a surprise" in caplog.text
    assert await house.state.inbox.pending() == []


async def test_a_turn_that_ended_without_marking_its_message_is_given_up_at_boot(house: House):
    ended = asyncio.Event()

    async def forgetful(steps: Steps, turn_id: str) -> None:
        ended.set()

    runner = await house.start(forgetful)
    id = await house.accept("Ev1")
    await runner.enqueue(id, "T:C:1")
    await asyncio.wait_for(ended.wait(), 60)
    await house.stop(grace_s=60)
    await house.start(forgetful)
    assert house.dead == [id]


async def test_a_poisonous_turn_is_given_up_after_five_resumptions(house: House):
    begun = 0
    entered = asyncio.Event()

    async def poison(steps: Steps, turn_id: str) -> None:
        nonlocal begun
        begun += 1
        entered.set()
        await asyncio.Event().wait()

    runner = await house.start(poison)
    id = await house.accept("Ev1")
    await runner.enqueue(id, "T:C:1")
    for _ in range(6):
        await asyncio.wait_for(entered.wait(), 60)
        assert house.dead == []
        await house.stop()
        entered.clear()
        await house.start(poison)
    await asyncio.wait_for(house.died.wait(), 60)
    assert house.dead == [id] and begun == 6
    assert await house.state.inbox.pending() == []


async def test_a_stop_ends_a_running_turn_on_its_own_terms(house: House):
    entered, said = asyncio.Event(), asyncio.Event()
    notes: list[object] = []

    async def turn(steps: Steps, turn_id: str) -> None:
        async def long() -> None:
            entered.set()
            await asyncio.Event().wait()

        async def last() -> str:
            return "stopped"

        try:
            await steps.step("long", long)
        except asyncio.CancelledError:
            notes.append(steps.stop_requested)
            asyncio.current_task().uncancel()
            notes.append(await steps.step("last words", last))
        await house.state.inbox.finish(turn_id)
        said.set()

    runner = await house.start(turn)
    id = await house.accept("Ev1")
    await runner.enqueue(id, "T:C:1")
    await asyncio.wait_for(entered.wait(), 60)
    assert await runner.cancel(id) == "running"
    await asyncio.wait_for(said.wait(), 60)
    assert notes == [True, "stopped"] and house.dead == []


async def test_a_stop_takes_a_waiting_turn_out_of_the_queue(house: House):
    turn = Recorder(house)
    turn.wait_in = "first"
    runner = await house.start(turn)
    ids = [await house.accept(f"Ev{n}") for n in range(3)]
    for id in ids:
        await runner.enqueue(id, "T:C:1")
    await asyncio.wait_for(turn.entered.wait(), 60)
    assert await runner.cancel(ids[1]) == "waiting"
    turn.gate.set()
    assert await turn.finished(2) == [ids[0], ids[2]]
    assert turn.begun[ids[1]] == 0
    assert await runner.cancel("unknown") == "not_found"
    assert await runner.cancel(ids[1]) == "not_found"


async def test_a_stop_right_after_the_start_is_not_lost(house: House):
    stopped = asyncio.Event()

    async def turn(steps: Steps, turn_id: str) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            assert steps.stop_requested
            asyncio.current_task().uncancel()
        await house.state.inbox.finish(turn_id)
        stopped.set()

    runner = await house.start(turn)
    id = await house.accept("Ev1")
    await runner.enqueue(id, "T:C:1")
    if await runner.cancel(id) == "running":
        await asyncio.wait_for(stopped.wait(), 60)
    else:
        await house.state.inbox.finish(id, "failed")
    assert await house.state.inbox.pending() == [] and house.dead == []


async def test_a_failed_step_fails_the_same_way_when_it_is_replayed(house: House):
    entered = asyncio.Event()
    seen: list[BaseException] = []
    finished = asyncio.Event()
    resumed = False

    async def turn(steps: Steps, turn_id: str) -> None:
        async def fails() -> None:
            raise ValueError("the first failure")

        try:
            await steps.step("fails", fails)
        except (ValueError, StepFailed) as error:
            seen.append(error)
        if not resumed:
            entered.set()
            await asyncio.Event().wait()
        await house.state.inbox.finish(turn_id)
        finished.set()

    runner = await house.start(turn)
    id = await house.accept("Ev1")
    await runner.enqueue(id, "T:C:1")
    await asyncio.wait_for(entered.wait(), 60)
    await house.stop()
    resumed = True
    await house.start(turn)
    await asyncio.wait_for(finished.wait(), 60)
    assert [type(error) for error in seen] == [ValueError, StepFailed]
    assert "the first failure" in str(seen[1])


async def test_starting_says_nothing_of_the_vendors(house: House, capfd, caplog):
    with caplog.at_level(logging.DEBUG):
        await house.start(Recorder(house))
        await house.stop()
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    assert [record.getMessage() for record in caplog.records if record.name == "dbos"] == []


async def test_a_turn_may_enqueue_another(house: House):
    ran = Recorder(house)
    parents: list[str] = []

    async def turn(steps: Steps, turn_id: str) -> None:
        await ran(steps, turn_id)
        if turn_id in parents:
            for n, conversation in enumerate(("T:C:1", "T:C:2")):
                child = await house.accept(f"child {n}", conversation)
                await runner.enqueue(child, conversation)

    runner = await house.start(turn)
    parents.append(await house.accept("Ev1"))
    await runner.enqueue(parents[0], "T:C:1")
    assert len(await ran.finished(3)) == 3
    assert set(ran.begun.values()) == {1}


async def test_a_runner_that_was_not_launched_says_so(house: House):
    runner = await house.start(Recorder(house))
    await house.stop()
    with pytest.raises(RuntimeError, match="launch"):
        await runner.enqueue("t1", "T:C:1")


async def test_direct_steps_run_in_place():
    steps = DirectSteps()

    async def work() -> int:
        return 7

    assert await steps.step("one", work) == 7
    assert steps.names == ["one"] and not steps.stop_requested
