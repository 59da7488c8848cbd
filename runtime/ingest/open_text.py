"""An open text file on its way into one Parquet file: what each step of the reading needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb

from runtime.ingest.ahead import Ahead
from runtime.ingest.bytescan import ByteScan
from runtime.ingest.outcome import Kind, ReadingLimits


@dataclass(frozen=True, slots=True)
class OpenText:
    """`found` is the scan of the open file `descriptor`; `folder` takes temporary copies; `out` is to be written, if it
    isn't already being written `ahead` of the scan."""

    connection: duckdb.DuckDBPyConnection
    descriptor: int
    found: ByteScan
    kind: Kind
    limits: ReadingLimits
    folder: Path
    out: Path
    ahead: Ahead | None = None
