"""Writes a clean UTF-8 copy of a text file that DuckDB cannot read as it stands: other encodings, mixed line ends."""

from __future__ import annotations

import codecs
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from runtime.ingest.composed import composed
from runtime.ingest.outcome import IngestRefused, StorageFailed

_CHUNK = 1 << 20


def clean_copy(descriptor: int, encoding: str, folder: Path, *, one_line_end: bool) -> int:
    """An unnamed UTF-8 copy of the open file, as a descriptor; with `one_line_end` every line ends in a line feed.
    Line ends inside quoted values become line feeds too, and letters are put together with their marks. Raises
    IngestRefused when a byte has no meaning in `encoding`, StorageFailed when the copy cannot be written."""
    try:
        copy = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  the descriptor outlives this function
        for text in _whole_lines(_decoded(descriptor, encoding)):
            text = composed(text)
            copy.write((_one_end(text) if one_line_end else text).encode("utf-8"))
        copy.flush()
        kept = os.dup(copy.fileno())
        copy.close()
    except OSError as error:
        raise StorageFailed(f"{folder}: {error.strerror}") from error
    return kept


def _whole_lines(texts: Iterable[str]) -> Iterator[str]:
    """The same text in parts that end with a line, or at the end: no letter is cut from its marks."""
    held = list[str]()
    for text in texts:
        whole = 1 + max(text.rfind("\n"), text.rfind("\r"))
        if whole:
            yield "".join((*held, text[:whole]))
            held.clear()
        held.append(text[whole:])
    yield "".join(held)


def _one_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(descriptor: int, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    offset, held = 0, ""
    while chunk := os.pread(descriptor, _CHUNK, offset):
        text = held + _step(decoder, chunk, encoding)
        offset += len(chunk)
        # Half of "\r\n" waits, so that a pair is never seen as two line ends.
        held = "\r" if text.endswith("\r") else ""
        yield text[: len(text) - len(held)]
    yield held + _step(decoder, b"", encoding, final=True)


def _step(decoder: codecs.IncrementalDecoder, chunk: bytes, encoding: str, *, final: bool = False) -> str:
    try:
        return decoder.decode(chunk, final)
    except UnicodeDecodeError as error:
        raise IngestRefused(f"its text is neither UTF-8 nor {encoding}: a byte means nothing there") from error
