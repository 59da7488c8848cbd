"""Judges how a text file is encoded: UTF-8 proved over the whole file, UTF-16 by its mark, else Windows-1252."""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass

from runtime.ingest.bytescan import ByteScan, bom_of
from runtime.ingest.outcome import IngestRefused

_CHUNK = 1 << 20
_BEYOND_ASCII = bytes(range(128, 256))
_ESCAPED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Encoding:
    """A codec's name and what has to be said about it."""

    name: str
    notes: tuple[str, ...] = ()


UTF8 = Encoding("utf-8")


def likely_encoding(descriptor: int, found: ByteScan) -> Encoding:
    """The encoding by the mark and the first MiB. UTF-8 is a guess then, which DuckDB proves: it refuses text that is
    not. Raises IngestRefused for encodings that aren't read."""
    if found.bom in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        raise IngestRefused("its encoding is UTF-32, which is not read")
    if found.bom in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return Encoding("utf-16", ("encoding: UTF-16, read as such",))
    if found.nul_line:
        return with_nuls(os.pread(descriptor, _CHUNK, 0), found.nul_line)
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(os.pread(descriptor, _CHUNK, 0))
    except UnicodeDecodeError:
        return proved_encoding(descriptor)
    return UTF8


def check_head(descriptor: int) -> None:
    """Raises IngestRefused for a file whose first MiB shows by its zero bytes that it is no text, so that not all of a
    large one has to be read for that."""
    head = os.pread(descriptor, _CHUNK, 0)
    if b"\0" in head and not bom_of(head):
        with_nuls(head, head.count(b"\n", 0, head.index(b"\0")) + 1)


def with_nuls(head: bytes, line: int) -> Encoding:
    """UTF-16 without a mark when nearly every second byte is NUL; a text when NUL bytes are rare. Raises IngestRefused
    for anything else, which names the `line` of the first zero byte."""
    pairs = max(1, len(head) // 2)
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) > 0.4 * pairs and min(even, odd) < 0.05 * pairs:
        name = "utf-16-le" if odd > even else "utf-16-be"
        return Encoding(name, ("encoding: UTF-16 without a mark, read as such",))
    if even + odd > 0.2 * len(head) or b"\0\0\0\0" in head:
        raise IngestRefused(f"line {line}: NUL bytes stand in it; it is not a text")
    return UTF8


def proved_encoding(descriptor: int) -> Encoding:
    """The encoding by all bytes: UTF-8 when every byte fits, Windows-1252 when next to nothing in the file is UTF-8
    beyond ASCII. Raises IngestRefused with the line for a file that is UTF-8 but for some bytes."""
    bad_line = lines = valid = ascii_only = 0
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    offset, more = 0, True
    while more:
        chunk = os.pread(descriptor, _CHUNK, offset)
        offset += len(chunk)
        more = bool(chunk)
        text = decoder.decode(chunk, final=not more)
        if not bad_line:
            first = None if text.isascii() else _ESCAPED.search(text)
            bad_line = lines + text.count("\n", 0, first.start()) + 1 if first else 0
            lines += text.count("\n")
        valid += len(text) if text.isascii() else len(text.encode("utf-8", "ignore"))
        ascii_only += len(chunk) if chunk.isascii() else len(chunk.translate(None, _BEYOND_ASCII))
    bad, fitting = offset - valid, valid - ascii_only
    if not bad:
        return UTF8
    if fitting > bad // 10:
        raise IngestRefused(f"line {bad_line} is not valid UTF-8, while other lines are")
    return Encoding("cp1252", ("encoding: not UTF-8, read as Windows-1252 (cp1252); other letters are possible",))
