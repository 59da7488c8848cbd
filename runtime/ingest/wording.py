"""How notes count, name lines and cut what they show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

Noun = Literal["line", "row"]
"""What a record is called in notes."""
_SHOWN = 4
_SHOWN_CHARS = 80


def counted(count: int, what: str) -> str:
    """A number of things: 1 line, 2 lines."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def where(lines: Sequence[int], noun: Noun) -> str:
    """The first of some lines by their numbers, the others counted."""
    shown = ", ".join(str(line) for line in lines[:_SHOWN])
    if len(lines) == 1:
        return f"{noun} {shown}"
    return f"{noun}s {shown}" + (f" and {len(lines) - _SHOWN:,} more" if len(lines) > _SHOWN else "")


def few(parts: Iterable[str]) -> str:
    """The first parts, the others counted."""
    told = list(parts)
    return "; ".join(told[:_SHOWN]) + (f"; and {len(told) - _SHOWN} more" if len(told) > _SHOWN else "")


def cut(text: str, most: int = _SHOWN_CHARS) -> str:
    """A text of no more than a line, or so many characters."""
    return text if len(text) <= most else text[: most - 1] + "…"
