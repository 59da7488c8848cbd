"""Writes rows as a plain CSV text of our own: commas, every value quoted, line feeds; what is missing stays empty."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from runtime.ingest.composed import composed
from runtime.ingest.outcome import StorageFailed

Cells = Sequence[str | None]


def rewritten(rows: Iterable[Cells], folder: Path) -> int:
    """An unnamed file with `rows`, as a descriptor that the caller closes. Empty text and None are both left empty;
    letters are put together with their marks. Raises StorageFailed when it cannot be written."""
    try:
        with tempfile.TemporaryFile(dir=folder) as copy:
            for row in rows:
                copy.write(composed(_line(row)).encode("utf-8", "replace"))
            copy.flush()
            return os.dup(copy.fileno())
    except OSError as error:
        raise StorageFailed(f"{folder}: {error.strerror}") from error


def _line(row: Cells) -> str:
    # A quoted empty value keeps a row of one empty cell from looking like an empty line.
    return ",".join('"' + cell.replace('"', '""') + '"' if cell else '""' for cell in row) + "\n"
