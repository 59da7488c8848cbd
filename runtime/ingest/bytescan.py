"""One pass over a text file's bytes: digest, NUL bytes, line ends and the number of records, independent of DuckDB.

The count of records is what the engine's own count is reconciled with, so nothing here knows about DuckDB.
"""

from __future__ import annotations

import codecs
import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from runtime.ingest.outcome import IngestRefused
from runtime.ingest.tally import Lines, Tally

CHUNK = 1 << 20
_FIELD_OPENS_QUOTED = tuple(delimiter + b'"' for delimiter in (b",", b";", b"\t", b"|", b"\n", b"\r", b", "))
_MARKS = (b"\xcc", b"\xcd", b"\xe1\x84", b"\xe1\x85", b"\xe3\x82\x99", b"\xe3\x82\x9a")
"""How marks begin in UTF-8 that are put over Latin, Greek and Cyrillic letters, Korean parts of syllables, and Japanese
marks."""


@dataclass(frozen=True, slots=True)
class LineCount:
    """Line ends of each kind and empty lines, in one reading of the file (with or without quoting)."""

    lf: int = 0
    crlf: int = 0
    cr: int = 0
    blank: int = 0
    at_line_start: bool = True

    @property
    def ends(self) -> int:
        return self.lf + self.crlf + self.cr

    def records(self, *, keep_blank: bool) -> int:
        """Records by this count; the last one needs no line end. Empty lines count only with `keep_blank`."""
        total = self.ends + (0 if self.at_line_start else 1)
        return total if keep_blank else total - self.blank


@dataclass(slots=True)
class ByteScan:
    """What one pass found. `plain` counts lines as if quotes meant nothing, `quoted` honours quotes (RFC 4180).
    `nul_line` is the first line with a NUL byte, 0 when there is none. Lines count from 1. `labels`: some value may be
    a total's label. `marks_apart`: in a UTF-8 text, letters may have their marks apart; `tail` are the last bytes."""

    size: int = 0
    sha256: str = ""
    bom: bytes = b""
    nul_line: int = 0
    has_quotes: bool = False
    fields_quoted: bool = False
    quote_open: bool = False
    labels: bool = True
    marks_apart: bool = False
    tail: bytes = b""
    plain: LineCount = field(default_factory=LineCount)
    quoted: LineCount = field(default_factory=LineCount)


def bom_of(head: bytes) -> bytes:
    """The byte order mark that `head` begins with, or nothing."""
    marks = (codecs.BOM_UTF8, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return next((mark for mark in marks if head.startswith(mark)), b"")


def digest_of(descriptor: int) -> str:
    """sha256 (hexadecimal) of a whole open file."""
    digest = hashlib.sha256()
    offset = 0
    while chunk := os.pread(descriptor, CHUNK, offset):
        digest.update(chunk)
        offset += len(chunk)
    return digest.hexdigest()


def scan(descriptor: int) -> ByteScan:
    """Reads the whole open file once. Raises IngestRefused on a read error of the disk below."""
    found, tally = ByteScan(bom=bom_of(os.pread(descriptor, 4, 0))), Tally()
    digest = hashlib.sha256()
    offset = 0
    with ThreadPoolExecutor(max_workers=1) as hashing:
        while chunk := _read(descriptor, offset):
            done = hashing.submit(digest.update, chunk)
            # The mark at the start is no text.
            start = len(codecs.BOM_UTF8) if not offset and found.bom == codecs.BOM_UTF8 else 0
            _take(found, tally, chunk[start:])
            offset += len(chunk)
            done.result()
    tally.end()
    _count(found, tally)
    found.size, found.sha256, found.labels = offset, digest.hexdigest(), tally.label
    return found


def promise(descriptor: int) -> ByteScan:
    """What the whole lines among the first bytes say about all of an open file: as `scan`, without a digest. A quote
    that they leave open is taken to be closed further down."""
    head = _read(descriptor, 0)
    found, tally = ByteScan(size=os.fstat(descriptor).st_size, bom=bom_of(head)), Tally()
    start = len(codecs.BOM_UTF8) if found.bom == codecs.BOM_UTF8 else 0
    # A return at the end may be half of a line end.
    end = head.rfind(b"\n") if b"\n" in head else head.rfind(b"\r")
    _take(found, tally, head[start : 1 + end])
    _count(found, tally)
    found.quote_open = False
    return found


def _read(descriptor: int, offset: int) -> bytes:
    try:
        # The first read is whole enough for a mark that must not be cut.
        return os.pread(descriptor, CHUNK if offset else max(CHUNK, 4), offset)
    except OSError as error:
        raise IngestRefused(f"cannot be read ({error.strerror})") from error


def _take(found: ByteScan, tally: Tally, text: bytes) -> None:
    if not text:
        return
    if not (found.marks_apart or text.isascii()):
        found.marks_apart = _has_marks_apart(text) or _has_marks_apart(found.tail + text[:2])
    if not found.fields_quoted and b'"' in text:
        found.has_quotes = True
        begun = found.tail + text
        first = not found.tail and text.startswith(b'"')
        found.fields_quoted = first or any(opening in begun for opening in _FIELD_OPENS_QUOTED)
    found.tail = (found.tail + text[-2:])[-2:]
    if not found.nul_line and (nul := text.find(b"\0")) >= 0:
        tally.take(text[:nul])
        _count(found, tally)
        found.nul_line = found.plain.ends + 1
        text = text[nul:]
    tally.take(text)


def _has_marks_apart(text: bytes) -> bool:
    # Most texts lack the single bytes, which are sought much faster than pairs.
    return any(mark[:1] in text and mark in text for mark in _MARKS)


def _count(found: ByteScan, tally: Tally) -> None:
    plain, quoted, found.quote_open, at_line_start = tally.lines()
    found.plain = _lines(plain, at_line_start=at_line_start)
    found.quoted = _lines(quoted, at_line_start=at_line_start and not found.quote_open)


def _lines(counted: Lines, *, at_line_start: bool) -> LineCount:
    feeds, returns = counted.feeds - counted.pairs, counted.returns - counted.pairs
    return LineCount(feeds, counted.pairs, returns, counted.blank, at_line_start)
