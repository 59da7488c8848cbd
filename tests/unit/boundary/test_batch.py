"""The calls of one step: order, concurrency, barriers, repeats, budgets and replay."""

from __future__ import annotations

import json

import pytest

from runtime.boundary import Call
from runtime.limits import Limits
from runtime.state import JournalMismatch
from tests.unit.boundary.doubles import No, Yes


async def test_results_stand_in_call_order_and_one_failure_suppresses_nobody(bench) -> None:
    results = await bench.run(
        ("echo", {"text": "a"}), ("crash", {"text": "b"}), ("nothing", {}), ("echo", {"text": "c"})
    )
    assert [result.is_error for result in results] == [False, True, True, False]
    assert [result.evidence.id for result in results] == ["E1", "E2", "E3", "E4"]
    assert [result.call_id for result in results] == ["c0", "c1", "c2", "c3"]


async def test_reads_run_side_by_side_up_to_the_bound_of_their_source(bench) -> None:
    await bench.run(*[("echo", {"text": str(n)}) for n in range(12)])
    assert bench.world.most == Limits().concurrent_reads_per_source


async def test_an_effect_is_a_barrier(bench) -> None:
    bench.approvals = Yes()
    await bench.run(("echo", {"text": "a"}), ("set_value", {"value": 3}), ("echo", {"text": "b"}))
    assert bench.world.log == ["read a", "write 3", "read b"]


async def test_without_a_person_an_effect_does_not_run(bench) -> None:
    for approvals in (bench.approvals, No()):
        bench.approvals = approvals
        (result,) = await bench.run(("set_value", {"value": 3}))
        assert json.loads(result.text)["error"]["code"] == "not_approved"
    assert bench.world.log == []


async def test_a_yes_to_another_call_is_no_yes(bench) -> None:
    bench.approvals = Yes(change=lambda call: "sha256:other")
    (result,) = await bench.run(("set_value", {"value": 3}))
    assert json.loads(result.text)["error"]["code"] == "not_approved"
    assert bench.world.log == []


async def test_drift_between_preview_and_execution_runs_nothing(bench) -> None:
    bench.approvals, bench.world.drift = Yes(), 1
    (result,) = await bench.run(("set_value", {"value": 3}))
    assert json.loads(result.text)["error"]["code"] == "state_changed"
    assert bench.world.log == []


async def test_the_approval_is_bound_to_every_part_of_the_call(bench) -> None:
    bench.approvals = Yes()
    await bench.run(("set_value", {"value": 3}))
    await bench.run(("set_value", {"value": 4}), prefix="d")
    await bench.run(("set_value", {"value": 4}), prefix="e")
    assert len({call.digest for call in bench.approvals.asked}) == 3


async def test_a_machines_run_has_no_effects_at_all(bench) -> None:
    bench.origin, bench.approvals = "machine", Yes()
    (result,) = await bench.run(("set_value", {"value": 3}))
    assert json.loads(result.text)["error"]["code"] == "tool_not_available"
    assert bench.world.log == []


async def test_an_exact_repeat_is_answered_from_memory_as_its_own_evidence(bench) -> None:
    boundary = bench.boundary()
    await bench.run(("echo", {"text": "a"}), boundary=boundary)
    (again,) = await bench.run(("echo", {"text": "a", "note": "once more"}), boundary=boundary, first=2, prefix="d")
    assert bench.world.log == ["read a"]
    assert (again.evidence.id, again.evidence.repeat_of) == ("E2", "E1")
    assert json.loads(again.text)["evidence"] == "E2"
    assert json.loads(again.text)["repeat_of"] == "E1"


async def test_a_long_result_given_again_stays_within_its_bound(bench) -> None:
    results = await bench.run(("brim", {"text": "a"}), ("brim", {"text": "a"}), first=998)
    assert json.loads(results[1].text)["repeat_of"] == "E998"
    assert all(len(result.text.encode()) <= 16 * 1024 for result in results)


async def test_a_repeat_inside_one_step_waits_for_the_first(bench) -> None:
    results = await bench.run(("echo", {"text": "a"}), ("echo", {"text": "a"}))
    assert bench.world.log == ["read a"]
    assert [result.evidence.repeat_of for result in results] == [None, "E1"]


async def test_a_failure_is_not_remembered(bench) -> None:
    boundary = bench.boundary()
    results = await bench.run(("refuse", {"text": "a"}), ("refuse", {"text": "a"}), boundary=boundary)
    assert all(result.evidence.repeat_of is None for result in results)


@pytest.mark.parametrize("what", ["effect", "revision"])
async def test_memory_ends_with_an_effect_or_a_new_revision(bench, what) -> None:
    bench.approvals = Yes()
    boundary = bench.boundary()
    await bench.run(("echo", {"text": "a"}), boundary=boundary)
    if what == "effect":
        await bench.run(("set_value", {"value": 1}), boundary=boundary, first=2, prefix="d")
    else:
        bench.world.revision = "r2"
    (again,) = await bench.run(("echo", {"text": "a"}), boundary=boundary, first=3, prefix="e")
    assert again.evidence.repeat_of is None
    assert bench.world.log.count("read a") == 2


async def test_calls_over_the_budget_are_refused_with_evidence(bench) -> None:
    results = await bench.run(("echo", {"text": "a"}), ("echo", {"text": "b"}), allowed=1)
    assert json.loads(results[1].text)["error"]["code"] == "budget_exceeded"
    assert results[1].evidence.id == "E2"
    assert bench.world.log == ["read a"]


async def test_a_resumed_step_takes_each_result_from_the_journal(bench) -> None:
    first = await bench.run(("echo", {"text": "a"}), ("crash", {"text": "b"}))
    bench.world.log.clear()
    again = await bench.run(("echo", {"text": "a"}), ("crash", {"text": "b"}))
    assert bench.world.log == []
    assert again == first


async def test_a_result_is_never_found_under_another_call(bench) -> None:
    await bench.run(("echo", {"text": "a"}), ("echo", {"text": "b"}))
    with pytest.raises(JournalMismatch):
        await bench.run(("echo", {"text": "b"}), ("echo", {"text": "a"}))
    assert bench.world.log == ["read a", "read b"]


async def test_a_providers_ids_may_repeat(bench) -> None:
    boundary = bench.boundary()
    calls = [Call("same", "echo", {"text": "a"}), Call("same", "echo", {"text": "b"})]
    deadline = bench.clock.monotonic() + 300
    results = await boundary.batch(calls, first=1, loaded=frozenset(), allowed=9, deadline=deadline)
    assert [json.loads(result.text)["data"]["said"] for result in results] == ["a", "b"]
    assert [result.call_id for result in results] == ["same", "same"]


def test_the_identity_of_a_call_is_its_tool_and_arguments_without_the_note() -> None:
    assert Call("1", "echo", {"a": 1, "b": 2, "note": "x"}).digest == Call("2", "echo", {"b": 2, "a": 1}).digest
    assert Call("1", "echo", {"a": 1}).digest != Call("1", "echo", {"a": 1.5}).digest
    assert Call("1", "echo", {"a": 1}).digest != Call("1", "other", {"a": 1}).digest
