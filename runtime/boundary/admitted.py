"""Stage 3: is the source still open to this conversation's audience, under the same policy?"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from runtime.boundary.call import InFlight
from runtime.capability import Closed, Open
from runtime.errors import CallError


async def admitted(flight: InFlight) -> InFlight:
    """Asks the admission now; remembers the source's revision for the repeat memo. Raises `not_found` for a source that
    was never open to the run, `admission_changed` for one that no longer is."""
    if flight.registered.any_source:
        return await _any_admitted(flight)
    source = flight.registered.source(flight.typed)
    if source is None:
        return flight
    known = flight.environment.scope.sources
    if source not in known:
        raise _not_open(source, known)
    decision = await flight.environment.admission.source(flight.environment.scope, source)
    if isinstance(decision, Closed):
        raise CallError("admission_changed", decision.reason, hint=decision.hint)
    return replace(flight, revision=decision.revision)


def _not_open(source: str, known: Collection[str]) -> CallError:
    """One that doesn't exist and one that isn't open here are told in the same words."""
    listed = sorted(known)
    return CallError(
        "not_found",
        f"No source {source!r} is open here.",
        hint=f"Open here: {', '.join(listed)}." if listed else "No source is open in this conversation.",
        retryable=bool(listed),
        details={"near": listed},
    )


async def _any_admitted(flight: InFlight) -> InFlight:
    """For a call that may read any source: one at least is open. The revisions of all that are make the memo's key;
    each inner read asks again for its own."""
    environment = flight.environment
    revisions, closed = list[str](), Closed("No source is open in this conversation.", "Say so.")
    for source in sorted(environment.scope.sources):
        decision = await environment.admission.source(environment.scope, source)
        if isinstance(decision, Open):
            revisions.append(f"{source}={decision.revision}")
        else:
            closed = decision
    if not revisions:
        raise CallError("admission_changed", closed.reason, hint=closed.hint)
    return replace(flight, revision=" ".join(revisions))
