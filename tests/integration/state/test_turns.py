"""A turn begins once, ends once, and its postings are there exactly when its end is."""

import asyncio

import pytest

from runtime.state import NewDelivery, State, TurnEnd, TurnStart
from tests.integration.state.doubles import SteppingClock


def start(turn_id: str, conversation: str = "T:C:1", question: str = "how many?") -> TurnStart:
    return TurnStart(turn_id, conversation, "U1", question, "offline", "policy1", "workspace1")


def posting(turn_id: str, part: int = 0) -> NewDelivery:
    return NewDelivery(turn_id, "C/1", part, "message", {"text": f"part {part}"})


async def test_a_resumed_turn_finds_its_first_beginning(state: State, clock: SteppingClock):
    first = await state.turns.begin(start("t1", question="NUL \x00 \udc00"))
    clock.advance(60)
    again = await state.turns.begin(start("t1", question="something else"))
    assert again == first and again.start.question == "NUL \x00 \udc00" and again.end is None
    assert await state.turns.get("t1") == first
    assert await state.turns.get("t2") is None


async def test_the_first_end_stands_with_its_postings(state: State, clock: SteppingClock):
    await state.turns.begin(start("t1"))
    clock.advance(2)
    end = TurnEnd("answered", "42 [E1]", ({"id": "E1", "title": "count"},), {"usd": 0.1}, {"found": 1})
    finished = await state.turns.finish("t1", end, deliveries=[posting("t1", 0), posting("t1", 1)])
    assert finished.end == end and finished.finished_at == clock.now()
    again = await state.turns.finish("t1", TurnEnd("failed", "no"), deliveries=[posting("t1", 2)])
    assert again == finished
    assert [row.part_no for row in await state.deliveries.of_source("t1")] == [0, 1]
    assert (await state.turns.begin(start("t1"))).end == end


async def test_ends_at_the_same_moment_leave_one(state: State):
    await state.turns.begin(start("t1"))
    ends = [TurnEnd("answered", f"answer {n}") for n in range(6)]
    stood = await asyncio.gather(*(state.turns.finish("t1", end, deliveries=[posting("t1")]) for end in ends))
    assert len({turn.end.answer for turn in stood}) == 1
    assert len(await state.deliveries.of_source("t1")) == 1


async def test_a_wrong_end_is_refused_and_writes_nothing(state: State):
    await state.turns.begin(start("t1"))
    with pytest.raises(ValueError):
        await state.turns.finish("t1", TurnEnd("running", ""))
    with pytest.raises(ValueError):
        await state.turns.finish("unknown", TurnEnd("answered", ""), deliveries=[posting("unknown")])
    assert await state.deliveries.of_source("unknown") == []


async def test_history_is_the_last_ended_turns_of_the_conversation_oldest_first(state: State, clock: SteppingClock):
    for n in range(5):
        await state.turns.begin(start(f"t{n}"))
        await state.turns.finish(f"t{n}", TurnEnd("answered", f"answer {n}"))
        clock.advance(1)
    await state.turns.begin(start("running"))
    await state.turns.begin(start("elsewhere", conversation="T:C:2"))
    await state.turns.finish("elsewhere", TurnEnd("answered", ""))
    history = await state.turns.history("T:C:1", 3)
    assert [turn.start.turn_id for turn in history] == ["t2", "t3", "t4"]
    assert await state.turns.history("nobody", 3) == []
