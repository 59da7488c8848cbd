"""Approved calls: what they cost the run, how each ending is told, and what a resumed run makes of its earlier try."""

from __future__ import annotations

import asyncio
import json

import pytest

from runtime.boundary.approval import Earlier
from runtime.capability import Fate, Output
from runtime.errors import CallError
from tests.unit.boundary.doubles import Yes

SET = ("set_value", {"value": 3})


def code(result) -> str:
    return json.loads(result.text)["error"]["code"]


async def test_what_was_done_is_told_with_its_receipt(bench) -> None:
    bench.approvals = Yes()
    (result,) = await bench.run(SET)
    assert not result.is_error
    (outcome,) = bench.approvals.outcomes
    assert (outcome.state, outcome.sentence, outcome.receipt) == ("done", "Written.", "R1")


async def test_waiting_for_a_person_is_not_working_time(bench) -> None:
    bench.approvals = Yes(meanwhile=lambda: bench.clock.advance(5_000))
    boundary = bench.boundary()
    (result,) = await bench.run(SET, boundary=boundary)
    assert not result.is_error
    assert boundary.environment.time.waited == 5_000


async def test_a_person_waits_for_no_place_among_the_reads(bench) -> None:
    asked = asyncio.Event()

    class Slow(Yes):
        async def ask(self, call):
            asked.set()
            await bench.world.gate.wait()
            return await super().ask(call)

    bench.approvals = Slow()
    boundary = bench.boundary()
    waiting = asyncio.create_task(bench.run(SET, boundary=boundary))
    await asked.wait()
    reads = await bench.run(*[("echo", {"text": str(n)}) for n in range(9)], boundary=boundary, first=2, prefix="d")
    assert not any(read.is_error for read in reads)
    bench.world.gate.set()
    await waiting


@pytest.mark.parametrize(
    ("breaks", "fate", "state", "expected"),
    [
        (CallError("sql_failed", "The rows are locked."), None, "failed", "sql_failed"),
        (CallError("state_changed", "A row changed."), None, "drift", "state_changed"),
        (CallError("outcome_unknown", "Who knows."), None, "unknown", "outcome_unknown"),
        (CallError("timeout", "Too late."), Fate.NOT_APPLIED, "failed", "timeout"),
        (CallError("timeout", "Too late."), Fate.UNKNOWN, "unknown", "outcome_unknown"),
        (RuntimeError("secret inside"), Fate.NOT_BEGUN, "void", "not_approved"),
        (RuntimeError("secret inside"), Fate.UNKNOWN, "unknown", "outcome_unknown"),
    ],
)
async def test_each_ending_is_told_as_what_it_is(bench, breaks, fate, state, expected) -> None:
    bench.approvals, bench.world.breaks, bench.world.fate = Yes(), breaks, fate
    (result,) = await bench.run(SET)
    assert code(result) == expected
    assert [outcome.state for outcome in bench.approvals.outcomes] == [state]
    assert "secret" not in result.text + bench.approvals.outcomes[0].sentence


@pytest.mark.parametrize("breaks", [CallError("timeout", "Too late."), RuntimeError("lost connection")])
async def test_what_broke_off_after_it_was_done_is_a_success(bench, breaks) -> None:
    bench.approvals, bench.world.breaks = Yes(), breaks
    bench.world.fate = Output("done", "Written.", {"value": 3}, receipt="R1")
    (result,) = await bench.run(SET)
    assert not result.is_error
    assert [outcome.state for outcome in bench.approvals.outcomes] == ["done"]


async def test_drift_is_told(bench) -> None:
    bench.approvals, bench.world.drift = Yes(), 1
    await bench.run(SET)
    assert [outcome.state for outcome in bench.approvals.outcomes] == ["drift"]


async def test_a_source_that_closed_while_waiting_is_told(bench) -> None:
    def close() -> None:
        bench.world.open = False

    bench.approvals = Yes(meanwhile=close)
    (result,) = await bench.run(SET)
    assert code(result) == "admission_changed"
    assert bench.world.log == []
    assert [outcome.state for outcome in bench.approvals.outcomes] == ["failed"]


async def test_a_stopped_run_finds_out_what_became_of_its_call(bench) -> None:
    bench.approvals, bench.world.fate, bench.world.hangs = Yes(), Fate.NOT_APPLIED, True
    running = asyncio.create_task(bench.run(SET))
    await bench.world.entered.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert [outcome.state for outcome in bench.approvals.outcomes] == ["failed"]


@pytest.mark.parametrize("state", ["void", "rejected", "expired", "failed", "drift"])
async def test_a_resumed_run_never_asks_again(bench, state) -> None:
    bench.approvals = Yes(left=Earlier("a1", state, "Restarted while waiting: not run.", "sha256:x"))
    (result,) = await bench.run(SET)
    assert code(result) == "not_approved"
    assert "Restarted while waiting" in result.text
    assert bench.approvals.asked == [] and bench.world.log == []


ENDINGS = [
    (Fate.NOT_BEGUN, "void", "not_approved"),
    (Fate.NOT_APPLIED, "failed", "not_approved"),
    (Fate.UNKNOWN, "unknown", "outcome_unknown"),
]


@pytest.mark.parametrize(("fate", "state", "expected"), ENDINGS)
async def test_a_resumed_run_finds_out_what_became_of_its_call_and_does_not_run_it(bench, fate, state, expected):
    bench.approvals, bench.world.fate = Yes(left=Earlier("a1", "running", "", "sha256:x")), fate
    (result,) = await bench.run(SET)
    assert code(result) == expected
    assert bench.world.log == ["resolve run-1 1:c0"]
    assert [outcome.state for outcome in bench.approvals.outcomes] == [state]


@pytest.mark.parametrize("left", ["running", "done"])
async def test_a_resumed_run_gets_the_result_of_what_was_done(bench, left) -> None:
    bench.approvals = Yes(left=Earlier("a1", left, "Written.", "sha256:x"))
    bench.world.fate = Output("done", "Written.", {"value": 3}, receipt="R1")
    (result,) = await bench.run(SET)
    assert json.loads(result.text)["data"] == {"value": 3}
    assert bench.world.value == 0
    assert [outcome.state for outcome in bench.approvals.outcomes] == (["done"] if left == "running" else [])
