"""DuckDB as the reader uses it: bounded, offline, and with its errors turned into reasons people understand."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Generator
from pathlib import Path

import duckdb

from runtime.ingest.columns import MISFIT
from runtime.ingest.outcome import IngestRefused, Irregular, ReadingLimits, StorageFailed

_LINE = re.compile(r"CSV Error on Line: (\d+)")
_WIDTH = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_DISK = ("No space left on device", "Disk quota exceeded", "Read-only file system", "Permission denied")


class NotUtf8(Exception):
    """The text is not UTF-8 somewhere beyond its first MiB."""


class Misfit(Exception):
    """A value that does not fit its column's guessed type: the types have to be decided over the whole file."""


def connect(limits: ReadingLimits, temporary: Path) -> duckdb.DuckDBPyConnection:
    """An in-memory database with the reader's bounds; nothing is ever fetched."""
    connection = duckdb.connect(
        config={
            "memory_limit": f"{limits.memory_bytes}B",
            "threads": str(limits.threads),
            "temp_directory": str(temporary),
            "max_temp_directory_size": f"{limits.temp_bytes}B",
            "autoload_known_extensions": "false",
            "autoinstall_known_extensions": "false",
            "allow_community_extensions": "false",
            "python_enable_replacements": "false",
        }
    )
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


@contextlib.contextmanager
def reasons() -> Generator[None]:
    """Turns DuckDB's errors into IngestRefused, Misfit, NotUtf8 or StorageFailed."""
    try:
        yield
    except duckdb.Error as error:
        text = str(error)
        if MISFIT in text:
            raise Misfit(text) from error
        if "Invalid unicode" in text:
            raise NotUtf8 from error
        disk = next((sign for sign in _DISK if sign in text), "")
        if disk:
            raise StorageFailed(disk) from error
        irregular = "CSV Error" in text or "invalid state" in text
        raise (Irregular if irregular else IngestRefused)(_reason(error, text)) from error


def _reason(error: duckdb.Error, text: str) -> str:
    line = _LINE.search(text)
    at = f"line {line[1]}" if line else ""
    width = _WIDTH.search(text)
    if width:
        return f"ragged rows: {at} has {width[2]} values where the first row has {width[1]}"
    if "unterminated quote" in text or "unquoted" in text:
        return f"{at}: a quote mark stands inside a value or is never closed"
    if "Maximum line size" in text:
        return f"{at} is longer than 2 MB" if at else "a line is longer than 2 MB"
    if "invalid state" in text:
        return "its quotes or line ends do not follow the CSV rules (RFC 4180)"
    if isinstance(error, duckdb.OutOfMemoryException) or "max_temp_directory_size" in text:
        return "reading it needs more memory than is allowed"
    return f"{at}: {_first_line(text)}" if at else _first_line(text)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0][:300]
