"""Reads as much of a text document as a listing needs: the digest of its bytes and its first line."""

from __future__ import annotations

import os

from runtime.ingest.bytescan import digest_of
from runtime.ingest.outcome import ReadDocument, revision_of

_HEAD_BYTES = 4_096
_LINE_CHARS = 200


def read_document(descriptor: int) -> ReadDocument:
    """What is known of the open text file. Bytes that are not UTF-8 are shown as the replacement character."""
    head = os.pread(descriptor, _HEAD_BYTES, 0).decode("utf-8-sig", "replace")
    lines = (" ".join(line.split()) for line in head.splitlines())
    first = next((line for line in lines if line), "")
    return ReadDocument(revision_of(digest_of(descriptor)), first[:_LINE_CHARS])
