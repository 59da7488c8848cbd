"""Reads delimited text that has the name of a spreadsheet, as many programs export it."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb

from runtime.ingest.bytescan import bom_of, scan
from runtime.ingest.delimited import Reading, read_delimited
from runtime.ingest.open_text import OpenText
from runtime.ingest.other_content import is_page
from runtime.ingest.outcome import IngestRefused, ReadingLimits

_HEAD = 1_024
_PACKAGE = b"PK"  # a damaged package of a spreadsheet is no text
_NOTE = "its content is delimited text, not a spreadsheet as its name says: read as such"
NOT_A_BOOK = "not a spreadsheet: it begins like another kind of file"


def is_text(descriptor: int) -> bool:
    """Whether an open file begins like a text."""
    head = os.pread(descriptor, _HEAD, 0)
    if not head or head.startswith(_PACKAGE):
        return False
    return bool(bom_of(head)) or not any(byte < 9 for byte in head)


def read_text_book(
    connection: duckdb.DuckDBPyConnection, descriptor: int, limits: ReadingLimits, folder: Path, out: Path
) -> Reading:
    """The table of an open text, as `read_delimited` gives it. Raises IngestRefused also when it has one column only:
    anything would pass for that."""
    head = os.pread(descriptor, _HEAD, 0)
    if is_page(head):
        raise IngestRefused(
            "a web page or XML under the name of a spreadsheet; open it in a spreadsheet program and save it as XLSX"
        )
    kind = "tsv" if b"\t" in head.partition(b"\n")[0] else "csv"
    text = OpenText(connection, descriptor, scan(descriptor), kind, limits, folder, out)
    columns, rows, notes = read_delimited(text)
    if len(columns) < 2:
        raise IngestRefused(NOT_A_BOOK)
    return columns, rows, (_NOTE, *notes)
