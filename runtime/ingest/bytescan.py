"""One pass over a text file's bytes: digest, NUL bytes, line ends and the number of records, independent of DuckDB.

The count of records is what the engine's own count is reconciled with, so nothing here knows about DuckDB. The pass
costs about a tenth of DuckDB's reading: it looks at all bytes only with the few fast operations that bytes have.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from runtime.ingest.outcome import IngestRefused

CHUNK = 1 << 20  # of these sizes the fastest: it stays in a core's cache through all looks
_ALL_BUT_MARKS = bytes(sorted(set(range(256)) - set(b'"\n\r\0')))
_FIELD_OPENS_QUOTED = tuple(delimiter + b'"' for delimiter in (b",", b";", b"\t", b"|", b"\n", b"\r", b", "))
_ENDS = (b"\n", b"\r")
_MARKS = (b"\xcc", b"\xcd", b"\xe1\x84", b"\xe1\x85", b"\xe3\x82\x99", b"\xe3\x82\x9a")
"""How marks begin in UTF-8 that are put over Latin, Greek and Cyrillic letters, Korean parts of syllables, and Japanese
marks."""
_EMPTY_LINES = re.compile(rb"\n\n+")
_TWO_FEEDS = re.compile(rb"\n\n")  # twice as fast as `b"\n\n" in text`


@dataclass(slots=True)
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

    def add(self, text: bytes) -> None:
        """Counts any `text`; a carriage return at its very end must already be known to stand alone."""
        if not text:
            return
        feeds, returns = text.count(b"\n"), text.count(b"\r")
        pairs = text.count(b"\r\n") if returns and feeds else 0
        self.crlf += pairs
        self.lf += feeds - pairs
        self.cr += returns - pairs
        if returns:
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if self.at_line_start and text[:1] == b"\n":
            self.blank += 1
        self.blank += sum(len(run) - 1 for run in _EMPTY_LINES.findall(text))
        self.at_line_start = text[-1:] == b"\n"

    def add_marks(self, marks: bytes, *, ended: bool) -> None:
        """Counts a text without empty lines and with one kind of line end, of which `marks` holds the line ends only;
        `ended` says whether the text ends with one."""
        feeds, returns = marks.count(b"\n"), marks.count(b"\r")
        if feeds and returns:
            self.crlf += feeds
        else:
            self.lf += feeds
            self.cr += returns
        self.at_line_start = ended

    def records(self, *, keep_blank: bool) -> int:
        """Records by this count; the last one needs no line end. Empty lines count only with `keep_blank`."""
        total = self.ends + (0 if self.at_line_start else 1)
        return total if keep_blank else total - self.blank


@dataclass(slots=True)
class ByteScan:
    """What one pass found. `plain` counts lines as if quotes meant nothing, `quoted` honours quotes (RFC 4180).
    `nul_line` is the first line with a NUL byte, 0 when there is none. Lines count from 1. Unless `blank_known`, empty
    lines were not looked for and hardly any are counted. `marks_apart`: in a UTF-8 text, letters may have their marks
    apart; `tail` are the last bytes."""

    size: int = 0
    sha256: str = ""
    bom: bytes = b""
    nul_line: int = 0
    has_quotes: bool = False
    fields_quoted: bool = False
    quote_open: bool = False
    blank_known: bool = True
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


def scan(descriptor: int, *, blank: bool = True) -> ByteScan:
    """Reads the whole open file once; empty lines, which take a fifth of the time, are looked for if `blank`. Raises
    IngestRefused on a read error of the disk below."""
    found = ByteScan(bom=bom_of(os.pread(descriptor, 4, 0)), blank_known=blank)
    digest = hashlib.sha256()
    offset, held = 0, b""
    with ThreadPoolExecutor(max_workers=1) as hashing:
        while chunk := _read(descriptor, offset):
            done = hashing.submit(digest.update, chunk)
            text = held + chunk
            # "\r" at the end of a chunk may be half of "\r\n", and the mark at the start is no text.
            held = b"\r" if text.endswith(b"\r") else b""
            start = len(codecs.BOM_UTF8) if not offset and found.bom == codecs.BOM_UTF8 else 0
            _take(found, text[start : len(text) - len(held)])
            offset += len(chunk)
            done.result()
    _take(found, held)
    found.size, found.sha256 = offset, digest.hexdigest()
    return found


def promise(descriptor: int) -> ByteScan:
    """What the whole lines among the first bytes say about all of an open file: as `scan`, without a digest. A quote
    that they leave open is taken to be closed further down."""
    head = _read(descriptor, 0)
    found = ByteScan(size=os.fstat(descriptor).st_size, bom=bom_of(head))
    start = len(codecs.BOM_UTF8) if found.bom == codecs.BOM_UTF8 else 0
    _take(found, head[start : 1 + max(map(head.rfind, _ENDS))])
    found.quote_open = False
    return found


def _read(descriptor: int, offset: int) -> bytes:
    try:
        # The first read is whole enough for a mark that must not be cut.
        return os.pread(descriptor, CHUNK if offset else max(CHUNK, 4), offset)
    except OSError as error:
        raise IngestRefused(f"cannot be read ({error.strerror})") from error


def _take(found: ByteScan, text: bytes) -> None:
    if not text:
        return
    if not (found.marks_apart or text.isascii()):
        found.marks_apart = _has_marks_apart(text) or _has_marks_apart(found.tail + text[:2])
    found.tail = text[-2:]
    marks = text.translate(None, _ALL_BUT_MARKS)
    if not found.nul_line and b"\0" in marks:
        before = LineCount()
        before.add(text[: text.index(b"\0")])
        found.nul_line = found.plain.ends + before.ends + 1
    if not found.fields_quoted and not found.plain.ends and found.plain.at_line_start:
        found.fields_quoted = text.startswith(b'"')
    simple = not (found.blank_known and _has_blank(text)) and _simple(text, marks)
    if simple:
        found.plain.add_marks(marks, ended=text[-1:] in _ENDS)
    else:
        found.plain.add(text)
    if b'"' in marks:
        found.has_quotes = True
        found.fields_quoted = found.fields_quoted or any(opening in text for opening in _FIELD_OPENS_QUOTED)
        _take_quoted(found, text, marks if simple else None)
    elif not found.quote_open:
        if simple:
            found.quoted.add_marks(marks, ended=text[-1:] in _ENDS)
        else:
            found.quoted.add(text)


def _has_marks_apart(text: bytes) -> bool:
    # Most texts lack the single bytes, which are sought much faster than pairs.
    return any(mark[:1] in text and mark in text for mark in _MARKS)


def _has_blank(text: bytes) -> bool:
    """Whether an empty line may stand in a text whose only line ends are feeds."""
    return text[:1] in _ENDS or bool(_TWO_FEEDS.search(text))


def _simple(text: bytes, marks: bytes) -> bool:
    """True for one kind of line end and no empty line between returns: that needs no look at the text itself."""
    returns = marks.count(b"\r")
    if not returns:
        return True
    feeds = marks.count(b"\n")
    if feeds and (returns != feeds or text.count(b"\r\n") != feeds):
        return False
    return b"\n\r" not in text and b"\r\r" not in text


def _take_quoted(found: ByteScan, text: bytes, marks: bytes | None) -> None:
    """Counts what lies outside quotes. Pairs of quote marks, with nothing or with text between them, change nothing
    about where the others stand, so they go first: that makes files with every field quoted cheap."""
    parts = (text if marks is None else marks.replace(b'""', b"")).split(b'"')
    outside = b'"'.join(parts[1::2] if found.quote_open else parts[0::2])
    found.quote_open ^= len(parts) % 2 == 0
    inside_at_end = found.quote_open or text[-1:] not in _ENDS
    if marks is not None:
        found.quoted.add_marks(outside, ended=not inside_at_end)
    else:
        found.quoted.add(outside + b'"' if inside_at_end else outside)
