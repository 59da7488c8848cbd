"""Bounds the rectangle that a sheet's cells span, before a reader makes room for all of it."""

from __future__ import annotations

from runtime.ingest.outcome import IngestRefused
from runtime.ingest.spreadsheet.package import Attributes, Package, attribute, local


def check_span(sheet: str, height: int, width: int, cells: int) -> None:
    """Raises IngestRefused for a sheet that spans more than `cells`."""
    if (spans := height * width) > cells:
        raise IngestRefused(f"the sheet {sheet!r} spans {spans:,} cells; at most {cells:,} are read")


def prove_open_document(package: Package, part: str, cells: int) -> None:
    """Reads the sheets of an ODS file to their end. There one element may stand for a million rows of thousands of
    cells. Raises IngestRefused for damage, or when the filled cells of a sheet span more than `cells`."""
    look = _Look(cells)
    package.parse(part, look.start, look.end)


class _Look:
    """The handlers for all sheets of a file; rows and columns count from 0."""

    def __init__(self, cells: int) -> None:
        self._cells = cells
        self._sheet = ""
        self._row = self._column = self._times = 0
        self._top = self._left = self._right = -1
        self._until = 0

    def start(self, name: str, attributes: Attributes) -> None:
        element = local(name)
        if element in ("table-cell", "covered-table-cell"):
            times = _times(attributes, "number-columns-repeated")
            if attribute(attributes, "value-type"):
                self._left = self._column if self._left < 0 else min(self._left, self._column)
                self._until = self._column + times
            self._column += times
        elif element == "table-row":
            self._column = self._until = 0
            self._times = _times(attributes, "number-rows-repeated")
        elif element == "table":
            self._sheet = attribute(attributes, "name")
            self._row, self._top, self._left, self._right = 0, -1, -1, -1

    def end(self, name: str) -> None:
        if local(name) != "table-row":
            return
        if self._until:
            self._top = self._row if self._top < 0 else self._top
            self._right = max(self._right, self._until)
            check_span(self._sheet, self._row + self._times - self._top, self._right - self._left, self._cells)
        self._row += self._times


def _times(attributes: Attributes, name: str) -> int:
    # Every writer says "table:"; another prefix is looked for only where there is an attribute at all.
    text = attributes.get(f"table:{name}") or (attribute(attributes, name) if attributes else "")
    return max(1, int(text or 1))
