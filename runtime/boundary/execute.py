"""Stage 5: execute once, within the deadline."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from runtime.boundary.call import InFlight
from runtime.errors import CallError


async def execute(flight: InFlight) -> InFlight:
    """Runs the executor. Raises `timeout` when its own deadline or the run's passes; cancellation goes through to the
    engine. The clock of the call starts here: waiting for a free place or for a person is not the tool's time."""
    now = flight.environment.clock.monotonic()
    flight = replace(flight, started=now, deadline=min(now + flight.registered.deadline_s, flight.deadline))
    allowed = flight.deadline - now
    if allowed <= 0:
        raise _late(flight, 0.0)
    try:
        async with asyncio.timeout(allowed):
            output = await flight.registered.execute(flight.typed, flight.context())
    except TimeoutError as error:
        raise _late(flight, allowed) from error
    return replace(flight, output=output, notes=flight.notes + output.notes)


def _late(flight: InFlight, allowed: float) -> CallError:
    return CallError(
        "timeout",
        f"{flight.call.tool} did not finish within {allowed:.0f} s.",
        hint="Ask for less: filter earlier, aggregate, or split the question.",
        retryable=True,
    )
