"""Reads delimited text that has the name of a spreadsheet, as many programs export it."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path
from typing import Literal

import duckdb

from runtime.ingest.bytescan import bom_of, scan
from runtime.ingest.delimited import Reading, read_delimited
from runtime.ingest.open_text import OpenText
from runtime.ingest.outcome import IngestRefused, ReadingLimits

_HEAD = 1_024
_TAG = re.compile(r"<[a-z!?]")
_BOOK = re.compile(r"<([a-z]+:)?workbook[\s>]")
_XHTML = re.compile(r"<html[\s>]|<!doctype html")
_ARCHIVE = re.compile(rb"^mime-version: *\d", re.IGNORECASE | re.MULTILINE)
Markup = Literal["", "xml", "page"]
_PACKAGE = b"PK"  # a damaged package of a spreadsheet is no text
_NOTE = "its content is delimited text, not a spreadsheet as its name says: read as such"
NOT_A_BOOK = "not a spreadsheet: it begins like another kind of file"


def markup_of(descriptor: int) -> Markup:
    """Whether an open text begins like a web page ("page"), like other XML ("xml"), or like neither ("")."""
    head = os.pread(descriptor, _HEAD, 0)
    mark = bom_of(head)
    codec = "utf-16" if mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"
    text = head.decode(codec, "ignore").lstrip().lower()
    if not _TAG.match(text):
        return ""
    xml = text.startswith("<?xml") or _BOOK.match(text)
    return "xml" if xml and not _XHTML.search(text) else "page"


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
    if _ARCHIVE.search(head):
        raise IngestRefused("a web archive (MHTML) under the name of a spreadsheet; open it there and save it as XLSX")
    kind = "tsv" if b"\t" in head.partition(b"\n")[0] else "csv"
    text = OpenText(connection, descriptor, scan(descriptor), kind, limits, folder, out)
    columns, rows, notes = read_delimited(text)
    if len(columns) < 2:
        raise IngestRefused(NOT_A_BOOK)
    return columns, rows, (_NOTE, *notes)
