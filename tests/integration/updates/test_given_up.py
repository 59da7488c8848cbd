"""A run that is given up leaves no card open: what waited is void, and what was being carried out is found out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.approvals.settling import end_requests
from runtime.engines.update_port import UpdateEngines
from runtime.errors import CallError
from runtime.state import Approval
from tests.integration.updates.conftest import TERMS, World
from tests.integration.updates.test_receipts import GOLD, Settled, approved, left_open


class Desk(Settled):
    """A desk that makes moves on the request of the state."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._approvals = world.state.approvals

    async def change(self, approval_id: str, change) -> Approval:
        return (await self._approvals.change(approval_id, change, lambda *_: []))[0]


async def ended(world: World, updates: UpdateEngines, **request) -> Desk:
    """What came of the run's one request, with its source's name on it."""
    desk = Desk(world)

    def named(approval: Approval, _) -> Approval:
        return replace(approval, **request)

    await world.state.approvals.change("a1", named, lambda *_: [])
    await end_requests(updates, world.state.approvals, desk, "run-1")  # type: ignore[arg-type]
    return desk


@pytest.mark.parametrize(("committed", "state"), [(True, "done"), (False, "failed")])
async def test_what_was_being_carried_out_is_found_out(world: World, committed: bool, state: str):
    updates = await left_open(world, committed=committed)
    await approved(world.state, "1:c", source="crm")
    ((_, outcome),) = (await ended(world, updates)).outcomes
    assert outcome.state == state
    assert (await world.effect()).state == state


async def test_what_had_not_begun_never_will(world: World):
    engine = await world.engine()
    await approved(world.state, "1:c", source="crm")
    seen = await engine.preview(GOLD, TERMS)
    ((_, outcome),) = (await ended(world, UpdateEngines({"crm": engine}, world.state.effects))).outcomes
    assert outcome.state == "void" and "not run" in outcome.sentence
    # The process that was to carry it out was only asleep.
    with pytest.raises(CallError, match="begun before"):
        await engine.perform(GOLD, TERMS, seen.fingerprint, world.call())
    assert "gold" not in world.column("tier")


async def test_what_no_journal_knows_of_is_unknown(world: World):
    await approved(world.state, "1:c", source="elsewhere")
    ((_, outcome),) = (await ended(world, UpdateEngines({}, world.state.effects))).outcomes
    assert outcome.state == "unknown" and "check the rows by hand" in outcome.sentence


async def test_what_waited_is_void(world: World):
    await approved(world.state, "1:c", source="crm")
    desk = await ended(world, UpdateEngines({}, world.state.effects), state="pending")
    assert desk.outcomes == []
    found = await world.state.approvals.get("a1")
    assert found is not None and found.state == "void" and "given up" in found.sentence
