"""A read's rows as a tool result: whole when short, else its head and the true count; the schema says the same."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from runtime.capability import CallContext, Output
from runtime.engines.port import ReadResult
from runtime.evidence import Json, Truncation
from runtime.toolboxes.model_view import ModelView

TABLE_PROPERTIES: Mapping[str, Any] = {
    "columns": {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["name", "type"],
            "additionalProperties": False,
            "properties": {"name": {"type": "string"}, "type": {"type": "string"}},
        },
    },
    "rows": {"type": "array", "items": {"type": "array"}},
    "row_count": {"type": "integer", "minimum": 0},
    "shown": {"type": "integer", "minimum": 0},
}


def table_output(
    result: ReadResult, context: CallContext, source_id: str, more: Mapping[str, Json] | None = None
) -> Output:
    """All rows for evidence, and for the model at most `sql_rows_whole` of them whole within the text bound, else
    the first `sql_rows_head`, as far as the terms of `source_id` and its masked columns allow. `more` is added to the
    data."""
    view = ModelView.of(context, source_id, result.masked)
    view.require_names(result)
    shown = view.rows(result.columns, _shown(result, context, more or {}))
    cut = result.truncated
    total = result.row_count if cut is None else cut.total
    if cut is not None or len(shown) < len(result.rows):
        cut = Truncation(cut.reason if cut else "rows_shown", len(shown), total)
    data: dict[str, Json] = {
        "columns": [{"name": column.name, "type": column.type} for column in result.columns],
        "rows": shown,
        "row_count": result.row_count,
        "shown": len(shown),
        **(more or {}),
    }
    return Output(
        title=rows_in_words(result),
        summary=f"{rows_in_words(result)} from {_origins(result)}.",
        data=data,
        listing="rows",
        notes=(*view.notes(result.columns, result.row_count), *(result.notes if view.shows_values else ())),
        people_notes=() if view.shows_values else result.notes,
        truncated=cut,
        sql=result.sql,
        columns=result.columns,
        rows=result.rows,
        row_count=result.row_count,
        sources=result.sources,
    )


def with_values(result: ReadResult, parameters: Sequence[Json]) -> ReadResult:
    """The result with a note of the values that were bound: its SQL alone doesn't tell what was read."""
    if not parameters:
        return result
    bound = ", ".join(json.dumps(value, ensure_ascii=False) for value in parameters)
    return replace(result, notes=(*result.notes, f"Values of the placeholders, in order: {bound}"))


def rows_in_words(result: ReadResult) -> str:
    """For example `1 row`, `1,204 rows`, `over 1,000 rows`."""
    unknown = result.truncated is not None and result.truncated.total is None
    return f"{'over ' if unknown else ''}{result.row_count:,} {'row' if result.row_count == 1 else 'rows'}"


def _shown(result: ReadResult, context: CallContext, more: Mapping[str, Json]) -> Sequence[Sequence[Json]]:
    limits = context.limits
    if result.row_count <= limits.sql_rows_whole and result.truncated is None:
        text = json.dumps([result.rows, more, result.notes], ensure_ascii=False, separators=(",", ":"))
        if len(text.encode("utf-8", "replace")) <= limits.model_text_bytes:
            return result.rows
    return result.rows[: limits.sql_rows_head]


def _origins(result: ReadResult) -> str:
    names = [source.object for source in result.sources]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") if names else "no table"
