"""Puts letters and their marks together: what looks the same in names and values is the same (Unicode's NFC)."""

from __future__ import annotations

import unicodedata

COMPOSED_NOTE = "letters written with their marks apart, as on a Mac, are put together with them"


def composed(text: str) -> str:
    """The text with each letter and its marks as one character. Files and archives made on a Mac have them apart."""
    return unicodedata.normalize("NFC", text)
