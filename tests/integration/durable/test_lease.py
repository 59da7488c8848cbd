"""A process's lease: renewed from its thread as long as it lives, and its loss found out."""

from __future__ import annotations

import asyncio
import threading

from runtime.durable import Lease
from runtime.errors import StateUnavailable
from runtime.state import Replica
from tests.integration.durable.conftest import House

ME = Replica("A@1", "A")
BEAT_S = 0.01


class Renewals:
    """The replicas table, with each renewal noted; each of `faults` comes instead of one."""

    def __init__(self, house: House, *faults: Exception) -> None:
        self._replicas = house.state.replicas
        self._faults = list(faults)
        self.renewed = threading.Event()
        self.join, self.leave = self._replicas.join, self._replicas.leave

    def renew(self, replica_id: str) -> bool:
        if self._faults:
            raise self._faults.pop()
        kept = self._replicas.renew(replica_id)
        self.renewed.set()
        return kept


async def happens(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, 60)


async def test_a_lease_is_kept_until_it_is_given_back(house: House):
    renewals, lost = Renewals(house), threading.Event()
    lease = Lease(renewals, ME, lost=lost.set, beat_s=BEAT_S)  # type: ignore[arg-type]
    await lease.begin()
    await happens(renewals.renewed)
    assert (await house.state.replicas.roll()).living == (ME,)
    await lease.end()
    assert (await house.state.replicas.roll()).gone == (ME,)
    assert not lost.is_set()


async def test_who_was_declared_gone_finds_out(house: House):
    lost = threading.Event()
    lease = Lease(house.state.replicas, ME, lost=lost.set, beat_s=BEAT_S)
    await lease.begin()
    await house.state.replicas.join(Replica("A@2", "A"))
    await happens(lost)
    await lease.end()


async def test_a_database_that_is_away_for_a_while_ends_nothing(house: House):
    renewals, lost = Renewals(house, *[StateUnavailable("away")] * 3), threading.Event()
    lease = Lease(renewals, ME, lost=lost.set, beat_s=BEAT_S)  # type: ignore[arg-type]
    await lease.begin()
    await happens(renewals.renewed)
    await lease.end()
    assert not lost.is_set()


async def test_a_lease_that_cannot_be_renewed_for_another_reason_counts_as_lost(house: House):
    renewals, lost = Renewals(house, RuntimeError("a surprise")), threading.Event()
    lease = Lease(renewals, ME, lost=lost.set, beat_s=BEAT_S)  # type: ignore[arg-type]
    await lease.begin()
    await happens(lost)
    await lease.end()
