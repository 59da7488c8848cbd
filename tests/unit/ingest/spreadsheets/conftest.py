"""Reads workbooks in this process, and writes small ones."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
import xlsxwriter

from runtime.ingest import FileJob, ReadWorkbook
from runtime.ingest.outcome import ReadingLimits
from runtime.ingest.reading import read_file
from tests.unit.ingest.conftest import LIMITS, Table

LONG_AGO = 1_700_000_000


@pytest.fixture
def read_book(
    session_connection: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., list[Table]]:
    """The tables of a workbook, given as a path or as bytes."""
    store = tmp_path_factory.mktemp("store")
    folder = tmp_path_factory.mktemp("books")

    def read(content: Path | bytes, limits: ReadingLimits = LIMITS) -> list[Table]:
        path = content if isinstance(content, Path) else folder / "book.xlsx"
        if isinstance(content, bytes):
            path.write_bytes(content)
            os.utime(path, (LONG_AGO, LONG_AGO))
        reading, _ = read_file(session_connection, FileJob(str(path.parent), path.name, "workbook", str(store)), limits)
        assert isinstance(reading, ReadWorkbook)
        return [
            Table(
                table,
                session_connection.execute(
                    "FROM read_parquet(?)", [str(store / "tables" / f"{table.key}.parquet")]
                ).fetchall(),
            )
            for table in reading.tables
        ]

    return read


def written(fill: Callable[[xlsxwriter.Workbook], Any], **options: Any) -> bytes:
    """A workbook as the writing library makes it: its formulas have results only where they are given."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True, **options}) as book:
        fill(book)
    return out.getvalue()


def repacked(content: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """A workbook with each part changed by `change(name, body)`; one for which it gives None is left out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            body = change(part.filename, old.read(part))
            if body is not None:
                new.writestr(part.filename, body)
    return out.getvalue()


def saved(*rows: list[Any], adapt: Callable[[Any, Any], Any] = lambda book, sheet: None) -> bytes:
    """A workbook of one sheet with these rows, changed by `adapt(book, sheet)` before it is saved."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    adapt(book, sheet)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
