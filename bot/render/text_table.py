"""Tables as monospace text: columns aligned by display width, so that CJK and emoji line up too."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wcwidth import wcswidth, wcwidth

# A figure in any language's way of writing it, with a footnote mark or without.
_NUMBER = re.compile(r"[-+−]?[$€£¥]?[\d.,’'\u00a0\u202f ]*\d[\d.,]*\s?[%€]?(?: \[E\d+(?:, ?E\d+)*\])*")
GAP = "  "


def width(text: str) -> int:
    """Columns that `text` takes in a monospace font."""
    known = wcswidth(text)
    return known if known >= 0 else sum(max(wcwidth(character), 0) for character in text)


def numeric(cells: Sequence[str]) -> bool:
    """Whether a column reads as numbers, so that it is set to the right; placeholders don't count."""
    values = [cell for cell in cells if cell not in ("", "—")]
    return bool(values) and all(_NUMBER.fullmatch(cell) for cell in values)


def rightward(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[bool]:
    """Per column whether it is set to the right."""
    return [numeric([row[column] for row in rows]) for column in range(len(header))]


def widths(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Per column its widest cell."""
    return [max(width(row[column]) for row in (header, *rows)) for column in range(len(header))]


def grid(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of the table: header, rule, rows. Every row has as many cells as the header; cells are one line each."""
    sizes, right = widths(header, rows), rightward(header, rows)

    def line(cells: Sequence[str]) -> str:
        parts = [_pad(cell, size, at_right) for cell, size, at_right in zip(cells, sizes, right, strict=True)]
        return GAP.join(parts).rstrip()

    rule = GAP.join("─" * max(size, 1) for size in sizes)
    return [line(header), rule, *(line(row) for row in rows)]


def records(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The same table one value a line, for tables too wide to stand side by side. Nothing is left out."""
    size = max((width(name) for name in header), default=0)
    lines: list[str] = []
    for row in rows:
        lines += ["─" * min(size + len(GAP) + 8, 40)] if lines else []
        lines += [f"{_pad(name, size, False)}{GAP}{cell}" for name, cell in zip(header, row, strict=True)]
    return lines


def _pad(text: str, size: int, at_right: bool) -> str:
    blanks = " " * (size - width(text))
    return blanks + text if at_right else text + blanks
