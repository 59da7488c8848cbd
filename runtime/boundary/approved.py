"""What came of an approved call, whatever happens while it runs: found out once, and told to those who approved it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

import structlog

from runtime.boundary.approval import Approved, Earlier, Outcome
from runtime.boundary.call import InFlight
from runtime.capability import EffectSpec, Fate, Output
from runtime.errors import CallError

log = structlog.get_logger(__name__)

UNKNOWN = "The outcome is unknown, and it is not run again: please check the rows by hand."
NOT_APPLIED = "It was stopped while running: nothing was applied."
NOT_BEGUN = "It was stopped before it ran: not run."

_STATES: Mapping[str, Literal["drift", "failed", "unknown", "dry_run"]] = {
    "dry_run": "dry_run",
    "state_changed": "drift",
    "admission_changed": "failed",
    "outcome_unknown": "unknown",
}
# Behind these the executor may have got further than its last word says.
_UNCERTAIN = frozenset({"timeout", "output_invalid", "internal_error", "cancelled"})


async def carried_out(
    flight: InFlight, spec: EffectSpec[Any], approved: Approved, work: Callable[[], Awaitable[InFlight]]
) -> InFlight:
    """Runs the approved work and settles its approval. Raises what the work raises, `outcome_unknown` where nobody can
    tell what became of it."""
    approvals = flight.environment.approvals
    try:
        done = await work()
    except CallError as error:
        if error.code not in _UNCERTAIN:
            await approvals.settle(approved.approval_id, Outcome(_STATES.get(error.code, "failed"), error.message))
            raise
        return await _settled(flight, spec, approved.approval_id, error)
    except asyncio.CancelledError:
        await asyncio.shield(_settled_quietly(flight, spec, approved.approval_id))
        raise
    except Exception as error:
        log.error("an approved call crashed", tool=flight.call.tool, call_id=flight.call.id, exc_info=error)
        return await _settled(flight, spec, approved.approval_id, error)
    await approvals.settle(approved.approval_id, _done(done.produced))
    return done


async def found_after_crash(flight: InFlight, spec: EffectSpec[Any], earlier: Earlier) -> InFlight:
    """A resumed run meets the request of its earlier attempt: it never asks again and never runs it again. Raises
    `not_approved`, `outcome_unknown`, or what else came of it."""
    if earlier.state == "running":
        return await _settled(flight, spec, earlier.approval_id, None)
    if earlier.state == "done":
        fate = await _fate(flight, spec)
        known = fate if isinstance(fate, Output) else Output("done", earlier.reason, {"done": True})
        return replace(flight, output=known, notes=flight.notes + known.notes)
    if earlier.state == "unknown":
        raise CallError("outcome_unknown", earlier.reason)
    raise CallError("not_approved", earlier.reason, hint="Nothing was run.")


async def _settled(flight: InFlight, spec: EffectSpec[Any], approval_id: str, error: Exception | None) -> InFlight:
    fate = await _fate(flight, spec)
    await flight.environment.approvals.settle(approval_id, _outcome(fate))
    if isinstance(fate, Output):
        return replace(flight, output=fate, notes=flight.notes + fate.notes)
    if fate is Fate.UNKNOWN:
        raise CallError("outcome_unknown", UNKNOWN, hint="Say so; do not run it again.") from error
    raise (
        error
        if isinstance(error, CallError)
        else CallError("not_approved", _outcome(fate).sentence, hint="Nothing was applied.")
    )


async def _settled_quietly(flight: InFlight, spec: EffectSpec[Any], approval_id: str) -> None:
    await flight.environment.approvals.settle(approval_id, _outcome(await _fate(flight, spec)))


async def _fate(flight: InFlight, spec: EffectSpec[Any]) -> Output | Fate:
    """Asks the effect what became of this very call; one that cannot say leaves it unknown."""
    if spec.resolve is None:
        return Fate.UNKNOWN
    return await spec.resolve(flight.typed, flight.context())


def _done(output: Output) -> Outcome:
    return Outcome("done", output.summary, output.receipt or "")


def _outcome(fate: Output | Fate) -> Outcome:
    if isinstance(fate, Output):
        return _done(fate)
    return {
        Fate.NOT_BEGUN: Outcome("void", NOT_BEGUN),
        Fate.NOT_APPLIED: Outcome("failed", NOT_APPLIED),
        Fate.UNKNOWN: Outcome("unknown", UNKNOWN),
    }[fate]
