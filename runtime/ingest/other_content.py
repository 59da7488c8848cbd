"""Knows a file of another kind that has the name of a table in text form by how it begins."""

from __future__ import annotations

import os
import re

from runtime.ingest.outcome import IngestRefused

_BEGINNINGS = (
    (b"PK\x03\x04", "a package like a spreadsheet's (zip)"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet or Word document"),
    (b"%PDF-", "a PDF"),
    (b"\x1f\x8b", "compressed (gzip)"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"PAR1", "Parquet"),
    (b"{\\rtf", "a document (RTF)"),
)
_JSON = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*"[^"\n]*"\s*:')
_PAGES = (b"<!doctype", b"<html", b"<?xml", b"<head", b"<body", b"<table", b"<div")


def check_text(descriptor: int) -> None:
    """Raises IngestRefused for an open file that is something else, and says what."""
    head = os.pread(descriptor, 1_024, 0)
    for beginning, what in _BEGINNINGS:
        if head.startswith(beginning):
            raise IngestRefused(f"its content is {what}, not delimited text; its name ends wrongly")
    if is_page(head):
        raise IngestRefused("its content is a web page or XML, not delimited text (an error or login page, perhaps)")


def holds_json(descriptor: int) -> bool:
    """Whether an open file begins as a JSON object or a list of such does, whatever it is called."""
    return bool(_JSON.match(os.pread(descriptor, 1_024, 0)))


def is_page(head: bytes) -> bool:
    """Whether a file that begins so is a web page or XML."""
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(_PAGES)
