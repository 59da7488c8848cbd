"""A person's own query: one frozen call through the same seven stages, no model, and a line in the audit."""

from __future__ import annotations

from dataclasses import dataclass

from bot.assembly import Analyst
from runtime.boundary import Call
from runtime.capability import Scope
from runtime.evidence import Evidence
from runtime.run import boundary_of


@dataclass(frozen=True, slots=True)
class DirectResult:
    """The call's envelope as JSON text, its evidence, and the error as a sentence ('' when it ran)."""

    envelope: str
    evidence: Evidence
    error: str


async def direct_sql(analyst: Analyst, scope: Scope, query: str) -> DirectResult:
    """Runs one query as `run_sql` would, with the asker's own admission."""
    boundary = boundary_of(analyst.wiring, scope)
    call = Call(analyst.new_id(), "run_sql", {"sql": query})
    deadline = analyst.clock.monotonic() + analyst.limits.run_seconds
    (result,) = await boundary.batch([call], first=1, loaded=frozenset(), allowed=1, deadline=deadline)
    await analyst.state.audit.add(
        "direct_sql", {"asker": scope.asker, "conversation": scope.conversation, "ok": not result.is_error}
    )
    return DirectResult(result.text, result.evidence, _sentence(result.evidence))


def _sentence(evidence: Evidence) -> str:
    if evidence.error is None:
        return ""
    return f"{evidence.error.get('message', '')} {evidence.error.get('hint', '')}".strip()
