"""Drains the outbox: parts in order, one attempt at a time, and a look before any posting is made a second time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from weakref import WeakValueDictionary

from runtime.clock import Clock
from runtime.deliveries.sender import CannotTell, InDoubt, Later, NotThere, Refused, Sender, SendOutcome, Sent
from runtime.state import Deliveries, Delivery

# How long one attempt may take before another replica may look into it: a sender's own deadlines must be shorter.
# (SQLite's single process drops what a dead one held when it opens the state.)
LEASE_S = 60.0
# A posting that another replica is at is looked at again so soon: what stands behind it waits for no lease to end.
BESIDE_S = 1.0
# A posting may show up in the receiver's history late: an attempt younger than this is not looked for yet. A guess.
SETTLE_S = 2.0
# One drain goes on for so many attempts at a posting, and waits so long in all when it is asked to; then it leaves the
# posting to the next drain. Nothing is given up for lack of luck.
MAX_ATTEMPTS = 10
PATIENCE_S = 300.0
# While the receiver is away its postings are tried again after pauses that double up to the longest one, for a day;
# then they are left to the next start. A guess: longer outages end with somebody looking.
FIRST_PAUSE_S, LONGEST_PAUSE_S, OUTAGE_S = 1.0, 30.0, 86_400.0


@dataclass(frozen=True, slots=True)
class Drained:
    """How a source's postings stand after a drain. `waiting` are those for a later drain, or behind a posting that
    is not sent; `busy` those in doubt that could not be looked for yet: another replica kept sending them for longer
    than this one has patience, or the receiver could not be asked."""

    sent: tuple[Delivery, ...] = ()
    failed: tuple[Delivery, ...] = ()
    unknown: tuple[Delivery, ...] = ()
    waiting: tuple[Delivery, ...] = ()
    busy: tuple[Delivery, ...] = ()

    @property
    def complete(self) -> bool:
        """True when every posting is where it belongs."""
        return not (self.failed or self.unknown or self.waiting or self.busy)

    @property
    def unfinished(self) -> bool:
        """True when another drain may bring a posting further: one is left that no posting of unknown fate holds
        back."""
        held = {delivery.dest for delivery in self.unknown}
        return any(delivery.dest not in held for delivery in (*self.waiting, *self.busy))


class Outbox:
    """The logic over the deliveries table. Within a destination, part n+1 is tried only after part n is sent; a posting
    that is refused takes those behind it along (`failed`); one of unknown fate holds them back (`waiting`) until a
    person has looked. Destinations are independent of each other."""

    def __init__(
        self,
        deliveries: Deliveries,
        *,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        lease_s: float = LEASE_S,
        settle_s: float = SETTLE_S,
        max_attempts: int = MAX_ATTEMPTS,
        patience_s: float = PATIENCE_S,
        outage_s: float = OUTAGE_S,
    ) -> None:
        self._deliveries = deliveries
        self._clock = clock
        self._sleep = sleep
        self._lease = timedelta(seconds=lease_s)
        self._settle_s = settle_s
        self._max_attempts = max_attempts
        self._patience_s = patience_s
        self._outage_s = outage_s
        # Drains of one destination inside this process take turns: a lease is no answer to a slow neighbour.
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def deliver(self, source: str, sender: Sender) -> Drained:
        """Drains until nothing is left that another drain could bring further, so that an outage of the receiver
        delays postings and loses none; after `outage_s` seconds the result is `unfinished`. Raises as `drain` does."""
        pause_s, waited_s = FIRST_PAUSE_S, 0.0
        while (drained := await self.drain(source, sender)).unfinished and waited_s < self._outage_s:
            await self._sleep(pause_s)
            waited_s += pause_s
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
        return drained

    async def drain(self, source: str, sender: Sender) -> Drained:
        """Sends whatever of `source` is not sent yet; safe to repeat and to interrupt anywhere. Raises what the sender
        raises, after the other destinations are done: the posting then stays in doubt, and the next drain looks first.
        """
        rows = await self._deliveries.of_source(source)
        lanes = [list(lane) for _, lane in groupby(rows, key=lambda row: row.dest)]
        results = await asyncio.gather(*(self._in_turn(lane, sender) for lane in lanes), return_exceptions=True)
        settled: list[Delivery] = []
        for result in results:
            if isinstance(result, BaseException):
                raise result
            settled += result
        return _summary(settled)

    async def _in_turn(self, lane: list[Delivery], sender: Sender) -> list[Delivery]:
        """One drain of a destination after the other, and each destination whatever holds up another."""
        source, dest = lane[0].source, lane[0].dest
        turn = self._turns.setdefault((source, dest), asyncio.Lock())
        # What was read before the drain in front had ended tells nothing of how that ended.
        stale = turn.locked() or any(delivery.state == "sending" for delivery in lane)
        async with turn:
            if stale:
                lane = [delivery for delivery in await self._deliveries.of_source(source) if delivery.dest == dest]
            return await self._drain_lane(lane, sender)

    async def _drain_lane(self, lane: list[Delivery], sender: Sender) -> list[Delivery]:
        done: list[Delivery] = []
        failed: Delivery | None = None
        for delivery in lane:
            if failed is not None and delivery.state == "todo":
                reason = f"part {failed.part_no} before it was not posted"
                done.append(await self._deliveries.mark_failed(delivery, reason) or delivery)
                continue
            held_back = bool(done) and done[-1].state != "sent"
            settled = delivery if held_back else await self._settle(delivery, sender)
            if settled.state == "failed":
                failed = settled
            done.append(settled)
        return done

    async def _settle(self, delivery: Delivery, sender: Sender) -> Delivery:
        """Works on one posting until it is sent, failed, unknown, or somebody else's."""
        patience_s = self._patience_s
        while delivery.state == "sending":
            leased_s = self._leased_s(delivery)
            if leased_s <= 0:
                delivery = await self._look(delivery, sender)
                break
            pause_s = min(leased_s, BESIDE_S)
            patience_s -= pause_s
            if patience_s < 0:
                return delivery
            await self._sleep(pause_s)
            delivery = await self._fresh(delivery)
        for _ in range(self._max_attempts):
            if delivery.state != "todo":
                break
            held = await self._claim(delivery)
            if held is None:
                return await self._fresh(delivery)
            outcome, delivery = await self._attempt(held, sender)
            if isinstance(outcome, Later):
                patience_s -= outcome.seconds
                if patience_s < 0:
                    break
                await self._sleep(outcome.seconds)
        return delivery

    async def _claim(self, delivery: Delivery) -> Delivery | None:
        """A claim is made even when whoever waits for it is cancelled; then it is given back, as nothing was sent."""
        claiming = asyncio.ensure_future(self._deliveries.claim(delivery, self._lease))
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            if (held := await claiming) is not None:
                await asyncio.shield(self._deliveries.release(held))
            raise

    async def _attempt(self, held: Delivery, sender: Sender) -> tuple[SendOutcome, Delivery]:
        try:
            outcome = await sender.send(held)
            return outcome, await self._record(held, outcome, sender)
        except BaseException:
            # Even a cancelled request may have arrived. Without its lease the next drain need not wait to look.
            await asyncio.shield(self._deliveries.abandon(held))
            raise

    async def _record(self, held: Delivery, outcome: SendOutcome, sender: Sender) -> Delivery:
        match outcome:
            case Sent(remote_id):
                moved = await self._deliveries.mark_sent(held, remote_id)
            case Refused(reason):
                moved = await self._deliveries.mark_failed(held, reason)
            case Later():
                moved = await self._deliveries.release(held)
            case InDoubt():
                return await self._look(held, sender)
        return moved or await self._fresh(held)

    async def _look(self, held: Delivery, sender: Sender) -> Delivery:
        """A posting in doubt: found → sent; surely absent → free to send again; the receiver is away → still in doubt;
        else unknown, never sent blindly."""
        if held.kind == "update":
            # Repeating an update changes nothing, so there is nothing to look for.
            return await self._deliveries.release(held) or await self._fresh(held)
        if held.claimed_at is not None:
            age = (self._clock.now() - held.claimed_at).total_seconds()
            if age < self._settle_s:
                await self._sleep(self._settle_s - max(age, 0.0))
        match await sender.probe(held):
            case Sent(remote_id):
                moved = await self._deliveries.mark_sent(held, remote_id)
            case NotThere():
                moved = await self._deliveries.release(held)
            case CannotTell(reason):
                moved = await self._deliveries.mark_unknown(held, reason)
            case Later():
                moved = await self._deliveries.abandon(held)
        return moved or await self._fresh(held)

    def _leased_s(self, delivery: Delivery) -> float:
        """Seconds for which somebody else may still be at it."""
        return 0.0 if delivery.lease_until is None else (delivery.lease_until - self._clock.now()).total_seconds()

    async def _fresh(self, delivery: Delivery) -> Delivery:
        """The posting as whoever won the race left it."""
        rows = await self._deliveries.of_source(delivery.source)
        return next(row for row in rows if row.id == delivery.id)


def _summary(rows: list[Delivery]) -> Drained:
    def those(state: str) -> tuple[Delivery, ...]:
        return tuple(row for row in rows if row.state == state)

    return Drained(those("sent"), those("failed"), those("unknown"), those("todo"), those("sending"))
