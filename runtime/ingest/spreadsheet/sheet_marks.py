"""The second look at a sheet, for what the first reader can't see: it streams the XML and keeps what is out of the
ordinary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from runtime.ingest.outcome import IngestRefused
from runtime.ingest.spreadsheet.cells import Format, Mark
from runtime.ingest.spreadsheet.package import Attributes, Package, local

_LONG = 15  # digits that the first reader keeps for certain
_DOUBLE = 17  # digits that a floating point number is written with at most
_EXACT = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_ADDS_UP = re.compile(r"(?:SUM|SUBTOTAL)\((?:\d+,)?\$?[A-Z]+\$?(\d+):\$?[A-Z]+\$?(\d+)\)", re.IGNORECASE)
_FEW_HIDDEN = 16_384


@dataclass(slots=True)
class SheetMarks:
    """Rows and columns count from 0. `marks` are the cells out of the ordinary by row and column, `sums` the columns of
    each row whose formulas add up rows, `struck_rows` those with struck-out text, `hidden_columns` (first, last);
    `area` is the rectangle (rows, columns) in which all cells with content stand."""

    marks: dict[int, dict[int, Mark]] = field(default_factory=dict[int, dict[int, Mark]])
    sums: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    hidden_rows: set[int] = field(default_factory=set[int])
    struck_rows: set[int] = field(default_factory=set[int])
    hidden_columns: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    area: tuple[int, int] = (0, 0)

    def mark(self, row: int, column: int, mark: Mark) -> None:
        self.marks.setdefault(row, {})[column] = mark


def sheet_marks(
    package: Package,
    part: str,
    formats: Mapping[str, Format],
    struck: frozenset[str] = frozenset(),
    *,
    recalculate: bool,
    cells: int,
) -> SheetMarks:
    """What one sheet holds; `struck` are the styles that strike out. Raises IngestRefused for damage, or when its cells
    spread over more than `cells`. `recalculate`: the workbook asks to be calculated when it is opened; then zeros
    behind all its formulas are no results."""
    look = _Look(formats, struck, cells)
    package.parse(part, look.start, look.end, look.text)
    if recalculate and look.zeros and look.zeros_only:
        for row, column in look.zeros:
            look.found.mark(row, column, Mark(uncached=True))
    look.found.area = look.area()
    return look.found


class _Look:
    """The handlers for one sheet; what they see of one cell is kept until it ends."""

    def __init__(self, formats: Mapping[str, Format], struck: frozenset[str], cells: int) -> None:
        self.found = SheetMarks()
        self.zeros: list[tuple[int, int]] = []
        self.zeros_only = True
        self._marks = {style: Mark(form) for style, form in formats.items()}
        self._struck = struck
        self._cells = cells
        self._row, self._column, self._number_of_row = -1, -1, ""
        self._top, self._left, self._bottom, self._right = -1, 1 << 30, -1, -1
        self._style, self._type, self._index = "", "n", ""
        self._value = ""
        self._formula: str | None = None
        self._filled = False
        self._shared: dict[str, bool] = {}
        self._vertical = False
        self._columns: dict[str, int] = {}

    def start(self, name: str, attributes: Attributes) -> None:
        # Cells and their values are nearly all there is: they come first, and without a look for a prefix.
        if name == "c":
            self._begin(attributes)
        elif name != "v":
            self._begin_other(local(name), attributes)

    def text(self, data: str) -> None:
        self._value += data

    def end(self, name: str) -> None:
        if name == "c" or (name != "v" and local(name) == "c"):
            self._end_cell()
        elif name != "v" and local(name) == "f":
            self._formula, self._value = self._value, ""
            adds = _vertical(self._formula)
            self._vertical = self._shared.setdefault(self._index, adds) if self._index else adds

    def _begin_other(self, name: str, attributes: Attributes) -> None:
        if name == "row":
            self._begin_row(attributes)
        elif name == "c":
            self._begin(attributes)
        elif name == "is":
            self._filled = True
        elif name == "f":
            self._formula, self._value = "", ""
            self._index = attributes.get("si", "")
        elif name == "col" and attributes.get("hidden") in ("1", "true"):
            first, last = int(attributes.get("min", "1")) - 1, int(attributes.get("max", "1")) - 1
            self.found.hidden_columns.append((first, last))

    def _begin_row(self, attributes: Attributes) -> None:
        number = attributes.get("r")
        row = int(number) - 1 if number else self._row + 1
        if row <= self._row:
            raise IngestRefused("damaged: the rows of a sheet are not in order")
        self._row, self._column, self._number_of_row = row, -1, str(row + 1)
        if attributes.get("hidden") in ("1", "true") and len(self.found.hidden_rows) < _FEW_HIDDEN:
            self.found.hidden_rows.add(self._row)

    def _begin(self, attributes: Attributes) -> None:
        reference = attributes.get("r")
        if reference:
            letters = reference.rstrip("0123456789")
            column = self._columns.get(letters)
            self._column = self._columns.setdefault(letters, _column(letters)) if column is None else column
            if reference[len(letters) :] != self._number_of_row:
                raise IngestRefused("damaged: a cell of a sheet says that it stands in another row")
        else:
            self._column += 1
        self._style, self._type = attributes.get("s", ""), attributes.get("t", "n")
        self._value, self._formula, self._filled, self._vertical = "", None, False, False

    def _end_cell(self) -> None:
        value, kind = self._value.strip(), self._type
        if not (value or self._filled or self._formula is not None):
            return
        row, column = self._row, self._column
        if self._top < 0:
            self._top = row
        self._bottom = row
        if column < self._left:
            self._left = column
        if column > self._right:
            self._right = column
        if self._style in self._struck and len(self.found.struck_rows) < _FEW_HIDDEN:
            self.found.struck_rows.add(row)
        if self._formula is not None:
            self._calculated(row, column, value, kind)
        elif kind == "e":
            self.found.mark(row, column, Mark(error=value or "error"))
        elif kind == "n":
            self._number(row, column, value)

    def _calculated(self, row: int, column: int, value: str, kind: str) -> None:
        if self._vertical:
            self.found.sums.setdefault(row, set()).add(column)
        if kind == "e":
            self.found.mark(row, column, Mark(error=value or "error"))
        elif not value and kind != "str":
            self.found.mark(row, column, Mark(uncached=True))
            return
        elif kind == "n":
            self._number(row, column, value)
        if value == "0" and kind == "n" and self.zeros_only:
            self.zeros.append((row, column))
        else:
            self.zeros_only = False

    def _number(self, row: int, column: int, value: str) -> None:
        known = self._marks.get(self._style)
        exact = value if len(value) > _LONG and exact_digits(value) else ""
        if exact:
            self.found.mark(row, column, Mark(known.form if known else None, exact=exact))
        elif known:
            self.found.mark(row, column, known)

    def area(self) -> tuple[int, int]:
        """The rectangle that holds everything. Raises IngestRefused when it is too large."""
        if self._top < 0:
            return 0, 0
        rows, columns = self._bottom - self._top + 1, self._right - self._left + 1
        if rows * columns > self._cells:
            raise IngestRefused(
                f"a sheet spreads over {rows:,} rows and {columns:,} columns; at most {self._cells:,} cells are read"
            )
        return rows, columns


def exact_digits(value: str) -> bool:
    """Whether the digits say more than the floating point number that the first reader makes of them."""
    if not _EXACT.fullmatch(value):
        return False
    digits = value.lstrip("-0.").replace(".", "")
    return len(digits) > (_DOUBLE if "." in value else _LONG)


def _vertical(formula: str) -> bool:
    match = _ADDS_UP.fullmatch(formula.strip())
    return bool(match) and match[1] != match[2]


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter.upper()) - 64
    return number - 1
