"""The text of a PDF, page by page: pages without text are counted and said, broken and locked files refused."""

from __future__ import annotations

import logging
import os
import struct
import time
import zlib

from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError, PyPdfError

from runtime.ingest.document_columns import SideBySide
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
        pages, broken, mixed = _pages(reader, min(total, limits.document_pages), limits.document_text_bytes)
    if len(broken) == len(pages):
        raise IngestRefused("a PDF that is damaged: none of its pages can be read")
    notes = _notes(pages, broken, mixed, total)
    return ExtractedText(tuple(pages), True, notes, whole=len(pages) == total and not broken)


def _pages(reader: PdfReader, most: int, most_bytes: int) -> tuple[list[str], list[int], list[int]]:
    """The texts of the first pages, the numbers of those that cannot be read, and of those whose columns are mixed; it
    ends early after 12 seconds."""
    pages, broken, mixed = list[str](), list[int](), list[int]()
    began, size = time.monotonic(), 0
    for number in range(1, most + 1):
        if pages and (time.monotonic() - began > _PAGES_SECONDS or size > most_bytes):
            break
        columns = SideBySide()
        try:
            text = _text(reader.pages[number - 1], columns)
        except _BROKEN:
            broken.append(number)
            text = ""
        if columns.mixed():
            mixed.append(number)
        size += len(text)
        pages.append(text)
    return pages, broken, mixed


def _text(page: PageObject, columns: SideBySide) -> str:
    return page.extract_text(visitor_operand_before=columns.saw).strip("\n")


def _notes(pages: list[str], broken: list[int], mixed: list[int], total: int) -> tuple[str, ...]:
    notes = list[str]()
    empty = [number for number, text in enumerate(pages, 1) if not text.strip() and number not in broken]
    if empty and len(empty) == len(pages):
        notes.append(f"no text on any of the {len(pages):,} pages read: likely a scan; pictures are not read")
    elif empty:
        notes.append(f"no text on {_numbers(empty)}: likely scanned or empty; pictures are not read")
    if broken:
        notes.append(f"{_numbers(broken)} cannot be read: damaged")
    if mixed:
        notes.append(f"two columns side by side come out mixed on {_numbers(mixed)}: a line may hold half of each")
    if len(pages) < total:
        notes.append(f"only the first {len(pages):,} of {total:,} pages are read")
    return tuple(notes)


def _numbers(pages: list[int]) -> str:
    named = ", ".join(map(str, pages[:_NAMED]))
    more = f" and {len(pages) - _NAMED:,} more" if len(pages) > _NAMED else ""
    return f"page{'s' if len(pages) > 1 else ''} {named}{more}"
