"""Stage 7: exactly one bounded result for the model, and exactly one evidence record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from runtime.boundary.bounded import fit
from runtime.boundary.call import CallResult, InFlight, Payload
from runtime.capability import Output, ProgramError
from runtime.errors import CALL_CODES, CallError
from runtime.evidence import Evidence, Json, SourceRef, Truncation, rows_digest

_NOTES_SENT = 20
_REPEATED_BYTES = 32  # what the same result needs more when it is given again: a longer id, and that of the first
_MAY_QUOTE = frozenset({"sql_failed", "chart_refused", "remote_failed"})


def succeeded(flight: InFlight) -> CallResult:
    """The envelope `{ok: true, evidence, data, notes, truncated?}` and the evidence of a call that worked."""
    output = flight.produced
    notes = _distinct(flight.notes)
    envelope: Payload = {"ok": True, "evidence": flight.evidence_id, "data": dict(output.data), "notes": _some(notes)}
    if output.truncated:
        envelope["truncated"] = output.truncated.as_json()
    if flight.repeat:
        envelope["repeat_of"] = flight.repeat.id
    text_chars = flight.registered.text_chars or flight.environment.limits.cell_chars
    text, cut = fit(envelope, output.listing, flight.registered.model_text_bytes - _REPEATED_BYTES, text_chars)
    evidence = Evidence(
        id=flight.evidence_id,
        call_id=flight.call.id,
        tool=flight.call.tool,
        title=output.title,
        status="ok",
        summary=output.summary,
        model_text=text,
        sql=output.sql,
        parameters=output.parameters,
        code=_asked(flight, "code"),
        columns=output.columns,
        rows=output.rows,
        row_count=output.row_count,
        truncated=_cut(output),
        output=output.text,
        chart=output.chart,
        sources=_origins(flight, output.sources),
        notes=_distinct((*notes, *output.people_notes)) + (("The model saw a shortened result.",) if cut else ()),
        elapsed_ms=_elapsed(flight),
        result_digest=rows_digest([column.name for column in output.columns], output.rows) if output.columns else None,
        remote=flight.registered.remote is not None,
        queries=tuple(flight.reads.queries),
        usage=output.usage,
    )
    return CallResult(flight.call.id, text, is_error=False, evidence=evidence, loaded=output.loaded)


def _cut(output: Output) -> Truncation | None:
    """Where people's rows end: what was kept of them is more than what the model is shown."""
    cut = output.truncated
    return replace(cut, shown=len(output.rows)) if cut is not None and cut.reason == "rows_kept" else cut


def repeated(flight: InFlight, first: Evidence, text: str, loaded: tuple[str, ...]) -> CallResult:
    """An exact repeat of a successful read: its own evidence, pointing at the first."""
    text = text.replace(f'"evidence":"{first.id}"', f'"evidence":"{flight.evidence_id}","repeat_of":"{first.id}"', 1)
    evidence = replace(
        first,
        id=flight.evidence_id,
        call_id=flight.call.id,
        model_text=text,
        elapsed_ms=_elapsed(flight),
        repeat_of=first.repeat_of or first.id,
    )
    return CallResult(flight.call.id, text, is_error=False, evidence=evidence, loaded=loaded)


def failed(flight: InFlight, error: CallError) -> CallResult:
    """The envelope `{ok: false, evidence, error}` and the evidence of a call that did not work."""
    error = _without_values(flight, error)
    body: dict[str, Json] = error.as_json()
    envelope: Payload = {"ok": False, "evidence": flight.evidence_id, "error": body}
    limits = flight.environment.limits
    text, _ = fit(envelope, None, limits.model_text_bytes, limits.cell_chars)
    evidence = Evidence(
        id=flight.evidence_id,
        call_id=flight.call.id,
        tool=flight.call.tool,
        title="failed",
        status="error",
        summary=error.message,
        model_text=text,
        sql=_asked(flight, "sql"),
        code=_asked(flight, "code"),
        error=body,
        sources=_origins(flight, ()),
        notes=_distinct(flight.notes),
        elapsed_ms=_elapsed(flight),
        remote=flight.capability is not None and flight.capability.remote is not None,
        queries=tuple(flight.reads.queries),
        usage=error.usage if isinstance(error, ProgramError) else None,
    )
    return CallResult(flight.call.id, text, is_error=True, evidence=evidence)


def _without_values(flight: InFlight, error: CallError) -> CallError:
    """The error as the model may read it: where no value of a source leaves, no message that may quote one does."""
    if error.code not in _MAY_QUOTE or flight.capability is None or flight.arguments is None:
        return error
    source = flight.capability.source(flight.arguments)
    # What a remote tool says of its failure are words of its own, which may be rows: they go where its words go.
    withheld = ("none",) if flight.capability.remote is None else ("none", "sample")
    if source is None or flight.environment.scope.model_rows(source) not in withheld:
        return error
    hint = "The reason may quote values of this source, which are not sent to the model."
    return CallError(error.code, CALL_CODES[error.code], hint=hint, retryable=error.retryable)


def _asked(flight: InFlight, name: str) -> str | None:
    value: Any = flight.call.input.get(name)
    limit = flight.environment.limits.sql_bytes
    return value[:limit] if isinstance(value, str) else None


def _origins(flight: InFlight, own: tuple[SourceRef, ...]) -> tuple[SourceRef, ...]:
    """What the call itself read and what its inner queries read, each once."""
    inner = (source for query in flight.reads.queries for source in query.sources)
    return tuple(dict.fromkeys([*own, *inner]))


def _elapsed(flight: InFlight) -> float:
    return round((flight.environment.clock.monotonic() - flight.started) * 1000, 3)


def _distinct(notes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(notes))


def _some(notes: tuple[str, ...]) -> list[Json]:
    shown: list[Json] = [*notes[:_NOTES_SENT]]
    if len(notes) > _NOTES_SENT:
        shown.append(f"and {len(notes) - _NOTES_SENT} more notes")
    return shown
