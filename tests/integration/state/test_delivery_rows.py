"""Postings move only from where their mover saw them: of two movers one wins."""

import asyncio
from datetime import timedelta

from runtime.state import NewDelivery, State
from tests.integration.state.doubles import SteppingClock

LEASE = timedelta(seconds=60)


async def enqueue(state: State, *parts: int, source: str = "t1", dest: str = "C/1"):
    await state.deliveries.enqueue([NewDelivery(source, dest, n, "message", {"n": n}) for n in parts])
    return await state.deliveries.of_source(source)


async def test_a_posting_is_enqueued_once_by_name_and_keeps_its_token(state: State):
    (first,) = await enqueue(state, 0)
    (again,) = await enqueue(state, 0)
    assert again == first and first.state == "todo" and len(first.client_token) == 36
    both = await enqueue(state, 0, 1)
    assert both[0] == first and both[1].client_token != first.client_token


async def test_of_many_claims_one_wins(state: State):
    (row,) = await enqueue(state, 0)
    claims = await asyncio.gather(*(state.deliveries.claim(row, LEASE) for _ in range(6)))
    (held,) = [claim for claim in claims if claim]
    assert (held.state, held.attempt, held.client_token) == ("sending", 1, row.client_token)


async def test_a_late_mover_changes_nothing(state: State, clock: SteppingClock):
    (row,) = await enqueue(state, 0)
    stale = await state.deliveries.claim(row, LEASE)
    released = await state.deliveries.release(stale)
    held = await state.deliveries.claim(released, LEASE)
    assert held.attempt == 2 and held.claimed_at == clock.now() and held.lease_until == clock.now() + LEASE
    assert await state.deliveries.mark_failed(stale, "too late") is None
    sent = await state.deliveries.mark_sent(held, "171.5")
    assert (sent.state, sent.remote_id, sent.lease_until) == ("sent", "171.5", None)
    assert await state.deliveries.mark_unknown(held, "") is None


async def test_progress_is_kept_between_a_senders_stages(state: State):
    (row,) = await enqueue(state, 0)
    held = await state.deliveries.claim(row, LEASE)
    await state.deliveries.note(held, {"file_id": "F1"})
    (found,) = await state.deliveries.of_source("t1")
    assert found.progress == {"file_id": "F1"}


async def test_open_sources_and_counts(state: State, clock: SteppingClock):
    for source in ("t2", "t1", "t3"):
        await enqueue(state, 0, 1, source=source)
        clock.advance(1)
    for row in await state.deliveries.of_source("t3"):
        await state.deliveries.mark_sent(await state.deliveries.claim(row, LEASE), "1")
    await state.deliveries.claim((await state.deliveries.of_source("t1"))[0], LEASE)
    assert await state.deliveries.open_sources() == ["t2", "t1"]
    assert await state.deliveries.counts() == {"todo": 3, "sending": 1, "sent": 2}
