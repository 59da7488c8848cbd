"""An answer, of a worker or a server, as the result of a read."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.engines.port import ReadResult
from runtime.engines.worker.protocol import Answer
from runtime.evidence import SourceRef, Truncation


def read_result(
    sql: str,
    answer: Answer,
    *,
    sources: Sequence[SourceRef],
    elapsed_ms: float,
    cell_chars: int,
    notes: Sequence[str] = (),
    masked: tuple[str, ...] = (),
    named_by_rows: bool = False,
) -> ReadResult:
    """The result with its true count, and a note when cells were cut to `cell_chars`."""
    kept = len(answer.rows)
    cells = "1 cell" if answer.cut_cells == 1 else f"{answer.cut_cells:,} cells"
    were = "was" if answer.cut_cells == 1 else "were"
    cut = f"{cells} longer than {cell_chars:,} characters {were} cut; a cut cell ends in …"
    return ReadResult(
        sql=sql,
        columns=answer.columns,
        rows=answer.rows,
        row_count=answer.total if answer.total is not None else kept,
        elapsed_ms=elapsed_ms,
        truncated=Truncation("rows_kept", kept, answer.total) if answer.more else None,
        sources=tuple(sources),
        notes=(*notes, *answer.notes, *([cut] if answer.cut_cells else [])),
        masked=masked,
        named_by_rows=named_by_rows,
    )
