"""Every posting arrives once and in order, or is reported; nothing is posted a second time blindly."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.deliveries import Drained, Outbox
from runtime.state import NewDelivery, State, open_state
from tests.integration.state.doubles import Counter, SteppingClock
from tests.unit.deliveries.receiver import Cut, Killed, Life, Receiver


class Bench:
    """A state in memory, a clock that sleeping moves, and an outbox over them."""

    def __init__(self) -> None:
        self.clock = SteppingClock()
        self.state: State = open_state("sqlite://", clock=self.clock, new_id=Counter())
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.advance(seconds)

    def outbox(self, life: Life | None = None, **options: Any) -> Outbox:
        deliveries = life.over(self.state.deliveries) if life else self.state.deliveries
        return Outbox(deliveries, clock=self.clock, sleep=self.sleep, **options)

    async def enqueue(self, *names: tuple[str, int], kind: str = "message") -> None:
        await self.state.deliveries.enqueue([NewDelivery("t1", dest, part, kind, {}) for dest, part in names])


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.state.close()


PARTS = [("C1", 0), ("C1", 1), ("C1", 2), ("C2", 0), ("C2", 1)]


def in_order(receiver: Receiver) -> bool:
    return all(
        [part for dest, part, _ in receiver.posted if dest == each]
        == sorted(part for dest, part, _ in receiver.posted if dest == each)
        for each in ("C1", "C2")
    )


async def test_parts_go_out_in_order_and_only_once(bench: Bench):
    await bench.enqueue(*PARTS)
    receiver = Receiver()
    drained = await bench.outbox().drain("t1", receiver)
    assert drained.complete and len(drained.sent) == 5 and in_order(receiver)
    assert (await bench.outbox().drain("t1", receiver)).complete
    assert len(receiver.posted) == 5 and receiver.probes == 0
    assert (await bench.outbox().drain("another", receiver)) == Drained()


async def test_a_lost_reply_is_looked_for_and_not_repeated(bench: Bench):
    await bench.enqueue(("C1", 0), ("C1", 1))
    receiver = Receiver(["reply_lost"])
    drained = await bench.outbox().drain("t1", receiver)
    assert drained.complete and [row.remote_id for row in drained.sent] == ["1", "2"]
    assert len(receiver.posted) == 2 and receiver.probes == 1
    assert bench.slept == [2.0]


async def test_a_lost_request_is_repeated_under_the_same_token(bench: Bench):
    await bench.enqueue(("C1", 0))
    (row,) = await bench.state.deliveries.of_source("t1")
    receiver = Receiver(["lost", "lost"])
    drained = await bench.outbox().drain("t1", receiver)
    assert drained.complete and drained.sent[0].attempt == 3
    assert receiver.posted == [("C1", 0, row.client_token)]


async def test_what_cannot_be_looked_for_is_unknown_and_holds_the_rest_back(bench: Bench):
    await bench.enqueue(("C1", 0), ("C1", 1), ("C2", 0))
    receiver = Receiver(["reply_lost"], can_look=False)
    drained = await bench.outbox().drain("t1", receiver)
    assert not drained.complete
    assert [(row.dest, row.reason) for row in drained.unknown] == [("C1", "missing_scope")]
    assert [row.part_no for row in drained.waiting] == [1]
    assert [row.dest for row in drained.sent] == ["C2"]
    again = await bench.outbox().drain("t1", receiver)
    assert again == drained and len(receiver.posted) == 2


async def test_an_update_in_doubt_is_simply_repeated(bench: Bench):
    await bench.enqueue(("C1", 0), kind="update")
    receiver = Receiver(["reply_lost"], can_look=False)
    assert (await bench.outbox().drain("t1", receiver)).complete
    assert len(receiver.posted) == 2 and receiver.probes == 0


async def test_a_refused_part_takes_those_behind_it_along(bench: Bench):
    await bench.enqueue(("C1", 0), ("C1", 1), ("C2", 0))
    drained = await bench.outbox().drain("t1", Receiver(["refused"]))
    assert [row.reason for row in drained.failed] == ["invalid_blocks", "part 0 before it was not posted"]
    assert [row.dest for row in drained.sent] == ["C2"] and not drained.waiting


async def test_it_waits_as_long_as_it_is_asked_to(bench: Bench):
    await bench.enqueue(("C1", 0))
    drained = await bench.outbox().drain("t1", Receiver(["later", "later"]))
    assert drained.complete and bench.slept == [1.5, 1.5]


async def test_beyond_its_patience_a_posting_waits_for_the_next_drain(bench: Bench):
    await bench.enqueue(("C1", 0), ("C1", 1))
    receiver = Receiver(["later"] * 3)
    drained = await bench.outbox(patience_s=4.0).drain("t1", receiver)
    assert len(drained.waiting) == 2 and bench.slept == [1.5, 1.5]
    assert await bench.state.deliveries.open_sources() == ["t1"]
    assert (await bench.outbox().drain("t1", receiver)).complete


@pytest.mark.parametrize("away", [1, 12, 25, 200])
async def test_an_outage_of_any_length_delays_and_loses_nothing(bench: Bench, away: int):
    await bench.enqueue(("C1", 0), ("C1", 1))
    receiver = Receiver(away=away)
    drained = await bench.outbox().deliver("t1", receiver)
    assert drained.complete and len(receiver.posted) == 2 and in_order(receiver)
    assert max(bench.slept) <= 30.0


async def test_an_outage_before_a_look_leaves_the_posting_in_doubt_until_it_is_over(bench: Bench):
    await bench.enqueue(("C1", 0), ("C1", 1))
    receiver = Receiver()
    life = Life(boundary=5)
    with pytest.raises(Killed):
        await bench.outbox(life).drain("t1", life.over(receiver))
    await bench.state._connector.run(bench.state.deliveries.drop_leases)
    receiver.away = 3
    once = await bench.outbox().drain("t1", receiver)
    assert once.unfinished and [row.state for row in once.busy] == ["sending"] and len(once.waiting) == 1
    assert (await bench.outbox().deliver("t1", receiver)).complete
    assert len(receiver.posted) == 2 and receiver.probes == 1


async def test_what_nobody_can_bring_further_is_not_waited_for(bench: Bench):
    await bench.enqueue(("C1", 0), ("C1", 1))
    drained = await bench.outbox().deliver("t1", Receiver(["reply_lost"], can_look=False))
    assert len(drained.unknown) == 1 and len(drained.waiting) == 1 and not drained.unfinished


async def test_an_outage_without_end_is_left_to_the_next_start(bench: Bench):
    await bench.enqueue(("C1", 0))
    drained = await bench.outbox(outage_s=100.0).deliver("t1", Receiver(away=1_000_000))
    assert drained.unfinished and sum(bench.slept) > 100


async def test_a_sender_that_raises_leaves_its_posting_in_doubt(bench: Bench):
    class Broken(Receiver):
        async def send(self, delivery):
            await super().send(delivery)
            raise RuntimeError("a bug after the request")

    await bench.enqueue(("C1", 0), ("C2", 0))
    receiver = Broken()
    with pytest.raises(RuntimeError):
        await bench.outbox().drain("t1", receiver)
    healthy = Receiver()
    healthy.posted = receiver.posted
    assert (await bench.outbox().drain("t1", healthy)).complete
    assert len(healthy.posted) == 2 and healthy.probes == 2


@pytest.mark.parametrize("boundary", range(8))
async def test_a_drain_that_is_cancelled_anywhere_keeps_nothing_waiting(bench: Bench, boundary: int):
    await bench.enqueue(("C1", 0))
    receiver = Receiver()
    cut = Cut(boundary, lambda: drain.cancel())
    drain = asyncio.create_task(bench.outbox(cut).drain("t1", cut.over(receiver)))
    with suppress(asyncio.CancelledError):
        await drain
    assert (await bench.outbox().drain("t1", receiver)).complete
    assert len(receiver.posted) == 1 and bench.slept in ([], [2.0])


async def test_two_drains_at_once_post_once(bench: Bench):
    asked, gate = asyncio.Event(), asyncio.Event()

    class Slow(Receiver):
        async def send(self, delivery):
            asked.set()
            await gate.wait()
            return await super().send(delivery)

    await bench.enqueue(("C1", 0))
    receiver = Slow()
    outbox = bench.outbox()
    first = asyncio.create_task(outbox.drain("t1", receiver))
    await asked.wait()
    second = asyncio.create_task(outbox.drain("t1", receiver))
    gate.set()
    assert (await first).complete and (await second).complete
    assert len(receiver.posted) == 1 and receiver.probes == 0


async def test_a_destination_whose_attempt_somebody_else_holds_keeps_no_other_one_waiting(bench: Bench):
    posted = asyncio.Event()

    class Seen(Receiver):
        async def send(self, delivery):
            posted.set()
            return await super().send(delivery)

    await bench.enqueue(("C1", 0))
    receiver, life = Seen(), Life(boundary=4)
    with pytest.raises(Killed):
        await bench.outbox(life).drain("t1", life.over(receiver))
    asleep, woken = asyncio.Event(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        asleep.set()
        await woken.wait()
        bench.clock.advance(seconds)

    outbox = Outbox(bench.state.deliveries, clock=bench.clock, sleep=sleep)
    first = asyncio.create_task(outbox.drain("t1", receiver))
    await asleep.wait()
    await bench.enqueue(("C2", 0))
    second = asyncio.create_task(outbox.drain("t1", receiver))
    await posted.wait()
    woken.set()
    assert (await first).complete and (await second).complete
    assert [dest for dest, _, _ in receiver.posted] == ["C2", "C1"]


async def test_what_another_replica_sends_holds_up_what_is_behind_it_no_longer_than_that_takes(bench: Bench):
    await bench.enqueue(("C1", 0), ("C1", 1))
    first, _ = await bench.state.deliveries.of_source("t1")
    held = await bench.state.deliveries.claim(first, timedelta(seconds=60))
    assert held is not None

    async def sleep(seconds: float) -> None:
        await bench.sleep(seconds)
        await bench.state.deliveries.mark_sent(held, "1.1")

    receiver = Receiver()
    drained = await Outbox(bench.state.deliveries, clock=bench.clock, sleep=sleep).drain("t1", receiver)
    assert drained.complete and [part for _, part, _ in receiver.posted] == [1] and bench.slept == [1.0]


async def test_an_attempt_whose_lease_ran_out_is_looked_into_by_another(bench: Bench):
    await bench.enqueue(("C1", 0))
    (row,) = await bench.state.deliveries.of_source("t1")
    receiver = Receiver()
    life = Life(boundary=4)
    with pytest.raises(Killed):
        await bench.outbox(life).drain("t1", life.over(receiver))
    impatient = await bench.outbox(patience_s=10).drain("t1", receiver)
    assert len(impatient.busy) == 1 and not impatient.complete and sum(bench.slept) == 10
    assert (await bench.outbox().drain("t1", receiver)).complete
    assert sum(bench.slept) == 60 and len(receiver.posted) == 1 and receiver.posted[0][2] == row.client_token


def run(scenario: Callable[[Bench], Coroutine[Any, Any, None]]) -> None:
    bench = Bench()
    try:
        asyncio.run(scenario(bench))
    finally:
        bench.state.close()


faults = st.lists(st.sampled_from(["ok", "ok", "lost", "reply_lost", "later"]), max_size=12)


@settings(max_examples=40, deadline=None)
@given(lives=st.lists(st.integers(0, 25), max_size=6), faults=faults, away=st.integers(0, 30))
def test_killed_anywhere_nothing_is_lost_and_nothing_doubled(lives: list[int], faults: list[str], away: int):
    async def scenario(bench: Bench) -> None:
        await bench.enqueue(*PARTS)
        receiver = Receiver(faults)
        for boundary in lives:
            life = Life(boundary)
            with suppress(Killed):
                await bench.outbox(life).drain("t1", life.over(receiver))
            await bench.state._connector.run(bench.state.deliveries.drop_leases)
        receiver.away = away
        assert (await bench.outbox().deliver("t1", receiver)).complete
        assert sorted(posted[:2] for posted in receiver.posted) == PARTS
        assert receiver.doubled() == [] and in_order(receiver)

    run(scenario)


@settings(max_examples=25, deadline=None)
@given(lives=st.lists(st.integers(0, 25), max_size=4), faults=faults)
def test_where_nobody_can_look_nothing_is_doubled_and_what_may_be_lost_is_reported(lives: list[int], faults: list[str]):
    async def scenario(bench: Bench) -> None:
        await bench.enqueue(*PARTS)
        receiver = Receiver(faults, can_look=False)
        for boundary in lives:
            life = Life(boundary)
            with suppress(Killed):
                await bench.outbox(life).drain("t1", life.over(receiver))
            await bench.state._connector.run(bench.state.deliveries.drop_leases)
        drained = await bench.outbox().drain("t1", receiver)
        arrived = {posted[:2] for posted in receiver.posted}
        accounted = {(row.dest, row.part_no) for row in (*drained.unknown, *drained.waiting)}
        assert receiver.doubled() == [] and in_order(receiver)
        assert set(PARTS) - arrived <= accounted
        assert not drained.failed

    run(scenario)
