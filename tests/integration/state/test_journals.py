"""Replies and results: the first one kept stands, and a result is never found under another call."""

import asyncio

import pytest

from runtime.evidence import Column, Evidence, JournalEntry, SourceRef, Truncation
from runtime.state import JournalMismatch, State


def entry(
    call_id: str = "c1", digest: str = "d1", position: int = 0, result: str = "{}", rows: int = 2
) -> JournalEntry:
    evidence = Evidence(
        id="E1",
        call_id=call_id,
        tool="run_sql",
        title="a title \x00",
        status="ok",
        columns=(Column("n", "BIGINT"), Column("s", "VARCHAR")),
        rows=tuple((n, f"value {n}") for n in range(rows)),
        row_count=rows,
        truncated=Truncation("rows_kept", rows, None),
        sources=(SourceRef("workspace", "orders", "sha256:1", "orders.csv"),),
        notes=("one note",),
        elapsed_ms=1.25,
    )
    return JournalEntry("run1", call_id, digest, position, result, False, evidence, ("file_query",))


async def test_the_first_reply_of_a_step_stands(state: State):
    assert await state.steps.get("run1", 0) is None
    assert await state.steps.put_reply("run1", 0, {"text": "first \ud800"}) == {"text": "first \ud800"}
    assert await state.steps.put_reply("run1", 0, {"text": "second"}) == {"text": "first \ud800"}
    assert await state.steps.get("run1", 0) == {"text": "first \ud800"}
    assert await state.steps.get("run1", 1) is None


@pytest.mark.parametrize("rows", [0, 2, 1000])
async def test_an_entry_comes_back_whole(state: State, rows: int):
    assert await state.calls.find("run1", "c1", "d1") is None
    assert await state.calls.put(entry(rows=rows)) == entry(rows=rows)
    assert await state.calls.find("run1", "c1", "d1") == entry(rows=rows)
    assert await state.calls.find("run2", "c1", "d1") is None


async def test_the_first_result_of_a_call_stands(state: State):
    stood = await asyncio.gather(*(state.calls.put(entry(result=f"result {n}")) for n in range(6)))
    assert len({each.result for each in stood}) == 1
    assert (await state.calls.find("run1", "c1", "d1")).result == stood[0].result


async def test_a_result_is_never_given_to_another_call(state: State):
    await state.calls.put(entry(digest="d1", result="of d1"))
    with pytest.raises(JournalMismatch):
        await state.calls.find("run1", "c1", "d2")
    with pytest.raises(JournalMismatch):
        await state.calls.put(entry(digest="d2", result="of d2"))
    assert (await state.calls.find("run1", "c1", "d1")).result == "of d1"


async def test_a_runs_calls_come_in_call_order(state: State):
    for position in (2, 0, 1):
        await state.calls.put(entry(f"c{position}", f"d{position}", position))
    assert [each.call_id for each in await state.calls.of_run("run1")] == ["c0", "c1", "c2"]


async def test_single_facts_are_replaced_and_audit_only_grows(state: State):
    assert await state.meta.get("policy") is None
    await state.meta.set("policy", "sha256:1")
    await state.meta.set("policy", {"digest": "sha256:2"})
    assert await state.meta.get("policy") == {"digest": "sha256:2"}
    for n in range(3):
        await state.audit.add("sql" if n else "retry", {"n": n})
    assert [record.body["n"] for record in await state.audit.newest(2)] == [2, 1]
    assert [record.body["n"] for record in await state.audit.newest(5, "retry")] == [0]
    await state.probe()
