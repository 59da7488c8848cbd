"""Rows on their way out of a worker: as JSON, bounded in number, bytes and cell length."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from runtime.engines.worker.frames import RESULT_BYTES
from runtime.evidence import Json, bounded_cells

_BATCH = 100


def bounded_rows(
    fetch: Callable[[int], Sequence[Sequence[Any]]], most: int, cell_chars: int
) -> tuple[list[list[Json]], bool, int]:
    """At most `most` rows and RESULT_BYTES bytes of what `fetch(count)` gives batch by batch, whether there are more,
    and how many cells were cut to `cell_chars`."""
    rows: list[list[Json]] = []
    room, cut = RESULT_BYTES, 0
    while True:
        batch = fetch(min(_BATCH, most + 1 - len(rows)))
        for row in batch:
            cells, shortened = bounded_cells(row, cell_chars)
            room -= len(json.dumps(cells, ensure_ascii=False).encode("utf-8", "surrogatepass"))
            if room < 0 or len(rows) == most:
                return rows, True, cut
            rows.append(cells)
            cut += shortened
        if not batch:
            return rows, False, cut
