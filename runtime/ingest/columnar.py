"""Takes a Parquet file into the store as it is, after every value in it has been decoded once."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import duckdb

from runtime.ingest.engine import reasons
from runtime.ingest.lexical import parquet_table
from runtime.ingest.outcome import IngestRefused, ReadingLimits, StorageFailed

_CHUNK = 4 << 20
_MAGIC = b"PAR1"


def check_ends(descriptor: int, size: int) -> None:
    """Refuses what cannot be Parquet by its first and last bytes, before anything is copied. Raises IngestRefused."""
    ends = os.pread(descriptor, len(_MAGIC), 0), os.pread(descriptor, len(_MAGIC), max(0, size - len(_MAGIC)))
    if ends != (_MAGIC, _MAGIC):
        raise IngestRefused("not a whole Parquet file: it does not begin and end like one")


def copy_bytes(descriptor: int, out: Path) -> str:
    """Copies the open file to `out` and returns the sha256 of what was copied. Raises StorageFailed."""
    digest = hashlib.sha256()
    offset = 0
    try:
        with out.open("wb") as copy:
            while chunk := os.pread(descriptor, _CHUNK, offset):
                digest.update(chunk)
                copy.write(chunk)
                offset += len(chunk)
    except OSError as error:
        raise StorageFailed(f"{out.parent}: {error.strerror}") from error
    return digest.hexdigest()


def check_parquet(
    connection: duckdb.DuckDBPyConnection, path: Path, limits: ReadingLimits
) -> tuple[tuple[tuple[str, str], ...], int, tuple[str, ...]]:
    """(columns, rows, notes) of a Parquet file whose every page could be decoded. Raises IngestRefused."""
    table = parquet_table(path)
    try:
        with reasons():
            described = connection.execute(f"DESCRIBE FROM {table}").fetchall()
            columns = tuple((str(row[0]), str(row[1])) for row in described)
            if len(columns) > limits.columns:
                raise IngestRefused(f"{len(columns):,} columns; at most {limits.columns:,} are read")
            # Hashing each value makes DuckDB decode each page; counting alone would trust the footer.
            counted = connection.execute(f"SELECT count(*), bit_xor(hash(COLUMNS(*))) FROM {table}").fetchone()
    except IngestRefused as refusal:
        raise IngestRefused(f"not a whole Parquet file: {refusal.reason.replace(str(path), 'it')}") from refusal
    rows = int(counted[0]) if counted else 0
    return columns, rows, () if rows else ("no rows: the file has columns only",)
