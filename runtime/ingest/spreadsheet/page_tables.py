"""Takes the tables out of a web page: which text stands in which cell, and what stands around the tables."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from html.parser import HTMLParser

from runtime.ingest.outcome import IngestRefused
from runtime.ingest.spreadsheet.cells import Mark
from runtime.ingest.spreadsheet.grid import Corners
from runtime.ingest.spreadsheet.page_cells import Attributes, PageStyles, is_unshown, shown_text
from runtime.ingest.spreadsheet.sheet_marks import SheetMarks
from runtime.ingest.spreadsheet.xml_values import Value

_SILENT = frozenset(("script", "style", "template", "noscript", "svg", "math", "xml", "title"))
_BLOCKS = frozenset(
    "address article aside blockquote br center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr "
    "li main nav ol p pre section ul".split()
)
_GROUPS = frozenset(("thead", "tbody", "tfoot"))
_CELLS = frozenset(("td", "th"))
_STRUCK = frozenset(("del", "s", "strike"))
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_SHEET_NAME = re.compile(r"<x:Name>([^<]{1,100})</x:Name>", re.IGNORECASE)
_SHEET_SOURCE = re.compile(r"<x:WorksheetSource\s", re.IGNORECASE)
_SPAN, _SPAN_DOWN = 1_000, 65_534
"""As the HTML standard's own bounds."""
_COLUMNS = 16_384
_CELL_CHARS = 1 << 20
_TITLE_CHARS = 120
_LINES, _LINE_CHARS = 200, 500
_TABLES = 2_000
_DEPTH = 50
_FEW_HIDDEN = 16_384


@dataclass(slots=True)
class PageTable:
    """A table: values by row, each as long as its last filled cell, with what is marked about them; rows of header
    cells only; the line that stands right above it; columns with cells that are not shown; how many texts within its
    cells were left out since they are not shown, and how many dates were read by their number format; whether other
    tables stand in it (`outer`), and in its current cell (`holds`)."""

    title: str = ""
    hidden: bool = False
    rows: list[list[Value]] = field(default_factory=list[list[Value]])
    marks: SheetMarks = field(default_factory=SheetMarks)
    merged: list[Corners] = field(default_factory=list[Corners])
    headed: set[int] = field(default_factory=set[int])
    unshown: set[int] = field(default_factory=set[int])
    left_out: int = 0
    dates: int = 0
    width: int = 0
    places: int = 0
    taken: dict[int, int] = field(default_factory=dict[int, int])
    column: int = 0
    tags: Counter[str] = field(default_factory=Counter[str])
    row_unshown: bool = False
    outer: bool = False
    holds: bool = False

    @property
    def row(self) -> int:
        """The number of the current row, -1 before the first."""
        return len(self.rows) - 1


class PageTables(HTMLParser):
    """Collects the tables as tags go by: no tree is built, so that depth costs nothing. `lines` are the texts around
    the tables, `names` those of the sheets that a spreadsheet program made the page of; `signs_in`: it asks for a
    password; `elsewhere`: its tables are kept in other files. Raises IngestRefused out of `feed` for what is too
    large."""

    def __init__(self, cells: int) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[PageTable] = []
        self.styles = PageStyles()
        self.lines: list[str] = []
        self.names: list[str] = []
        self.signs_in = False
        self.elsewhere = False
        self._cells = cells
        self._places = 0
        self._open: list[PageTable] = []
        self._cell: list[Attributes | None] = []
        self._parts: list[list[str]] = [[]]
        self._chars = 0
        self._silent: list[str] = []
        self._unshown: list[str] = []
        self._style: list[str] = []
        self._caption = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in _SILENT:
            self._silent.append(tag)
        elif tag == "table":
            self._begin_table(attributes)
        elif tag in _CELLS:
            self._begin_cell(tag, attributes)
        elif tag == "tr":
            self._begin_row(attributes)
        elif tag in _GROUPS or tag == "caption":
            self._end_row()
            self._end_group()
            self._caption = tag == "caption"
        elif tag not in _VOID and (self._unshown or is_unshown(attributes)):
            # Only tags of the same name are counted: others inside may lack their end.
            if not self._unshown or self._unshown[0] == tag:
                self._unshown.append(tag)
        else:
            self._begin_other(tag, attributes)

    def _begin_other(self, tag: str, attributes: Attributes) -> None:
        if tag in _BLOCKS:
            self._say("\n")
        elif tag in _STRUCK:
            self._say("~~")
        elif tag == "sup":
            self._say("^")
        elif tag == "input":
            self.signs_in = self.signs_in or (attributes.get("type") or "").lower() == "password"
        elif tag == "frame":
            self.elsewhere = True

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            if tag in self._silent:
                del self._silent[self._silent.index(tag) :]
            if tag == "style":
                self.styles.add_sheet("".join(self._style))
                self._style = []
        elif tag == "table":
            self._end_table()
        elif tag in _CELLS:
            self._end_cell()
        elif tag == "tr":
            self._end_row()
        elif tag in _GROUPS:
            self._end_row()
            self._end_group()
        elif tag == "caption":
            self._end_caption()
        elif self._unshown:
            if tag == self._unshown[0]:
                self._unshown.pop()
        elif tag in _STRUCK:
            self._say("~~")
        elif tag in _BLOCKS:
            self._say("\n")

    def handle_data(self, data: str) -> None:
        if self._silent:
            if self._silent[-1] == "style":
                self._style.append(data)
        elif self._unshown:
            if data.strip() and self._cell and self._cell[-1] is not None:
                self._open[-1].left_out += 1
        else:
            self._say(data.replace("\n", " ").replace("\r", " ").replace("\0", ""))

    def handle_comment(self, data: str) -> None:
        self.names += _SHEET_NAME.findall(data)
        self.elsewhere = self.elsewhere or bool(_SHEET_SOURCE.search(data))

    def updatepos(self, i: int, j: int) -> int:
        """Nothing but `j`: nobody asks for lines, and counting them costs a tenth of the time."""
        return j

    def unknown_decl(self, data: str) -> None:
        """Nothing: these are switches for other programs, and what stands between them is read."""

    def _say(self, text: str) -> None:
        self._chars += len(text)
        if self._chars > _CELL_CHARS and self._cell and self._cell[-1] is not None:
            raise IngestRefused(f"a cell holds more than {_CELL_CHARS:,} characters")
        self._parts[-1].append(text)

    def _take_lines(self) -> str:
        """Puts what was said outside of cells to the lines; the last of it may be the title of what follows."""
        text = "".join(self._parts[-1])
        self._parts[-1].clear()
        self.lines += _lines(text)[: max(0, _LINES - len(self.lines))]
        return _last_line(text)

    def _begin_table(self, attributes: Attributes) -> None:
        if len(self.tables) == _TABLES or len(self._open) == _DEPTH:
            raise IngestRefused(f"more than {_TABLES:,} tables on the page, or one in another more than {_DEPTH} deep")
        inside = bool(self._cell) and self._cell[-1] is not None
        title = _last_line("".join(self._parts[-1])) if inside else self._take_lines()
        if inside:
            self._open[-1].outer = self._open[-1].holds = True
        table = PageTable(title, is_unshown(attributes) or bool(self._unshown))
        self._unshown = []
        self.tables.append(table)
        self._open.append(table)
        self._cell.append(None)
        self._parts.append([])
        self._chars = 0

    def _end_table(self) -> None:
        if not self._open:
            return
        self._end_row()
        self._end_group()
        self._take_lines()
        table = self._open.pop()
        self._cell.pop()
        self._parts.pop()
        table.taken.clear()

    def _end_caption(self) -> None:
        if self._caption and self._open:
            self._open[-1].title = self._take_lines() or self._open[-1].title
        self._caption = False

    def _begin_row(self, attributes: Attributes) -> None:
        self._end_row()
        if not self._open:
            self._begin_table({})
        self._end_caption()
        table = self._open[-1]
        table.rows.append([])
        table.column, table.tags = 0, Counter()
        table.row_unshown = is_unshown(attributes)

    def _end_row(self) -> None:
        if not self._open:
            return
        self._end_cell()
        table = self._open[-1]
        if table.tags and set(table.tags) == {"th"} and table.rows[-1]:
            table.headed.add(table.row)
        table.tags = Counter()

    def _end_group(self) -> None:
        """Cells that go down over several rows end with their group of rows."""
        if not self._open or not self._open[-1].taken:
            return
        table = self._open[-1]
        last = table.row
        table.merged = [(first, (min(row, max(last, first[0])), column)) for first, (row, column) in table.merged]
        table.taken.clear()

    def _begin_cell(self, tag: str, attributes: Attributes) -> None:
        if not self._open or self._open[-1].row < 0:
            self._begin_row({})
        self._end_cell()
        if parts := self._parts[-1]:
            if any(map(str.strip, parts)):
                self._take_lines()  # what stands between the cells is shown above the table
            parts.clear()
        table = self._open[-1]
        while table.taken.get(table.column, -1) >= table.row:
            table.column += 1
        wide = _span(attributes, "colspan", _SPAN) if "colspan" in attributes else 1
        high = _span(attributes, "rowspan", _SPAN_DOWN) if "rowspan" in attributes else 1
        if table.column + wide > _COLUMNS:
            raise IngestRefused(f"a table of more than {_COLUMNS:,} columns")
        self._places += wide if high > 1 else 1
        if self._places > self._cells:
            raise IngestRefused(f"its tables have more than {self._cells:,} cells; so many are read at most")
        if high > 1:
            table.taken |= dict.fromkeys(range(table.column, table.column + wide), table.row + high - 1)
        if wide > 1 or high > 1:
            corner = table.row, table.column
            table.merged.append((corner, (corner[0] + high - 1, corner[1] + wide - 1)))
        table.tags[tag] += 1
        self._cell[-1] = attributes
        self._unshown, self._chars = [], 0
        table.column += wide
        table.places = table.column - wide

    def _end_cell(self) -> None:
        if not self._open or (attributes := self._cell[-1]) is None:
            return
        self._cell[-1] = None
        self._unshown = []
        table = self._open[-1]
        if table.holds:
            table.holds = False
            self._take_lines()  # such a cell is there for the layout, and its words are the page's
            return
        text, struck = shown_text("".join(self._parts[-1]))
        self._parts[-1].clear()
        value, mark = self.styles.value(text, attributes)
        if value == "" and mark is None:
            return
        self._put(table, value, mark)
        table.dates += isinstance(value, date) and "x:num" not in attributes
        marks = table.marks
        if struck and len(marks.struck_rows) < _FEW_HIDDEN:
            marks.struck_rows.add(table.row)
        if table.row_unshown and len(marks.hidden_rows) < _FEW_HIDDEN:
            marks.hidden_rows.add(table.row)
        if is_unshown(attributes):
            table.unshown.add(table.places)

    def _put(self, table: PageTable, value: Value, mark: Mark | None) -> None:
        row = table.rows[-1]
        row += [""] * (table.places - len(row))
        row.append(value)
        if mark:
            table.marks.mark(table.row, table.places, mark)
        if len(row) > table.width:
            table.width = len(row)
        if (spans := len(table.rows) * table.width) > self._cells:
            raise IngestRefused(f"a table of it spans {spans:,} cells; at most {self._cells:,} are read")

    def finish(self) -> bool:
        """Ends what was never ended. False when the page stops within a table."""
        if not self.rawdata.startswith("<"):
            self.close()
        # What was begun and never ends is no text; the parser would look for its end from each of its places again.
        whole = not self._open
        while self._open:
            self._end_table()
        self._take_lines()
        return whole


def _lines(text: str) -> list[str]:
    return [line[:_LINE_CHARS] for line in shown_text(text)[0].replace("~~", "").split("\n") if line]


def _last_line(text: str) -> str:
    """The last line of a text, if it may be a title."""
    found = _lines(text)
    return found[-1] if found and len(found[-1]) <= _TITLE_CHARS else ""


def _span(attributes: Attributes, name: str, most: int) -> int:
    text = (attributes.get(name) or "").strip()
    return max(1, min(int(text), most)) if text.isascii() and text.isdecimal() and len(text) < 9 else 1
