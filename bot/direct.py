"""A person's own query: one frozen call through the same seven stages, no model, and a line in the audit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.assembly import Analyst
from runtime.admission.policy import WORKSPACE
from runtime.boundary import Call
from runtime.capability import READABLE, Scope, SourceKind
from runtime.evidence import Evidence
from runtime.run import boundary_of

_TOOLS: Mapping[SourceKind | None, str] = {
    SourceKind.WORKSPACE: "run_sql",
    SourceKind.SQLITE: "data_query_sqlite",
    SourceKind.POSTGRESQL: "data_query_postgresql",
}
_BEGINS = re.compile(r"(?i)(select|with|values)\b")


@dataclass(frozen=True, slots=True)
class DirectResult:
    """The call's envelope as JSON text, its evidence, and the error as a sentence ('' when it ran)."""

    envelope: str
    evidence: Evidence
    error: str


def named_source(words: str, scope: Scope) -> tuple[str, str]:
    """The source and the query of `[SOURCE] QUERY`. Without a source it is the workspace, or the only one open."""
    open_here = scope.of_kind(*READABLE)
    first, *rest = words.split(None, 1) or [""]
    if rest and (first in open_here or _BEGINS.match(rest[0])):
        return first, rest[0].strip()
    return (open_here[0] if len(open_here) == 1 else WORKSPACE), words


def not_open(source: str, scope: Scope) -> str:
    """A sentence when `source` cannot be read in this scope, else ''."""
    open_here = scope.of_kind(*READABLE)
    if source in open_here:
        return ""
    here = f"Open here: {', '.join(open_here)}." if open_here else "Nothing is open here; `/footnote why` says why."
    return f"No source {source!r} is open here. {here}"


async def direct_sql(analyst: Analyst, scope: Scope, source: str, query: str) -> DirectResult:
    """Runs one query over an open source as its own query tool would, with the asker's own admission."""
    # No model reads along: what a source keeps from models is no reason to keep an error's words from the person.
    terms = {name: replace(each, model_rows="full") for name, each in scope.terms.items()}
    boundary = boundary_of(analyst.wiring, replace(scope, terms=terms))
    kind = scope.kind(source)
    arguments = {"sql": query} if kind is SourceKind.WORKSPACE else {"source_id": source, "sql": query}
    call = Call(analyst.new_id(), _TOOLS.get(kind, "run_sql"), arguments)
    deadline = analyst.clock.monotonic() + analyst.limits.run_seconds
    (result,) = await boundary.batch([call], first=1, loaded=frozenset(), allowed=1, deadline=deadline)
    await analyst.state.audit.add(
        "direct_sql",
        {
            "asker": scope.asker,
            "conversation": scope.conversation,
            "source": source,
            "ok": not result.is_error,
        },
    )
    return DirectResult(result.text, result.evidence, _sentence(result.evidence, source, scope))


def _sentence(evidence: Evidence, source: str, scope: Scope) -> str:
    if evidence.error is None:
        return ""
    said = f"{evidence.error.get('message', '')} {evidence.error.get('hint', '')}".strip()
    others = [each for each in scope.of_kind(*READABLE) if each != source]
    if evidence.error.get("code") != "sql_unknown_table" or not others:
        return said
    return f"{said} This asked {source}; for another source name it first, as in `sql {others[0]} …`."
