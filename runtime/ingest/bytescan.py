"""One pass over a text file's bytes: digest, encoding, line ends and the number of records, independent of DuckDB.

The count of records is what the engine's own count is reconciled with, so nothing here knows about DuckDB.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from runtime.ingest.outcome import IngestRefused

CHUNK = 4 << 20
_ALL_BUT_MARKS = bytes(sorted(set(range(256)) - set(b'"\n\r')))
_FIELD_OPENS_QUOTED = tuple(delimiter + b'"' for delimiter in (b",", b";", b"\t", b"|", b"\n", b"\r", b", "))
_EMPTY_STARTS = (b"\n\n", b"\n\r", b"\r\r")
_ENDS = (b"\n", b"\r")
_EMPTY_LINES = re.compile(rb"\n\n+")
_ESCAPED = re.compile("[\udc80-\udcff]")


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
        """Counts `text`; a carriage return at its very end must already be known to stand alone."""
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
        if b"\n\n" in text:
            self.blank += sum(len(run) - 1 for run in _EMPTY_LINES.findall(text))
        self.at_line_start = text[-1:] == b"\n"

    def records(self, *, keep_blank: bool) -> int:
        """Records by this count; the last one needs no line end. Empty lines count only with `keep_blank`."""
        total = self.ends + (0 if self.at_line_start else 1)
        return total if keep_blank else total - self.blank


@dataclass(slots=True)
class ByteScan:
    """What one pass found. `plain` counts lines as if quotes meant nothing, `quoted` honours quotes (RFC 4180).
    `bad_utf8_line` is the first line that is not UTF-8, 0 when all are. Lines count from 1."""

    size: int = 0
    sha256: str = ""
    bom: bytes = b""
    nul_line: int = 0
    bad_utf8_line: int = 0
    bad_bytes: int = 0
    multibyte: int = 0
    has_quotes: bool = False
    fields_quoted: bool = False
    quote_open: bool = False
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
    state = _Scanner()
    digest = hashlib.sha256()
    offset, held = 0, b""
    with ThreadPoolExecutor(max_workers=1) as hashing:
        while chunk := _read(descriptor, offset):
            done = hashing.submit(digest.update, chunk)
            offset += len(chunk)
            text = held + chunk
            # "\r" at the end of a chunk may be half of "\r\n": it waits for the next chunk.
            held = b"\r" if text.endswith(b"\r") else b""
            state.take(text[: len(text) - len(held)])
            done.result()
    state.take(held)
    found = state.close()
    found.size, found.sha256 = offset, digest.hexdigest()
    return found


def _read(descriptor: int, offset: int) -> bytes:
    try:
        return os.pread(descriptor, CHUNK, offset)
    except OSError as error:
        raise IngestRefused(f"cannot be read ({error.strerror})") from error


class _Scanner:
    def __init__(self) -> None:
        self.found = ByteScan()
        self._first = True
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._pending = False

    def take(self, text: bytes) -> None:
        if not text:
            return
        found = self.found
        if self._first:
            self._first = False
            found.bom = bom_of(text)
            if found.bom == codecs.BOM_UTF8:
                text = text[3:]
            found.fields_quoted = text.startswith(b'"')
        if not found.nul_line and b"\0" in text:
            found.nul_line = self._line(text, text.index(b"\0"))
        self._encoding(text)
        self._lines(text)

    def close(self) -> ByteScan:
        if not self.found.bad_utf8_line and self._pending:
            self.found.bad_utf8_line = self.found.plain.ends + 1
            self.found.bad_bytes += 1
        return self.found

    def _line(self, text: bytes, position: int) -> int:
        before = LineCount()
        before.add(text[:position])
        return self.found.plain.ends + before.ends + 1

    def _encoding(self, text: bytes) -> None:
        found = self.found
        if text.isascii() and not self._pending:
            return
        if not found.bad_utf8_line:
            try:
                decoded = self._decoder.decode(text)
            except UnicodeDecodeError as error:
                found.bad_utf8_line = self._line(text, max(0, error.start))
                self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
            else:
                self._pending = bool(self._decoder.getstate()[0])
                found.multibyte += len(text) - len(decoded)
                return
        decoded = self._decoder.decode(text)
        escaped = len(_ESCAPED.findall(decoded))
        found.bad_bytes += escaped
        found.multibyte += max(0, len(text) - len(decoded))

    def _lines(self, text: bytes) -> None:
        found = self.found
        found.plain.add(text)
        if not found.has_quotes and b'"' not in text:
            found.quoted.add(text)
            return
        if b'"' not in text:
            if not found.quote_open:
                found.quoted.add(text)
            return
        found.has_quotes = True
        if not found.fields_quoted:
            found.fields_quoted = any(opening in text for opening in _FIELD_OPENS_QUOTED)
        outside, toggles = _outside(text, opened=found.quote_open)
        found.quoted.add(outside)
        found.quote_open ^= toggles


def _outside(text: bytes, *, opened: bool) -> tuple[bytes, bool]:
    """The bytes of `text` outside quotes with a quote mark where something was cut, and whether the state flips."""
    marks = text
    fast = _one_line_end(text) and not any(empty in text for empty in _EMPTY_STARTS) and text[:1] not in _ENDS
    if fast:
        # Only marks matter here: everything else goes first, which makes files with every field quoted cheap.
        marks = text.translate(None, _ALL_BUT_MARKS).replace(b'""', b"")
    parts = marks.split(b'"')
    toggles = len(parts) % 2 == 0
    kept = b'"'.join(parts[1::2] if opened else parts[0::2])
    if fast:
        # Between two line ends that stood apart in the file lies text: they must not look like an empty line.
        kept = kept.replace(b"\r\n", b"\0").replace(b"\n", b".\n").replace(b"\r", b".\r").replace(b"\0", b".\r\n")
    if opened ^ toggles or text[-1:] not in _ENDS:
        kept += b'"'
    return kept, toggles


def _one_line_end(text: bytes) -> bool:
    returns, feeds = text.count(b"\r"), text.count(b"\n")
    return not returns or not feeds or returns == feeds == text.count(b"\r\n")
