"""Where the tools of databases make sense, and the engine that a call's source means."""

from __future__ import annotations

from runtime.capability import DATABASES, CallContext, Scope, SourceKind
from runtime.engines.port import DatabaseEngine, ReadEngines
from runtime.errors import CallError


def has_database(scope: Scope) -> bool:
    """Offered where some database is open to the run."""
    return bool(scope.of_kind(*DATABASES))


def has_sqlite(scope: Scope) -> bool:
    """Offered where a SQLite source is open to the run."""
    return bool(scope.of_kind(SourceKind.SQLITE))


def has_postgresql(scope: Scope) -> bool:
    """Offered where a PostgreSQL source is open to the run."""
    return bool(scope.of_kind(SourceKind.POSTGRESQL))


def database(context: CallContext, source_id: str, *kinds: SourceKind) -> DatabaseEngine:
    """The engine of an open source of these kinds (of any database, when none is named). Raises CallError `not_found`
    naming the sources that are open."""
    fitting = context.scope.of_kind(*(kinds or DATABASES))
    if source_id not in fitting:
        listed = ", ".join(fitting)
        raise CallError(
            "not_found",
            f"No source {source_id!r} is open to this tool.",
            hint=f"Open here: {listed}." if listed else "No such source is open here.",
            retryable=bool(fitting),
            details={"near": list(fitting)},
        )
    return context.services.get(ReadEngines).databases[source_id]
