"""Tells whether a page of a PDF draws two columns of text line by line, so that its words come out mixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

_SHOWS = (b"Tj", b"TJ", b"'", b'"')
_LINES = 6  # fewer may be an address beside a date
_SHARE = 0.6
_CHARS = 15  # on average on each side; less are the cells of a table
_TEXTS = 50_000  # no page that people read has more
_NEAR = 2.0  # points; what stands this close is on one line, or begins in one place


class SideBySide:
    """Watches where a page draws its texts. `saw` is for the library, which calls it before each operator."""

    def __init__(self) -> None:
        self._lines: list[tuple[float, list[tuple[float, int]]]] = []
        self._texts = 0

    def saw(self, operator: Any, operands: Any, page: Sequence[float], text: Sequence[float]) -> None:
        """Takes the place of one text: `page` and `text` are the matrices in force."""
        if operator not in _SHOWS or not operands or self._texts == _TEXTS:
            return
        self._texts += 1
        x = text[4] * page[0] + text[5] * page[2] + page[4]
        y = text[4] * page[1] + text[5] * page[3] + page[5]
        if not self._lines or abs(self._lines[-1][0] - y) > _NEAR:
            self._lines.append((y, []))
        self._lines[-1][1].append((x, _length(operands[-1])))

    def mixed(self) -> bool:
        """Whether most lines begin a second time, all in one place, with words enough on both sides."""
        pairs = [pair for _, parts in self._lines for pair in pairwise(parts)]
        starts = Counter(round(x / _NEAR) for (before, _), (x, _) in pairs if x > before + _NEAR)
        least = max(_LINES, _SHARE * len(self._lines))
        return any(self._parts(start * _NEAR, lines) for start, lines in starts.items() if lines >= least)

    def _parts(self, start: float, lines: int) -> bool:
        """Whether words enough stand on both sides of a place."""
        left = sum(chars for _, parts in self._lines for x, chars in parts if x < start - _NEAR)
        right = sum(chars for _, parts in self._lines for x, chars in parts if x >= start - _NEAR)
        return min(left, right) >= _CHARS * lines


def _length(shown: Any) -> int:
    """How many signs a text operator draws."""
    if isinstance(shown, (str, bytes)):
        return len(shown)
    parts = cast(list[Any], shown) if isinstance(shown, list) else []
    return sum(len(part) for part in parts if isinstance(part, (str, bytes)))
