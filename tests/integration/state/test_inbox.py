"""A message becomes one turn, however often, late or doubled it is delivered."""

import asyncio
from datetime import timedelta

from runtime.state import Accepted, Duplicate, State
from tests.integration.state.doubles import SteppingClock


async def accept(state: State, event: str, message: str | None, conversation: str = "T:C:1"):
    return await state.inbox.accept(event, message, conversation, "mention", {"text": f"of {event}"})


async def test_a_message_is_accepted_once_by_envelope_and_by_identity(state: State):
    first = await accept(state, "Ev1", "T:C:1.0")
    assert isinstance(first, Accepted)
    assert await accept(state, "Ev1", "T:C:1.0") == Duplicate(first.turn_id)
    assert await accept(state, "Ev2", "T:C:1.0") == Duplicate(first.turn_id)
    assert await accept(state, "Ev1", "T:C:9.9") == Duplicate(first.turn_id)
    other = await accept(state, "Ev3", "T:C:2.0")
    assert isinstance(other, Accepted) and other.turn_id != first.turn_id


async def test_messages_without_an_identity_are_told_apart_by_envelope(state: State):
    assert isinstance(await accept(state, "Ev1", None), Accepted)
    assert isinstance(await accept(state, "Ev2", None), Accepted)
    assert isinstance(await accept(state, "Ev2", None), Duplicate)


async def test_deliveries_at_the_same_moment_make_one_turn(state: State):
    results = await asyncio.gather(*(accept(state, f"Ev{n % 3}", "T:C:1.0") for n in range(12)))
    assert len({result.turn_id for result in results}) == 1
    assert sum(isinstance(result, Accepted) for result in results) == 1


async def test_what_people_wrote_comes_back_unchanged(state: State):
    text = "NUL \x00, half a pair \ud83d, emoji 🦊, " + "x" * 40_000
    accepted = await state.inbox.accept("Ev1", None, "T:C:1", "mention", {"text": text, "n": [1, 2.5, None]})
    item = await state.inbox.get(accepted.turn_id)
    assert item is not None and item.body == {"text": text, "n": [1, 2.5, None]}
    assert await state.inbox.get("no such turn") is None


async def test_pending_lists_what_has_not_ended_oldest_first(state: State, clock: SteppingClock):
    turns = []
    for n in range(4):
        turns.append((await accept(state, f"Ev{n}", f"T:C:{n}")).turn_id)
        clock.advance(1)
    await state.inbox.start(turns[0])
    await state.inbox.finish(turns[1])
    await state.inbox.finish(turns[2], "failed")
    pending = await state.inbox.pending()
    assert [(item.turn_id, item.state) for item in pending] == [(turns[0], "started"), (turns[3], "new")]


async def test_the_first_end_of_a_message_stands(state: State):
    turn = (await accept(state, "Ev1", None)).turn_id
    await state.inbox.finish(turn)
    await state.inbox.finish(turn, "failed")
    await state.inbox.start(turn)
    item = await state.inbox.get(turn)
    assert item is not None and item.state == "done"


async def test_a_click_acts_once(state: State):
    answers = await asyncio.gather(*(state.inbox.first_time("action:1.0:U1:retry") for _ in range(5)))
    assert sorted(answers) == [False, False, False, False, True]
    assert await state.inbox.first_time("action:1.0:U2:retry")


async def test_retention_drops_bodies_then_keys_of_ended_messages_only(state: State, clock: SteppingClock):
    ended, open_ = (await accept(state, "Ev1", None)).turn_id, (await accept(state, "Ev2", None)).turn_id
    await state.inbox.finish(ended)
    await state.inbox.first_time("click")
    clock.advance(3600)
    now, never = clock.now(), clock.now() - timedelta(days=30)
    assert await state.inbox.forget(bodies_before=now, keys_before=never) == 1
    assert await state.inbox.forget(bodies_before=now, keys_before=never) == 0
    assert (await state.inbox.get(ended)).body is None
    assert (await state.inbox.get(open_)).body == {"text": "of Ev2"}
    assert isinstance(await accept(state, "Ev1", None), Duplicate)
    assert await state.inbox.forget(bodies_before=now, keys_before=now) == 2
    assert isinstance(await accept(state, "Ev1", None), Accepted)
    assert await state.inbox.first_time("click")


async def test_which_keys_were_seen(state: State):
    await state.inbox.first_time("stop:1")
    assert await state.inbox.seen(["stop:1", "stop:2"]) == {"stop:1"}
    assert await state.inbox.seen([]) == set()


async def test_a_retracted_message_loses_its_words_and_stays_open_and_an_ended_one_is_left_alone(state: State):
    kept = [await state.inbox.accept(f"Ev{n}", None, "T:C:1", "question", {"text": f"words {n}"}) for n in range(3)]
    turns = [each.turn_id for each in kept]
    await state.inbox.finish(turns[2])
    await state.inbox.retract([turns[0], turns[2]])
    bodies = [(await state.inbox.get(turn)).body for turn in turns]
    assert bodies == [None, {"text": "words 1"}, {"text": "words 2"}]
    assert [item.turn_id for item in await state.inbox.pending()] == turns[:2]


async def test_an_amended_message_changes_while_it_is_open_and_has_its_words(state: State):
    kept = [
        await state.inbox.accept(f"Ev{n}", None, "T:C:2" if n == 4 else "T:C:1", "question", {"n": n}) for n in range(5)
    ]
    turns = [each.turn_id for each in kept]
    await state.inbox.start(turns[1])
    await state.inbox.finish(turns[2])
    await state.inbox.retract([turns[3]])
    await state.inbox.amend("T:C:1", lambda body: {**body, "more": True} if body["n"] else None)
    bodies = [(await state.inbox.get(turn)).body for turn in turns]
    assert bodies == [{"n": 0}, {"n": 1, "more": True}, {"n": 2}, None, {"n": 4}]
