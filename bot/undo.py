"""Undo: a person's click becomes a run of its own with one frozen call, previewed and approved like any change."""

from __future__ import annotations

from bot.assembly import Analyst
from runtime.boundary import Call
from runtime.capability import Scope
from runtime.projection import project
from runtime.registry import STARTED_BY_PEOPLE, Registry
from runtime.run import boundary_of

_TOOL = "data_undo_postgresql"
NOT_KEPT = "That change is not kept any more, so it can't be undone. Ask for a new change instead."
NOT_OPEN = (
    "The source of that change is not open to changes for you here, so nothing was done. Somebody to whom it is open "
    "can press Undo; `/footnote why` tells what is open to you."
)


async def undone(analyst: Analyst, scope: Scope, receipt: str) -> str:
    """Carries the undoing out, and says what came of it. Safe to begin again: the call is the same in every attempt."""
    effect = await analyst.state.effects.get(receipt)
    if effect is None:
        return NOT_KEPT
    catalog = project(Registry.of(STARTED_BY_PEOPLE).served(analyst.wiring.services), scope)
    if catalog.capability(_TOOL) is None:
        return NOT_OPEN
    call = Call("undo", _TOOL, {"source_id": effect.source, "receipt": receipt})
    deadline = analyst.clock.monotonic() + analyst.limits.run_seconds
    boundary = boundary_of(analyst.wiring, scope, catalog)
    (result,) = await boundary.batch([call], first=1, loaded=frozenset({_TOOL}), allowed=1, deadline=deadline)
    error = result.evidence.error
    if error is None:
        return f"Undone: {result.evidence.summary}"
    return f"Not undone. {error.get('message', '')}".strip()
