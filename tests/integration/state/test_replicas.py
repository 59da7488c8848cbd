"""Leases of replicas: who lives, who is gone, and that whoever is gone stays gone."""

from __future__ import annotations

import sqlalchemy as sa

from runtime.state import Replica, State
from runtime.state.replicas import LEASE_S, REMEMBERED_S
from runtime.state.tables import replicas
from tests.integration.state.doubles import SteppingClock

A, B = Replica("A@1", "A"), Replica("B@1", "B")


async def time_passes(state: State, clock: SteppingClock, seconds: float) -> None:
    """On SQLite the clock moves; with PostgreSQL, whose clock nobody moves, the leases grow older."""
    if state._connector.sqlite:
        clock.advance(seconds)
        return
    older = sa.text(f"UPDATE {replicas.name} SET expires_at = expires_at - {int(seconds * 1_000_000)}")
    await state._connector.run(lambda c: c.execute(older).close())


async def test_who_renews_lives_and_who_does_not_is_gone(state: State, clock: SteppingClock):
    await state.replicas.join(A)
    await state.replicas.join(B)
    await time_passes(state, clock, LEASE_S - 5)
    assert state.replicas.renew(B.id)
    assert (await state.replicas.roll()).living == (A, B)
    await time_passes(state, clock, 6)
    roll = await state.replicas.roll()
    assert (roll.living, roll.gone) == ((B,), (A,))


async def test_who_is_gone_never_comes_back(state: State, clock: SteppingClock):
    await state.replicas.join(A)
    await time_passes(state, clock, LEASE_S + 1)
    assert (await state.replicas.roll()).gone == (A,)
    assert not state.replicas.renew(A.id)
    assert (await state.replicas.roll()).gone == (A,)


async def test_a_lease_that_ran_out_unseen_may_still_be_renewed(state: State, clock: SteppingClock):
    await state.replicas.join(A)
    await time_passes(state, clock, LEASE_S + 1)
    assert state.replicas.renew(A.id)
    assert (await state.replicas.roll()).living == (A,)


async def test_a_newer_process_of_a_name_replaces_the_older_one(state: State):
    await state.replicas.join(A)
    await state.replicas.join(Replica("A@2", "A"))
    assert not state.replicas.renew(A.id)
    assert state.replicas.renew("A@2")
    assert (await state.replicas.roll()).gone == (A,)


async def test_who_leaves_is_gone_at_once_and_forgotten_later(state: State, clock: SteppingClock):
    await state.replicas.join(A)
    await state.replicas.leave(A.id)
    assert (await state.replicas.roll()).gone == (A,)
    await time_passes(state, clock, LEASE_S + REMEMBERED_S + 1)
    assert (await state.replicas.roll()).gone == (A,)  # by whoever comes after a long night
    assert (await state.replicas.roll()).gone == ()
