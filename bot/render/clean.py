"""Text without what the eye can't see: controls, zero-width and direction characters go, line ends are unified."""

from __future__ import annotations

import re
import unicodedata

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")

# Joiners are letters of some scripts and glue of emoji; anywhere else they only hide something.
_JOINING = (
    "\u0600-\u07bf\u0840-\u085f\u08a0-\u0dff\u0e80-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
    "\u2190-\u2bff\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff"
)
_STRAY_JOINER = re.compile(f"(?<![{_JOINING}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINING}])")

_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_BLANKS = re.compile(r"\s+")


def clean(text: str) -> str:
    """`text` with visible characters, blanks, tabs and `\\n` only. Lone surrogates become U+FFFD.

    Nothing is normalised: full-width brackets stay full-width and can't turn into real ones.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    text = _STRAY_JOINER.sub("", text)
    return _SURROGATE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """`clean` text on one line, runs of blanks as one space."""
    return _BLANKS.sub(" ", clean(text)).strip()


def blank(text: str) -> bool:
    """Whether nothing of `text` can be seen (blanks, lone combining marks, the empty braille cell)."""
    if text.isascii():
        return not text.strip()
    return all(character == "\u2800" or unicodedata.category(character)[0] in "ZMC" for character in text)
