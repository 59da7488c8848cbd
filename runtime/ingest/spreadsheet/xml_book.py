"""Reads an XML Spreadsheet 2003: one XML text with all sheets, as many programs export it under the name of an XLS."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from runtime.ingest.outcome import IngestRefused, ReadingLimits
from runtime.ingest.spreadsheet.blocks import find_blocks
from runtime.ingest.spreadsheet.cells import Mark
from runtime.ingest.spreadsheet.comments import comments_told
from runtime.ingest.spreadsheet.extent import check_span
from runtime.ingest.spreadsheet.grid import Corners, grid_of, letters
from runtime.ingest.spreadsheet.package import Attributes, local, xml_parser
from runtime.ingest.spreadsheet.sheet_marks import SheetMarks
from runtime.ingest.spreadsheet.sheet_tables import Book, Sheet, told
from runtime.ingest.spreadsheet.xml_values import RawStyle, Styles, Value, read_value

_NOTE = "its content is an XML Spreadsheet 2003: read as such"
_CHUNK = 1 << 18
_ROWS, _COLUMNS = 1 << 20, 1 << 14
"""Rows and columns of a sheet at most, as the programs have them."""
_COMMENT_CHARS = 1_000
_CELL_CHARS = 1 << 20
_FEW_HIDDEN = 16_384
_ADDS_UP = re.compile(
    r"=?(?:SUM|SUBTOTAL)\((?:\d+,)?R(\[-?\d+\]|\d+)C[^:,()]*:R(\[-?\d+\]|\d*)C[^:,()]*\)", re.IGNORECASE
)


@dataclass(slots=True)
class _Raw:
    """A sheet as it is read: values by row and column, counted from 0."""

    name: str
    hidden: bool = False
    rows: dict[int, dict[int, Value]] = field(default_factory=dict[int, dict[int, Value]])
    marks: SheetMarks = field(default_factory=SheetMarks)
    merged: list[Corners] = field(default_factory=list[Corners])
    styles: dict[int, str] = field(default_factory=dict[int, str])
    comments: dict[str, str] = field(default_factory=dict[str, str])
    box: tuple[int, int, int, int] | None = None


def read_xml_book(descriptor: int, limits: ReadingLimits) -> Book:
    """The sheets of the open file, and what goes with every table. Raises IngestRefused for another kind of XML, for
    damage, and for what is too large."""
    size = os.fstat(descriptor).st_size
    if size > limits.workbook_bytes:
        bound = limits.workbook_bytes >> 20
        raise IngestRefused(f"{size >> 20:,} MiB of XML; workbooks are read up to {bound:,} MiB")
    look = _Look(limits.workbook_cells)
    parser = xml_parser(look.start, look.end, look.text)
    try:
        offset = 0
        while chunk := os.pread(descriptor, _CHUNK, offset):
            parser.Parse(chunk)
            offset += len(chunk)
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError) as error:
        line = parser.CurrentLineNumber
        raise IngestRefused(f"damaged or cut off: its XML is not valid (line {line})") from error
    sheets = [_sheet(raw) for raw in look.sheets]
    if len({sheet.name for sheet in sheets}) < len(sheets):
        raise IngestRefused("damaged: two of its sheets have one name")
    notes = [_NOTE, *told(sheets)]
    if look.from_1904:
        notes.append("its dates count from 1904")
    return Book(sheets, notes, look.from_1904)


def _sheet(raw: _Raw) -> Sheet:
    if raw.box is None:
        grid = grid_of([], (0, 0), (), SheetMarks())
    else:
        top, left, bottom, right = raw.box
        empty: Mapping[int, Value] = {}
        rows = [raw.rows.get(row, empty) for row in range(top, bottom + 1)]
        values = [[row.get(column, "") for column in range(left, right + 1)] for row in rows]
        grid = grid_of(values, (top, left), raw.merged, raw.marks)
    return Sheet(raw.name, raw.hidden, grid, find_blocks(grid), raw.marks, comments_told(raw.comments))


class _Look:
    """The handlers for one file. Elements are told by their local names: writers use prefixes as they like."""

    def __init__(self, cells: int) -> None:
        self.sheets: list[_Raw] = []
        self.from_1904 = False
        self._cells = cells
        self._styles = Styles()
        self._style: RawStyle | None = None
        self._depth = 0
        self._names: dict[str, str] = {}
        self._row, self._column, self._next_column = -1, -1, 0
        self._row_span = 0
        self._cell: Attributes = {}
        self._row_style = ""
        self._kind = ""
        self._content = ""
        self._data = 0
        self._filled = False
        self._commented = False
        self._asks_visible = False
        self._said = ""

    def start(self, name: str, attributes: Attributes) -> None:
        self._depth += 1
        name = self._names.get(name) or self._names.setdefault(name, local(name))
        if attributes:
            attributes = {local(key): value for key, value in attributes.items()}
        if self._depth == 1 and name != "Workbook":
            raise IngestRefused(
                f"XML under the name of a spreadsheet, but of another kind (it begins with <{name[:40]}>)"
            )
        if self._data:
            self._data += 1
            self._content += {"S": "~~", "Sup": "^"}.get(name, "")
        elif name == "Data":
            self._data = 1
            self._content, self._kind = "", attributes.get("Type", "") or "String"
        elif name == "Cell":
            self._begin_cell(attributes)
        elif name == "Row":
            self._begin_row(attributes)
        elif name == "Comment":
            self._commented = True
        elif name == "Column" and self.sheets:
            self._begin_column(attributes)
        elif name == "Worksheet":
            self.sheets.append(_Raw(attributes.get("Name", "")))
            self._row, self._row_span, self._next_column = -1, 0, 0
        else:
            self._begin_other(name, attributes)

    def _begin_other(self, name: str, attributes: Attributes) -> None:
        match name:
            case "Style":
                self._style = RawStyle(attributes.get("Parent", ""))
                self._styles.raw[attributes.get("ID", "")] = self._style
            case "NumberFormat" if self._style:
                self._style.code = attributes.get("Format", "")
            case "Font" if self._style and (struck := attributes.get("StrikeThrough", "")):
                self._style.struck = struck not in ("0", "false")
            case "Date1904":
                self.from_1904 = True
            case "Visible":
                self._asks_visible, self._said = True, ""
            case _:
                pass

    def _begin_column(self, attributes: Attributes) -> None:
        first = _index(attributes, self._next_column, _COLUMNS)
        last = first + _count(attributes, "Span", _COLUMNS)
        self._next_column = last + 1
        sheet = self.sheets[-1]
        if attributes.get("Hidden", "") in ("1", "true"):
            sheet.marks.hidden_columns.append((first, last))
        if style := attributes.get("StyleID", ""):
            sheet.styles |= dict.fromkeys(range(first, last + 1), style)

    def _begin_row(self, attributes: Attributes) -> None:
        if not self.sheets:
            raise IngestRefused("damaged: a row stands outside of a sheet")
        self._row = _index(attributes, self._row + 1 + self._row_span, _ROWS)
        self._row_span = _count(attributes, "Span", _ROWS)
        self._column = -1
        self._row_style = attributes.get("StyleID", "")
        hidden = self.sheets[-1].marks.hidden_rows
        if attributes.get("Hidden", "") in ("1", "true") and len(hidden) < _FEW_HIDDEN:
            hidden.add(self._row)

    def _begin_cell(self, attributes: Attributes) -> None:
        if self._row < 0:
            raise IngestRefused("damaged: a cell stands outside of a row")
        self._cell = attributes
        self._column = _index(attributes, self._column + 1, _COLUMNS)
        self._kind, self._content, self._filled = "", "", False

    def text(self, data: str) -> None:
        if self._data:
            if len(self._content) > _CELL_CHARS:
                raise IngestRefused(f"a cell holds more than {_CELL_CHARS:,} characters")
            self._content += data
        elif self._asks_visible:
            self._said += data

    def end(self, name: str) -> None:
        self._depth -= 1
        name = self._names[name]
        if self._data:
            self._content += "~~" if self._data > 1 and name == "S" else ""
            self._data -= 1
            if not self._data:
                self._end_data()
        elif name == "Cell":
            self._end_cell()
        elif name == "Comment":
            self._commented = False
        elif name == "Style":
            self._style = None
        elif name == "Visible" and self.sheets:
            self.sheets[-1].hidden = self._said.strip() in ("SheetHidden", "SheetVeryHidden")
            self._asks_visible = False

    def _end_data(self) -> None:
        if not self.sheets or self._row < 0 or self._column < 0:
            raise IngestRefused("damaged: a value stands outside of a cell")
        sheet = self.sheets[-1]
        if self._commented:
            sheet.comments[f"{letters(self._column)}{self._row + 1}"] = self._content[:_COMMENT_CHARS]
            return
        style = self._styles.of(self._cell.get("StyleID", ""), self._row_style, sheet.styles.get(self._column, ""))
        value, mark = read_value(self._content, self._kind, style, from_1904=self.from_1904)
        if value == "" and mark is None:
            return
        self._filled = True
        self._take(sheet, value, mark)
        if style.struck and len(sheet.marks.struck_rows) < _FEW_HIDDEN:
            sheet.marks.struck_rows.add(self._row)

    def _take(self, sheet: _Raw, value: Value, mark: Mark | None) -> None:
        row, column = self._row, self._column
        sheet.rows.setdefault(row, {})[column] = value
        if mark:
            sheet.marks.mark(row, column, mark)
        top, left, bottom, right = sheet.box or (row, column, row, column)
        sheet.box = min(top, row), min(left, column), max(bottom, row), max(right, column)
        check_span(sheet.name, sheet.box[2] - sheet.box[0] + 1, sheet.box[3] - sheet.box[1] + 1, self._cells)

    def _end_cell(self) -> None:
        sheet = self.sheets[-1]
        if formula := self._cell.get("Formula", ""):
            if not self._filled and self._kind != "String":
                self._take(sheet, "", Mark(uncached=True))
            if (adds := _ADDS_UP.fullmatch(formula.strip())) and adds[1] != adds[2]:
                sheet.marks.sums.setdefault(self._row, set()).add(self._column)
        if "MergeAcross" in self._cell or "MergeDown" in self._cell:
            across, down = _count(self._cell, "MergeAcross", _COLUMNS), _count(self._cell, "MergeDown", _ROWS)
            corner = self._row, self._column
            sheet.merged.append((corner, (self._row + down, self._column + across)))
            self._column += across


def _index(attributes: Attributes, expected: int, most: int) -> int:
    """The place that an element says it has (from 1), as counted from 0; else the expected one."""
    text = attributes.get("Index", "")
    place = int(text) - 1 if text.isascii() and text.isdecimal() and len(text) < 9 else expected
    if text and not expected <= place:
        raise IngestRefused("damaged: rows or cells of a sheet are not in order")
    if place >= most:
        raise IngestRefused(f"damaged: a sheet says that it has more than {most:,} rows or columns")
    return place


def _count(attributes: Attributes, name: str, most: int) -> int:
    text = attributes.get(name, "")
    return min(int(text), most) if text.isascii() and text.isdecimal() and len(text) < 9 else 0
