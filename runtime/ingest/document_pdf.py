"""The text of a PDF, page by page: pages without text are counted and said, broken and locked files refused."""

from __future__ import annotations

import logging
import os
import struct
import time
import zlib

from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError, PyPdfError

from runtime.ingest.document_store import ExtractedText
from runtime.ingest.outcome import IngestRefused, ReadingLimits

_PAGES_SECONDS = 12.0
_NAMED = 10
# What a PDF that breaks its own rules makes the library raise; memory and endless loops end the reader process.
_BROKEN = (
    PyPdfError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)


def pdf_text(descriptor: int, limits: ReadingLimits) -> ExtractedText:
    """One text for each page that was read, in order. Raises IngestRefused with the reason."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        try:
            stream.seek(0)
            reader = PdfReader(stream, strict=False)
            if reader.is_encrypted and not reader.decrypt(""):
                raise IngestRefused("a PDF that is protected by a password")
            total = len(reader.pages)
        except DependencyError as error:
            raise IngestRefused("a PDF that is encrypted in a way that is not read") from error
        except _BROKEN as error:
            raise IngestRefused("a PDF that is damaged: its pages cannot be found") from error
        if not total:
            raise IngestRefused("a PDF without pages")
        pages, broken = _pages(reader, min(total, limits.document_pages), limits.document_text_bytes)
    if len(broken) == len(pages):
        raise IngestRefused("a PDF that is damaged: none of its pages can be read")
    return ExtractedText(tuple(pages), True, _notes(pages, broken, total), whole=len(pages) == total and not broken)


def _pages(reader: PdfReader, most: int, most_bytes: int) -> tuple[list[str], list[int]]:
    """The texts of the first pages, and the numbers of those that cannot be read; it ends early after 12 seconds."""
    pages, broken = list[str](), list[int]()
    began, size = time.monotonic(), 0
    for number in range(1, most + 1):
        if pages and (time.monotonic() - began > _PAGES_SECONDS or size > most_bytes):
            break
        try:
            text = _text(reader.pages[number - 1])
        except _BROKEN:
            broken.append(number)
            text = ""
        size += len(text)
        pages.append(text)
    return pages, broken


def _text(page: PageObject) -> str:
    return page.extract_text().strip("\n")


def _notes(pages: list[str], broken: list[int], total: int) -> tuple[str, ...]:
    notes = list[str]()
    empty = [number for number, text in enumerate(pages, 1) if not text.strip() and number not in broken]
    if empty and len(empty) == len(pages):
        notes.append(f"no text on any of the {len(pages):,} pages read: likely a scan; pictures are not read")
    elif empty:
        notes.append(f"no text on {_numbers(empty)}: likely scanned or empty; pictures are not read")
    if broken:
        notes.append(f"{_numbers(broken)} cannot be read: damaged")
    if len(pages) < total:
        notes.append(f"only the first {len(pages):,} of {total:,} pages are read")
    return tuple(notes)


def _numbers(pages: list[int]) -> str:
    named = ", ".join(map(str, pages[:_NAMED]))
    more = f" and {len(pages) - _NAMED:,} more" if len(pages) > _NAMED else ""
    return f"page{'s' if len(pages) > 1 else ''} {named}{more}"
