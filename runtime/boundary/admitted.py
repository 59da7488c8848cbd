"""Stage 3: is the source still open to this conversation's audience, under the same policy?"""

from __future__ import annotations

from dataclasses import replace

from runtime.boundary.call import InFlight
from runtime.capability import Closed
from runtime.errors import CallError


async def admitted(flight: InFlight) -> InFlight:
    """Asks the admission now. Raises `admission_changed`; remembers the source's revision for the repeat memo."""
    source = flight.registered.source(flight.typed)
    if source is None:
        return flight
    decision = await flight.environment.admission.source(flight.environment.scope, source)
    if isinstance(decision, Closed):
        raise CallError("admission_changed", decision.reason, hint=decision.hint)
    return replace(flight, revision=decision.revision)
