"""Stage 4: what changes something goes through preflight, people's yes, and both checks again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from runtime.boundary.admitted import admitted
from runtime.boundary.approval import Approved, FrozenCall, NotApproved
from runtime.boundary.approved import carried_out, found_after_crash
from runtime.boundary.call import InFlight, Stage
from runtime.capability import EffectSpec, Preflight
from runtime.errors import CallError

_NOT_RUN = "Nothing was run."


async def effect(flight: InFlight, inside: Stage) -> InFlight:
    """Carries out `inside` behind the effect's barrier; without an effect at once. Raises `effect_unavailable`,
    `not_approved` or `state_changed` when nothing has been run, `outcome_unknown` when nobody can tell."""
    spec = flight.registered.effect
    if spec is None:
        return await inside(flight)
    if flight.environment.scope.origin == "machine":
        raise CallError("effect_unavailable", "A run that no person started cannot change anything.")
    if not spec.needs_approval:
        return await _behind_the_locks(flight, spec, await _preflight(flight, spec), inside)
    run_id = flight.environment.scope.run_id
    earlier = await flight.environment.approvals.earlier(run_id, flight.key)
    if earlier is not None:
        return await found_after_crash(flight, spec, earlier)
    frozen = _frozen(flight, spec, await _preflight(flight, spec))
    flight, approved = await _asked(flight, frozen)

    async def work() -> InFlight:
        if approved.digest != frozen.digest:
            raise CallError("not_approved", "The approval belongs to another call.", hint=_NOT_RUN)
        return await _behind_the_locks(flight, spec, frozen.preflight, inside)

    return await carried_out(flight, spec, approved, work)


async def _preflight(flight: InFlight, spec: EffectSpec[Any]) -> Preflight:
    seen = await spec.preflight(flight.typed, flight.context())
    if seen.approvers is not None:
        return seen
    return replace(seen, approvers=flight.environment.approvers_of(spec.kind))


def _frozen(flight: InFlight, spec: EffectSpec[Any], seen: Preflight) -> FrozenCall:
    scope = flight.environment.scope
    return FrozenCall(
        run_id=scope.run_id,
        call_id=flight.key,
        tool=flight.call.tool,
        arguments=flight.typed.model_dump(mode="json", exclude={"note"}),
        preflight=seen,
        policy_revision=scope.policy_revision,
        conversation=scope.conversation,
        requester=scope.asker,
        kind=spec.kind.value,
        source=flight.registered.source(flight.typed) or "",
        run_age_s=flight.environment.time.age,
    )


async def _asked(flight: InFlight, frozen: FrozenCall) -> tuple[InFlight, Approved]:
    """People's yes, and the call with its deadline moved on: waiting for them is not the run's working time."""
    time = flight.environment.time
    before = time.waited
    with time.paused():
        answer = await flight.environment.approvals.ask(frozen)
    if isinstance(answer, NotApproved):
        again = " Tell the asker, and do not propose the same again." if answer.rejected else ""
        raise CallError("not_approved", answer.reason, hint=_NOT_RUN + again)
    return replace(flight, deadline=flight.deadline + time.waited - before), answer


async def _behind_the_locks(flight: InFlight, spec: EffectSpec[Any], seen: Preflight, inside: Stage) -> InFlight:
    async with flight.environment.locks.hold(flight.environment.scope.run_id, seen.target):
        await admitted(flight)
        flight = replace(flight, fingerprint=seen.fingerprint)
        if (await _preflight(flight, spec)).fingerprint != seen.fingerprint:
            raise CallError(
                "state_changed",
                "The target is no longer what it was at the preview.",
                hint=f"{_NOT_RUN} Preview the change again.",
                retryable=True,
            )
        if spec.needs_approval and flight.environment.dry_run:
            raise CallError("dry_run", "Dry run: nothing was written.", hint="Say so; it is no failure.")
        return await inside(flight)
