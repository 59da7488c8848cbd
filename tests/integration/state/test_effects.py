"""The journal of changes: one row a call, one open change a target, and each end written once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.state import Begun, CalledBefore, Effect, State, TargetTaken, Transaction, open_state
from tests.integration.state.doubles import Counter, SteppingClock

CHANGE = Effect("R1", "sha256:1", "run-1", "1:c", "T:C:1", "U1", "update", "crm", "crm:public.a", {"table": "public.a"})
OTHER = replace(CHANGE, id="R2", digest="sha256:2", run_id="run-2")
XACT = Transaction("77", "1234", "00000001")


@pytest.fixture
def state(state_url: str):
    opened = open_state(state_url, clock=SteppingClock(), new_id=Counter())
    yield opened
    opened.close()


async def test_a_call_has_one_row_for_good(state: State):
    assert await state.effects.begin(CHANGE) == Begun()
    found = await state.effects.begin(replace(CHANGE, id="R9", digest="sha256:9"))
    assert isinstance(found, CalledBefore)
    assert found.effect.id == "R1"
    assert await state.effects.finish(found.effect, "failed", "no")
    assert isinstance(await state.effects.begin(CHANGE), CalledBefore)


async def test_a_target_has_one_open_change(state: State):
    await state.effects.begin(CHANGE)
    taken = await state.effects.begin(OTHER)
    assert isinstance(taken, TargetTaken)
    assert taken.effect.id == "R1"
    assert (
        await state.effects.begin(replace(OTHER, target="crm:public.b", call_id="2:c", digest="3", id="R3")) == Begun()
    )
    await state.effects.finish(taken.effect, "failed")
    assert await state.effects.begin(OTHER) == Begun()


async def test_whoever_was_ended_may_not_go_on(state: State):
    await state.effects.begin(CHANGE)
    begun = await state.effects.get("R1")
    assert begun is not None
    assert await state.effects.finish(begun, "failed", "stopped")
    assert not await state.effects.execute("R1", XACT, {})
    assert not await state.effects.finish(begun, "done")
    assert (await state.effects.get("R1")).state == "failed"  # type: ignore[union-attr]


async def test_who_saw_it_begun_cannot_end_what_is_executing(state: State):
    await state.effects.begin(CHANGE)
    begun = await state.effects.get("R1")
    assert begun is not None
    assert await state.effects.execute("R1", XACT, {"rows": [["1"]]})
    assert not await state.effects.finish(begun, "failed")
    (executing,) = await state.effects.open()
    assert executing.transaction == XACT
    assert executing.images == {"rows": [["1"]]}
    assert await state.effects.finish(executing, "done")
    assert not await state.effects.finish(executing, "unknown")
    assert await state.effects.open() == []
    assert [effect.state for effect in await state.effects.newest(5)] == ["done"]


async def test_a_call_that_was_ruled_out_never_begins(state: State):
    ruled_out = replace(CHANGE, id="never:1", digest="never:1")
    assert (await state.effects.rule_out(ruled_out)).state == "never"
    found = await state.effects.begin(CHANGE)
    assert isinstance(found, CalledBefore) and found.effect.state == "never"
    assert await state.effects.begin(OTHER) == Begun()  # it holds no target
    assert [each.id for each in await state.effects.newest(9)] == ["R2"]
    assert [each.id for each in await state.effects.open()] == ["R2"]


async def test_a_call_that_had_begun_cannot_be_ruled_out(state: State):
    await state.effects.begin(CHANGE)
    found = await state.effects.rule_out(replace(CHANGE, id="never:1", digest="never:1"))
    assert (found.id, found.state) == ("R1", "begun")
