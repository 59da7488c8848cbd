"""The text of a plain file: Markdown, notes, logs, in UTF-8, UTF-16 by its mark, or Windows-1252."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable

from runtime.ingest.document_store import ExtractedText
from runtime.ingest.encoding import UTF8, Encoding, with_nuls
from runtime.ingest.outcome import IngestRefused, ReadingLimits

CP1252_NOTE = "encoding: not UTF-8, read as Windows-1252 (cp1252); other letters are possible"
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def plain_text(
    descriptor: int, limits: ReadingLimits, said_encoding: Callable[[bytes], str] = lambda raw: ""
) -> ExtractedText:
    """The file as one text, at most `document_text_bytes` of it. Bytes that are not UTF-8 have the encoding that
    `said_encoding` finds in them. Raises IngestRefused when it is no text."""
    size = os.fstat(descriptor).st_size
    raw = _head(descriptor, limits.document_text_bytes)
    whole = len(raw) >= size
    text, notes = decoded(raw, said_encoding, whole=whole)
    if not whole:
        notes = (*notes, f"only the first {len(raw):,} of {size:,} bytes are read")
    return ExtractedText((text,), notes=notes, whole=whole)


def decoded(
    raw: bytes, said_encoding: Callable[[bytes], str] = lambda raw: "", *, whole: bool = True
) -> tuple[str, tuple[str, ...]]:
    """The text of some bytes and what has to be said about it; when not `whole`, half a character at the end is left
    out. `said_encoding` finds what the bytes themselves say. Raises IngestRefused for bytes that are no text."""
    encoding = next((name for mark, name in _MARKS.items() if raw.startswith(mark)), "")
    if not encoding and b"\0" in raw:
        unmarked = _by_zeros(raw)
        return raw.decode(unmarked.name, "replace"), unmarked.notes
    try:
        text = codecs.getincrementaldecoder(encoding or "utf-8")("strict").decode(raw, whole)
    except UnicodeDecodeError as error:
        if encoding and encoding != "utf-8-sig":
            raise IngestRefused(f"not a text: it is marked as {encoding.upper()} and is not") from error
        said = said_encoding(raw)
        if said and said != "utf-8":
            return raw.decode(said, "replace"), (f"encoding: {said}, as it says itself",)
        return _as_cp1252(raw)
    if encoding in ("utf-16", "utf-32"):
        return text, (f"encoding: {encoding.upper()}, read as such",)
    return text, ()


def _by_zeros(raw: bytes) -> Encoding:
    """UTF-16 without a mark. Raises IngestRefused for other bytes with zeros among them."""
    try:
        found = with_nuls(raw, 1)
    except IngestRefused:
        found = UTF8
    if found is UTF8:
        raise IngestRefused("not a text: NUL bytes stand in it")
    return found


def _as_cp1252(raw: bytes) -> tuple[str, tuple[str, ...]]:
    text = raw.decode("cp1252", "replace")
    letters = [letter for letter in text if letter > "\x7f"]
    if lost := text.count("\ufffd"):
        return text, (CP1252_NOTE, f"{lost:,} characters have no meaning there: likely another encoding")
    if 2 * len(letters) > sum(letter.isalpha() for letter in text):
        return text, (CP1252_NOTE, "most of its letters are foreign ones: likely another encoding, its words are wrong")
    return text, (CP1252_NOTE,)


def _head(descriptor: int, most: int) -> bytes:
    chunks = list[bytes]()
    offset = 0
    while offset < most and (chunk := os.pread(descriptor, min(1 << 20, most - offset), offset)):
        chunks.append(chunk)
        offset += len(chunk)
    return b"".join(chunks)
