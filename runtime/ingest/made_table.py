"""A table made from a file that may hold several."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class MadeTable:
    """Its Parquet file, columns with types, row count, notes; `part` says for people where in the file it stands,
    `label` what its name adds to the file's."""

    out: Path
    columns: tuple[tuple[str, str], ...]
    rows: int
    notes: tuple[str, ...]
    part: str
    label: str
