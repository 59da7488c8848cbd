"""Reads one document for good: its text, extracted once for each content and kept, or the reason why not."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from runtime.ingest.bytescan import digest_of
from runtime.ingest.document_docx import docx_text
from runtime.ingest.document_html import html_text
from runtime.ingest.document_pdf import pdf_text
from runtime.ingest.document_plain import plain_text
from runtime.ingest.document_store import DocumentStore, ExtractedText
from runtime.ingest.outcome import IngestRefused, Kind, ReadDocument, ReadingLimits, SourceChanged, revision_of
from runtime.ingest.store import key_of

_Extract = Callable[[int, ReadingLimits], ExtractedText]
_EXTRACT: Mapping[Kind, _Extract] = {"document": plain_text, "pdf": pdf_text, "docx": docx_text, "html": html_text}
_PACKED: frozenset[Kind] = frozenset(("pdf", "docx"))
_LINE_CHARS = 200
# With marks that nobody sees and that keep a word from being found: soft hyphens, blanks of no width, marks of order.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\u200b\u2060\ufeff]|\u00ad\n?")
_LIGATURES = str.maketrans({0xFB00 + at: each for at, each in enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"))})
_DIVIDED = re.compile(r"[^\W\d_]-\n[^\W\d_]")


def read_document(descriptor: int, kind: Kind, store: Path, limits: ReadingLimits) -> ReadDocument:
    """The document's digest, first line that is not blank, and the key under which its text is kept. Raises
    IngestRefused with the reason (remembered by content), SourceChanged, StorageFailed."""
    size = os.fstat(descriptor).st_size
    if kind in _PACKED and size > limits.document_file_bytes:
        mib = limits.document_file_bytes >> 20
        raise IngestRefused(f"{size:,} bytes; documents of this kind are read up to {mib:,} MiB")
    sha256 = digest_of(descriptor)
    key, revision = key_of(sha256, kind), revision_of(sha256)
    texts = DocumentStore(store)
    known = texts.find(key)  # raises what was refused before
    if known is None:
        try:
            known = _cleaned(_EXTRACT[kind](descriptor, limits))
        except IngestRefused as refusal:
            _same(descriptor, sha256)
            texts.refuse(key, refusal.reason, revision)
            raise IngestRefused(refusal.reason, revision) from refusal
        _same(descriptor, sha256)
        texts.keep(key, known)
    return ReadDocument(revision, _first_line(known), key, known.notes)


def _same(descriptor: int, sha256: str) -> None:
    """What is kept under a content must come from it. Raises SourceChanged when the file was written to meanwhile."""
    if digest_of(descriptor) != sha256:
        raise SourceChanged


def _first_line(text: ExtractedText) -> str:
    for page in text.pages:
        for line in page[:20_000].splitlines():
            if plain := " ".join(line.split()):
                return plain[:_LINE_CHARS]
    return ""


def _cleaned(text: ExtractedText) -> ExtractedText:
    """Line ends as line feeds, form feeds and vertical tabs too; ligatures as letters; no other control characters, no
    halves of pairs. Words that hyphens divide on the pages of a PDF are counted: which hyphens are the words' own
    cannot be known."""
    pages, notes = tuple(_plain(page) for page in text.pages), text.notes
    divided = sum(len(_DIVIDED.findall(page)) for page in pages) if text.paged else 0
    if divided:
        notes = (*notes, f"words divided by a hyphen at {divided:,} line ends stay divided: search for their halves")
    return ExtractedText(pages, text.paged, notes, text.whole)


def _plain(page: str) -> str:
    lines = re.sub("\r\n|[\r\x0b\x0c\x85\u2028\u2029]", "\n", page)
    return _UNSEEN.sub("", lines).translate(_LIGATURES).encode("utf-8", "replace").decode()
