"""Stage 4: what changes something goes through preflight, a person's yes, and both checks again."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from runtime.boundary.admitted import admitted
from runtime.boundary.approval import Approved, FrozenCall
from runtime.boundary.call import InFlight
from runtime.capability import EffectSpec, Preflight
from runtime.errors import CallError


@asynccontextmanager
async def effect(flight: InFlight) -> AsyncGenerator[None]:
    """Holds the effect's barrier around execution. A capability without an effect passes straight through.
    Raises `effect_unavailable`, `not_approved` or `state_changed`; then nothing has been run."""
    spec = flight.registered.effect
    if spec is None:
        yield
        return
    if flight.environment.scope.origin == "machine":
        raise CallError("effect_unavailable", "A run that no person started cannot change anything.")
    seen = await spec.preflight(flight.typed, flight.context())
    if spec.needs_approval:
        await _approved(flight, seen)
    async with flight.environment.locks.hold(flight.environment.scope.run_id, seen.target):
        await _unchanged(flight, spec, seen)
        yield


async def _approved(flight: InFlight, seen: Preflight) -> None:
    frozen = FrozenCall(
        run_id=flight.environment.scope.run_id,
        call_id=flight.call.id,
        tool=flight.call.tool,
        arguments=flight.typed.model_dump(mode="json", exclude={"note"}),
        preflight=seen,
        policy_revision=flight.environment.scope.policy_revision,
    )
    answer = await flight.environment.approvals.ask(frozen)
    if not isinstance(answer, Approved):
        raise CallError("not_approved", answer.reason, hint="Nothing was run.")
    if answer.digest != frozen.digest:
        raise CallError("not_approved", "The approval belongs to another call.", hint="Nothing was run.")


async def _unchanged(flight: InFlight, spec: EffectSpec[Any], seen: Preflight) -> None:
    await admitted(flight)
    again = await spec.preflight(flight.typed, flight.context())
    if again.fingerprint != seen.fingerprint:
        raise CallError(
            "state_changed",
            "The target is no longer what it was at the preview.",
            hint="Nothing was run. Preview the change again.",
            retryable=True,
        )
