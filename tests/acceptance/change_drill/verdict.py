"""What must hold after a drill of changes: target, journal, requests and Slack tell the same story, each thing once."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence

import sqlalchemy as sa

from runtime.clock import SystemClock, random_id
from runtime.state import Approval, Delivery, Effect, State, peek_state
from runtime.state.tables import approvals
from tests.acceptance.change_drill.drill import CHANNEL, Asked, Drill
from tests.acceptance.change_drill.dying import STOPPING

# How a request ended: how the journal may have the change, and how often it may have run.
_TRUE: dict[str, tuple[list[list[str]], set[int]]] = {
    "done": ([["done"]], {1}),
    "failed": ([["failed"]], {0}),
    "void": ([[], ["never"]], {0}),
    "unknown": ([["unknown"]], {0, 1}),
}
_SAID = {
    "done": "Done, approved by",
    "failed": "Failed, nothing applied.",
    "void": "Not run.",
    "unknown": "Outcome unknown, not run again.",
}
_COMPLAINT = re.compile(r"Traceback|\berror\b|\bcritical\b", re.IGNORECASE)


async def verdict(drill: Drill) -> None:
    """AssertionError where a change ran twice, a card or a word in the thread is not true, or anything is left over."""
    state = peek_state(drill.state_url, clock=SystemClock(), new_id=random_id)
    try:
        effects = await state.effects.newest(100_000)
        postings = list[Delivery]()
        for asked in drill.asked:
            postings += await _true(drill, state, asked, effects)
        _each_once(drill, postings)
        await _nothing_left(drill, state)
    finally:
        state.close()
    ledger = Counter(effect.state for effect in effects)
    ran_unknown = sum(drill.bank.runs(asked.number) for asked in drill.asked if asked.ended == "unknown")
    assert drill.bank.counted == ledger["done"] + ran_unknown
    print(
        f"{drill.deaths.total()} deaths, {drill.again} of them over a change that was being looked into; "
        f"endings: {dict(Counter(asked.ended for asked in drill.asked))}; journal: {dict(ledger)}; "
        f"the target counts {drill.bank.counted}, {ran_unknown} of them told as unknown"
    )


async def _true(drill: Drill, state: State, asked: Asked, effects: Sequence[Effect]) -> list[Delivery]:
    """One question: its request, its line in the journal, what the target saw, card and thread agree. Its postings."""
    address = f"{drill.slack.workspace.world.team_id}:{CHANNEL}:{asked.thread}"
    story = f"question {asked.number}, died at {[each.name for each in asked.deaths]}"
    approval = await _request(state, address)
    journalled = [effect for effect in effects if effect.conversation == address]
    lines, runs = _TRUE[approval.state]
    assert approval.state == asked.ended, story
    assert [effect.state for effect in journalled] in lines, story
    assert drill.bank.runs(asked.number) in runs, story
    assert asked.ended in frozenset[str]().union(*(each.endings for each in asked.deaths)), story
    postings = await state.deliveries.of_source(f"approval:{approval.id}")
    _told(drill, asked, approval, journalled, postings)
    return [*postings, *await state.deliveries.of_source(approval.run_id)]


async def _request(state: State, address: str) -> Approval:
    query = sa.select(approvals.c.run_id, approvals.c.call_id).where(approvals.c.conversation == address)
    ((run_id, call_id),) = await state.approvals._connector.run(lambda c: list(c.execute(query)))
    found = await state.approvals.of_call(run_id, call_id)
    assert found is not None
    return found


def _told(
    drill: Drill, asked: Asked, approval: Approval, journalled: Sequence[Effect], postings: Sequence[Delivery]
) -> None:
    """The card shows the receipt, and the thread was told once how it ended."""
    if approval.state == "done":
        assert journalled[0].id in json.dumps(drill.card(asked))
    (word,) = (str(each.payload["text"]) for each in postings if each.dest.endswith(":thread"))
    assert _SAID[approval.state] in word, word
    assert "cancelled by" not in word, "nobody cancelled anything"


def _each_once(drill: Drill, postings: Sequence[Delivery]) -> None:
    """Every posting of the outbox is in Slack once, and nothing else is."""
    meant = Counter(part.id for part in postings if part.kind == "message")
    messages = [message for asked in drill.asked for message in drill.said(asked)]
    named = Counter(m["metadata"]["event_payload"]["delivery_id"] for m in messages if "files" not in m)
    assert named == meant, f"lost or doubled: {(named - meant) + (meant - named)}"
    shared = Counter(file["id"] for message in messages for file in message.get("files", []))
    assert shared == Counter(str(part.remote_id) for part in postings if part.kind == "file")


async def _nothing_left(drill: Drill, state: State) -> None:
    assert await state.inbox.pending() == []
    assert await state.effects.open() == []
    assert await state.approvals.standing() == []
    assert set(await state.deliveries.counts()) == {"sent"}
    assert drill.slack.refusals == []
    assert not [asked for asked in drill.asked if drill.slack.status(CHANNEL, asked.thread)]
    # While it is stopping, the socket client complains of events that it can acknowledge no more: those come again.
    said = drill.log.read_text().partition(STOPPING)[0]
    complaints = [line for line in said.splitlines() if _COMPLAINT.search(line)]
    assert not complaints, complaints[0]
