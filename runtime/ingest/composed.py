"""Puts letters and their marks together: what looks the same in names and values is the same (Unicode's NFC)."""

from __future__ import annotations

import os
import unicodedata

from runtime.ingest.bytescan import CHUNK

_BEGINNINGS = (b"\xcc", b"\xcd", b"\xe1\x84", b"\xe1\x85", b"\xe3\x82\x99", b"\xe3\x82\x9a")
"""In UTF-8, of marks that are put over Latin, Greek and Cyrillic letters, Korean parts of syllables, Japanese marks."""

COMPOSED_NOTE = "letters written with their marks apart, as on a Mac, are put together with them"


def composed(text: str) -> str:
    """The text with each letter and its marks as one character. Files and archives made on a Mac have them apart."""
    return unicodedata.normalize("NFC", text)


def marks_apart(descriptor: int) -> bool:
    """Whether letters of an open UTF-8 text may have their marks apart, told from its bytes."""
    offset, last = 0, b""
    while chunk := os.pread(descriptor, CHUNK, offset):
        if any(beginning in last + chunk for beginning in _BEGINNINGS):
            return True
        offset, last = offset + len(chunk), chunk[-2:]
    return False
