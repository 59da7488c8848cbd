"""The reads that a call makes on its way: admitted, bounded and recorded like calls, so that no second way exists."""

from __future__ import annotations

from dataclasses import dataclass, field

from runtime.boundary.gate import Gate
from runtime.capability import AdmissionNow, Closed, InnerRows, Scope, Services
from runtime.engines.port import ReadEngine, ReadEngines, ReadResult
from runtime.errors import CallError
from runtime.evidence import InnerQuery, rows_digest

_FAILED_SQL_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class InnerReads:
    """The inner reads of one call. `queries` holds each of them in the order in which they ended, failed or not."""

    scope: Scope
    admission: AdmissionNow
    services: Services
    gate: Gate
    queries: list[InnerQuery] = field(default_factory=list[InnerQuery])

    async def __call__(self, source_id: str, sql: str, *, seconds: float, rows_kept: int) -> InnerRows:
        """One read: a free place, admission as it is now, then the source's own engine with its guard. Raises
        CallError `admission_changed`, `not_found`, `sql_not_allowed` for rows that the model may not see (what a
        program prints goes to the model), and those of the engine."""
        try:
            async with self.gate.pass_through(source_id):
                await self.admitted(source_id)
                self._rows_may_leave(source_id)
                result = await self._engine(source_id).read(sql, seconds=seconds, rows_kept=rows_kept)
                _unmasked(result)
        except CallError as error:
            self.queries.append(InnerQuery(source_id, sql[:_FAILED_SQL_CHARS], error=error.code))
            raise
        self.queries.append(_recorded(source_id, result))
        return InnerRows(result.columns, result.rows, result.row_count, result.truncated, result.notes)

    async def admitted(self, source_id: str) -> None:
        """Asks the admission as it is now. Raises CallError `admission_changed`."""
        decision = await self.admission.source(self.scope, source_id)
        if isinstance(decision, Closed):
            raise CallError("admission_changed", decision.reason, hint=decision.hint)

    def _rows_may_leave(self, source_id: str) -> None:
        allowed = self.scope.model_rows(source_id)
        if allowed != "full":
            sent = "No rows" if allowed == "none" else "Only samples of the rows"
            raise CallError(
                "sql_not_allowed",
                f"{sent} of {source_id} are sent to the model, so a program may not read them.",
                hint="Compute in SQL with the source's own query tool; people see its result.",
            )

    def _engine(self, source_id: str) -> ReadEngine:
        if self.services.has(ReadEngines):
            engine = self.services.get(ReadEngines).by_source.get(source_id)
            if engine is not None:
                return engine
        raise CallError("not_found", f"The source {source_id!r} cannot be read here.")


def _unmasked(result: ReadResult) -> None:
    if result.masked:
        names = ", ".join(dict.fromkeys(result.masked))
        raise CallError(
            "sql_not_allowed",
            f"{names}: masked, so a program may not read it.",
            hint="Leave masked columns out, or count them in SQL.",
            retryable=True,
        )


def _recorded(source_id: str, result: ReadResult) -> InnerQuery:
    digest = rows_digest([column.name for column in result.columns], result.rows)
    return InnerQuery(source_id, result.sql, result.columns, result.row_count, digest, result.sources)
