"""Text on a drawing: measured in cells, wrapped into lines, kept apart where cutting would make two labels alike."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

from wcwidth import wcwidth

LABEL_CELLS, LABEL_LINES = 34, 2  # each line costs a millisecond to draw: most names fit on one


def width(text: str) -> int:
    """Cells of one line: two for CJK and emoji, none for marks."""
    return sum(max(wcwidth(character), 0) for character in text)


def one_line(text: str) -> str:
    """Without line breaks and control characters, which a drawing would show as boxes."""
    seen = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs") else c for c in text)
    return " ".join(seen.split())


def wrapped(text: str, cells: int, lines: int) -> list[str]:
    """At most `lines` lines of `cells` cells each, broken at blanks where there are some, ending in … when cut."""
    rest, found = one_line(text), list[str]()
    while rest and len(found) < lines:
        if width(rest) <= cells:
            return [*found, rest]
        if len(found) == lines - 1:
            return [*found, _head(rest, cells - 1).rstrip() + "…"]
        head = _head(rest, cells)
        at = head.rfind(" ")
        if rest[len(head) : len(head) + 1] != " " and at > len(head) // 3:
            head = head[:at]
        found.append(head.rstrip())
        rest = rest[len(head) :].lstrip()
    return found or [""]


def _head(text: str, cells: int) -> str:
    used = 0
    for at, character in enumerate(text):
        used += max(wcwidth(character), 0)
        if used > cells:
            return text[: max(at, 1)]
    return text


def keys(labels: Sequence[str], cells: int = LABEL_CELLS, lines: int = LABEL_LINES) -> list[str]:
    """The labels as they are drawn, their lines joined by a line feed; unique, so that no two bars become one: where
    cutting at the end makes labels alike, their ends are kept instead."""
    cut = ["\n".join(wrapped(label, cells, lines)) for label in labels]
    often = Counter(cut)
    found: list[str] = []
    used: set[str] = set()
    for label, text in zip(labels, cut, strict=True):
        unique = text = text if often[text] == 1 else _both_ends(label, cells, lines)
        number = 2
        while unique in used:
            unique, number = f"{text} ({number})", number + 1
        used.add(unique)
        found.append(unique)
    return found


def _both_ends(text: str, cells: int, lines: int) -> str:
    text = one_line(text)
    if width(text) <= cells:
        return text
    half = cells // 2 - 1 if lines == 1 else cells - 1
    tail = _head(text[::-1], half)[::-1].lstrip()
    return _head(text, half).rstrip() + ("…" if lines == 1 else "\n…") + tail
