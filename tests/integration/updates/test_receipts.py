"""Receipts say who changed what, when and on whose approval; what a crash left open is found out and told."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.cli import main
from runtime.approvals.settling import lost_changes, settle
from runtime.boundary.approval import Outcome
from runtime.capability import ApproverRule
from runtime.clock import SystemClock
from runtime.engines.update_port import UpdateEngines
from runtime.errors import StateUnavailable
from runtime.state import Approval, State, Transaction
from tests.integration.updates.conftest import IDS, TERMS, World, setting, where

GOLD = setting("public.customers", IDS, tier="gold")


async def approved(state: State, call_id: str, source: str = "crm") -> None:
    """The request that people said yes to, being carried out."""
    now = SystemClock().now()
    rule, shown = ApproverRule(("U0ANN",)), {"source": source}
    request = Approval(
        "a1", "d", "run-1", call_id, "T:C:1", "U1", "update", "main", "p", rule, shown, now, now + timedelta(minutes=5),
        state="running", votes=("U0ANN",),
    )  # fmt: skip
    await state.approvals.ask(request, "hash", lambda *_: [])


class Settled:
    """A desk that only remembers."""

    def __init__(self) -> None:
        self.outcomes: list[tuple[str, Outcome]] = []

    async def settle(self, approval_id: str, outcome: Outcome) -> None:
        self.outcomes.append((approval_id, outcome))


async def left_open(world: World, *, committed: bool) -> UpdateEngines:
    """A change whose process lost its state just when it ended."""
    engine = await world.engine()

    async def finish(*_) -> bool:
        raise StateUnavailable("the disk is full")

    async def execute(*arguments) -> bool:
        await real(*arguments)
        raise StateUnavailable("the disk is full")

    journal, real = world.state.effects, world.state.effects.execute
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(journal, "finish", finish)
        if not committed:
            broken.setattr(journal, "execute", execute)
        seen = await engine.preview(GOLD, TERMS)
        with pytest.raises(StateUnavailable):
            await engine.perform(GOLD, TERMS, seen.fingerprint, world.call())
    return UpdateEngines({"crm": engine}, world.state.effects)


@pytest.mark.parametrize(("committed", "state"), [(True, "done"), (False, "failed")])
async def test_what_broke_off_is_found_out_and_told_to_those_who_approved(world: World, committed: bool, state: str):
    updates, desk = await left_open(world, committed=committed), Settled()
    await approved(world.state, "1:c")
    (lost,) = await lost_changes(updates, alone=False)
    assert lost.state == "executing"
    await settle(updates, world.state.approvals, desk, [lost])  # type: ignore[arg-type]
    ((request, outcome),) = desk.outcomes
    assert (request, outcome.state) == ("a1", state)
    assert (outcome.receipt == lost.id) == committed
    assert (await world.effect()).state == state
    assert await lost_changes(updates, alone=True) == []


@pytest.mark.parametrize(
    "transaction",
    [
        Transaction("9000000000", "", ""),
        Transaction("", "12345", ""),
        Transaction("", "", "000000FF"),
    ],
    ids=["of the future", "of another server", "of another timeline"],
)
async def test_what_no_server_can_tell_is_unknown_and_told(world: World, transaction: Transaction):
    updates, desk = await left_open(world, committed=True), Settled()
    await approved(world.state, "1:c")
    effect = await world.effect()
    assert effect.transaction is not None
    odd = Transaction(
        transaction.xid or effect.transaction.xid,
        transaction.system or effect.transaction.system,
        transaction.timeline or effect.transaction.timeline,
    )
    await settle(updates, world.state.approvals, desk, [replace(effect, transaction=odd)])  # type: ignore[arg-type]
    ((_, outcome),) = desk.outcomes
    assert outcome.state == "unknown"
    assert "check the rows by hand" in outcome.sentence
    assert (await world.effect()).state == "unknown"
    assert world.column("tier")[1] == "gold"


async def test_another_replicas_change_is_left_to_it_until_it_is_too_old(world: World):
    updates = await left_open(world, committed=True)
    effect = await world.effect()
    await updates.by_source["crm"].resolve(effect)
    begun = setting("public.customers", IDS, tier="x")
    engine = await world.engine()
    seen = await engine.preview(begun, TERMS)

    async def execute(*_) -> bool:
        raise StateUnavailable("gone")

    async def finish(*_) -> bool:
        raise StateUnavailable("gone")

    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(world.state.effects, "execute", execute)
        broken.setattr(world.state.effects, "finish", finish)
        with pytest.raises(StateUnavailable):
            await engine.perform(begun, TERMS, seen.fingerprint, world.call())
    assert await lost_changes(updates, alone=False) == []
    (mine,) = await lost_changes(updates, alone=True)
    assert mine.state == "begun"


async def test_the_command_lists_and_shows_receipts_while_the_bot_holds_the_state(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path
):
    monkeypatch.setenv("FOOTNOTE_STATE", f"sqlite:///{tmp_path}/state.db")

    async def said(*arguments: str) -> str:
        assert await asyncio.to_thread(main, ["receipts", *arguments]) == 0
        return capsys.readouterr().out

    assert "No data was changed yet." in await said()
    await approved(world.state, "1:c")
    receipt = await world.makes(GOLD)
    line = await said()
    assert receipt.id in line
    assert 'changed: 3 rows of crm:public.customers, tier = "gold"; asked by U1, approved by U0ANN' in line
    assert '  1  tier: "silver" -> "gold"' in await said(receipt.id)
    (entry,) = json.loads(await said("--json"))
    assert entry["rows"][0] == {"key": ["1"], "before": ["silver"], "after": ["gold"]}
    assert (entry["approved_by"], entry["state"], entry["row_count"]) == (["U0ANN"], "done", 3)
    await world.makes(setting("public.customers", where("id", "eq", 9), tier="gold"))
    assert "changed: 1 row of crm:public.customers" in await said("--limit", "1")
    assert await asyncio.to_thread(main, ["receipts", "R0"]) == 2
    assert "no receipt 'R0'" in capsys.readouterr().err


async def test_without_a_state_the_command_says_where_it_looked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path
):
    monkeypatch.setenv("FOOTNOTE_STATE", f"sqlite:///{tmp_path}/nothing.db")
    assert await asyncio.to_thread(main, ["receipts"]) == 2
    assert "nothing.db" in capsys.readouterr().err
    assert not (tmp_path / "nothing.db").exists()


async def test_a_terminal_obeys_nothing_that_stands_in_a_row(world: World, capsys, monkeypatch, tmp_path):
    world.run("CREATE TABLE t (id text PRIMARY KEY, v text); INSERT INTO t VALUES (E'\\x1b[31mred', E'\\u009b2J')")
    world.run("GRANT SELECT, UPDATE ON t TO {writer}; GRANT SELECT ON t TO {reader}")
    world.declared = {"updates": [{"table": "public.t", "columns": ["v"], "approvers": {"users": ["U0ANN"]}}]}
    receipt = await world.makes(setting("public.t", where("id", "ne", ""), v="\u202eabc"))
    monkeypatch.setenv("FOOTNOTE_STATE", f"sqlite:///{tmp_path}/state.db")
    await asyncio.to_thread(main, ["receipts", receipt.id])
    said = capsys.readouterr().out
    assert "\\x1b[31mred" in said and all(sign.isprintable() or sign == "\n" for sign in said)
