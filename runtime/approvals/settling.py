"""Changes of data that a crash left without an end: found out, written down, and said where they were approved."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from runtime.approvals import moves
from runtime.approvals.desk import Desk
from runtime.boundary.approval import Outcome
from runtime.boundary.approved import NOT_APPLIED, NOT_BEGUN, UNKNOWN
from runtime.engines.update_port import ChangeCall, UpdateEngine, UpdateEngines
from runtime.state import Approval, Approvals, Effect

GIVEN_UP = "The question was given up while waiting: not run. Ask again if it is still wanted."

log = structlog.get_logger(__name__)


async def lost_changes(updates: UpdateEngines, *, alone: bool) -> list[Effect]:
    """The changes that nobody is at any more; asked before anything new begins. `alone`: no other process shares the
    state, else one that has not come to its COMMIT may still be another replica's."""
    found = await updates.effects.open()
    return [each for each in found if alone or each.state == "executing" or _given_up(updates, each)]


async def settle(updates: UpdateEngines, approvals: Approvals, desk: Desk, lost: Sequence[Effect]) -> None:
    """Asks the target about each and tells the people who approved it. One whose run is resumed meanwhile is found out
    twice and told once. A source that is declared no more is left as it is, and the log says so."""
    for effect in lost:
        engine = updates.by_source.get(effect.source)
        if engine is None:
            log.warning("a change cannot be looked into: its source is gone", effect=effect.id, source=effect.source)
            continue
        ended = await engine.resolve(effect)
        log.warning("a change that broke off was looked into", effect=effect.id, state=ended.state)
        approval = await approvals.of_call(effect.run_id, effect.call_id)
        if approval is not None:
            await desk.settle(approval.id, _outcome(engine, ended))


async def end_requests(updates: UpdateEngines, approvals: Approvals, desk: Desk, run_id: str) -> None:
    """A run that is given up leaves no request open: what waited is void, and what was being carried out is found out.
    A change that no journal knows of is unknown, and a person is told."""
    for approval in await approvals.standing():
        if approval.run_id != run_id:
            continue
        approval = await desk.change(approval.id, moves.void(GIVEN_UP, states=("pending", "claimed")))
        if approval.state == "running":
            await desk.settle(approval.id, await _found_out(updates, approval))


async def _found_out(updates: UpdateEngines, approval: Approval) -> Outcome:
    source = str(approval.shown.get("source") or "")
    engine = updates.by_source.get(source)
    if engine is None:
        return Outcome("unknown", UNKNOWN)
    call = ChangeCall(approval.run_id, approval.call_id, approval.conversation, approval.tool)
    return _outcome(engine, await engine.resolve(await updates.standing(call, source, approval.requester)))


def _given_up(updates: UpdateEngines, effect: Effect) -> bool:
    engine = updates.by_source.get(effect.source)
    return engine is not None and engine.given_up(effect)


def _outcome(engine: UpdateEngine, ended: Effect) -> Outcome:
    if ended.state == "done":
        receipt = engine.receipt(ended)
        return Outcome("done", receipt.sentence, receipt.id)
    if ended.state == "never":
        return Outcome("void", NOT_BEGUN)
    return Outcome("unknown", UNKNOWN) if ended.state == "unknown" else Outcome("failed", NOT_APPLIED)
