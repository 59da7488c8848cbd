"""One call through the seven stages, in their fixed order. Whatever happens, one result comes out."""

from __future__ import annotations

import structlog

from runtime.boundary import result
from runtime.boundary.admitted import admitted
from runtime.boundary.arguments import arguments
from runtime.boundary.call import CallResult, InFlight, Stage
from runtime.boundary.effect import effect
from runtime.boundary.execute import execute
from runtime.boundary.gate import Gate
from runtime.boundary.memo import Memo
from runtime.boundary.output import output
from runtime.boundary.projected import projected
from runtime.capability import Access
from runtime.errors import CallError

log = structlog.get_logger(__name__)

CHECKS: tuple[Stage, ...] = (projected, arguments)
INSIDE_EFFECT: tuple[Stage, ...] = (execute, output)


async def run_call(flight: InFlight, memo: Memo, gate: Gate) -> CallResult:
    """Runs a call. Never raises but for cancellation: errors become results with their evidence."""
    try:
        for stage in CHECKS:
            flight = await stage(flight)
        async with gate.pass_through(_read_of(flight)):
            flight = await admitted(flight)
            if (known := memo.find(flight.call.digest, flight.revision)) is not None:
                return result.repeated(flight, known.evidence, known.text, known.loaded)
            return await _carry_out(flight, memo)
    except CallError as error:
        return result.failed(flight, error)
    except Exception as error:  # noqa: BLE001 - the call edge: whatever breaks inside becomes one redacted result
        return result.failed(flight, _redacted(flight, error))


async def _carry_out(flight: InFlight, memo: Memo) -> CallResult:
    async def inside(flight: InFlight) -> InFlight:
        for stage in INSIDE_EFFECT:
            flight = await stage(flight)
        return flight

    try:
        flight = await effect(flight, inside)
    finally:
        if flight.registered.effect is not None:
            # Also when it was refused: what it found changed must not be hidden behind an earlier look.
            memo.clear()
    done = result.succeeded(flight)
    if flight.registered.access is Access.READ and flight.registered.effect is None:
        memo.remember(flight.call.digest, flight.revision, done)
    return done


def _read_of(flight: InFlight) -> str | None:
    """The source whose places for reads a call takes. An effect has its run to itself and takes none: it may wait for
    people for as long as they need."""
    return None if flight.registered.effect is not None else flight.registered.source(flight.typed)


def _redacted(flight: InFlight, error: Exception) -> CallError:
    correlation = flight.environment.new_id()
    log.error("call crashed", tool=flight.call.tool, call_id=flight.call.id, correlation=correlation, exc_info=error)
    return CallError(
        "internal_error",
        f"Something failed inside {flight.call.tool}.",
        hint=f"Try another way. An operator finds it in the log under {correlation}.",
        details={"correlation_id": correlation},
    )
