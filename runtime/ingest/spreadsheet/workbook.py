"""Reads a whole workbook: every sheet, shown or hidden, each table on it by itself."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import python_calamine as calamine

from runtime.ingest.outcome import IngestRefused, ReadingLimits
from runtime.ingest.spreadsheet.blocks import Found, find_blocks
from runtime.ingest.spreadsheet.book_parts import BookParts, book_parts
from runtime.ingest.spreadsheet.comments import comments_note
from runtime.ingest.spreadsheet.extent import check_span, prove_open_document
from runtime.ingest.spreadsheet.grid import Grid, Range, grid_of, letters
from runtime.ingest.spreadsheet.package import Package
from runtime.ingest.spreadsheet.sheet_marks import SheetMarks, sheet_marks
from runtime.ingest.spreadsheet.table import Desk, SheetTable, read_table
from runtime.ingest.spreadsheet.text_book import NOT_A_BOOK, is_text, read_text_book

_ZIP = b"PK"
_OPEN_DOCUMENT = "content.xml"
_COMPOUND = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_LABEL_CHARS = 40
_SHOWN = 4
_SHOWN_CHARS = 80
_TABLES = 200


@dataclass(frozen=True, slots=True)
class MadeTable:
    """A table of a workbook: its Parquet file, columns with types, row count, notes; `part` says where it stands, for
    people, `label` what its name adds to the file's."""

    out: Path
    columns: tuple[tuple[str, str], ...]
    rows: int
    notes: tuple[str, ...]
    part: str
    label: str


@dataclass(frozen=True, slots=True)
class _Sheet:
    name: str
    hidden: bool
    grid: Grid
    found: Found
    marks: SheetMarks
    comments: tuple[str, ...]


def read_workbook(
    connection: duckdb.DuckDBPyConnection, descriptor: int, limits: ReadingLimits, folder: Path
) -> list[MadeTable]:
    """All tables of the open file `descriptor`, in the order of its sheets; their Parquet files are made in `folder`.
    Raises IngestRefused with the reason when there is none or the file can't be trusted, StorageFailed."""
    if is_text(descriptor):
        out = folder / "text.parquet"
        return [MadeTable(out, *read_text_book(connection, descriptor, limits, folder, out), part="", label="")]
    with _collector_paused():
        return _read(connection, descriptor, limits, folder)


@contextlib.contextmanager
def _collector_paused() -> Generator[None]:
    """Cells are many and hold no circles: looking through them again and again costs a sixth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _read(
    connection: duckdb.DuckDBPyConnection, descriptor: int, limits: ReadingLimits, folder: Path
) -> list[MadeTable]:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        parts, package = _second_look(file, limits)
        sheets, notes = _sheets(file, parts, package, limits)
    desk = Desk(connection, limits, folder, from_1904=parts.from_1904)
    made: list[MadeTable] = []
    shown = [sheet.name for sheet in sheets if sheet.found.tables and not sheet.hidden]
    for sheet in sheets:
        said = [*_about(sheet), *notes]
        for place, area in enumerate(sheet.found.tables, start=1):
            if len(made) == _TABLES:
                raise IngestRefused(f"more than {_TABLES} tables stand on its sheets; at most {_TABLES} are read")
            table = read_table(desk, sheet.grid, area, folder / f"{len(made)}.parquet")
            made.append(_placed(sheet, place, area, table, alone=shown == [sheet.name], said=said))
    if not made:
        raise IngestRefused("empty: no sheet holds a table")
    return made


def _second_look(file: BinaryIO, limits: ReadingLimits) -> tuple[BookParts, Package | None]:
    """What the package of an XLSX file says; nothing of other kinds, which only the first reader knows."""
    head = file.read(4)
    if head == _COMPOUND and _ENCRYPTED in file.read():
        raise IngestRefused("it is protected by a password")
    if not head.startswith(_ZIP) and head != _COMPOUND:
        raise IngestRefused(NOT_A_BOOK)
    if head == _COMPOUND:
        return BookParts(), None
    package = Package(file, limits)
    if "xl/workbook.xml" in package.names:
        return book_parts(package), package
    for name in package.names:
        if name == _OPEN_DOCUMENT:
            prove_open_document(package, name, limits.workbook_cells)
        elif name.endswith((".xml", ".bin")):
            package.prove(name)
    return BookParts(), None


def _sheets(
    file: BinaryIO, parts: BookParts, package: Package | None, limits: ReadingLimits
) -> tuple[list[_Sheet], list[str]]:
    # Everything the first reader will unpack has been read once and found sound before it starts.
    marks = {
        name: sheet_marks(
            package, part, parts.formats, parts.struck, recalculate=parts.recalculate, cells=limits.workbook_cells
        )
        for name, part in parts.sheets.items()
        if package and "/worksheets/" in part
    }
    comments = {name: comments_note(package, part) for name, part in parts.sheets.items() if package and name in marks}
    file.seek(0)
    try:
        book = calamine.CalamineWorkbook.from_filelike(file)
        described = book.sheets_metadata
        if len({each.name for each in described}) < len(described):
            raise IngestRefused("damaged: two of its sheets have one name")
        shown = [each for each in described if each.typ == calamine.SheetTypeEnum.WorkSheet]
        sheets = [_sheet(book, each, marks, comments.get(each.name, ()), cells=limits.workbook_cells) for each in shown]
    except calamine.PasswordError as error:
        raise IngestRefused("it is protected by a password") from error
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise IngestRefused(f"damaged: a part of it cannot be read ({str(error)[:200]})") from error
    return sheets, _notes(sheets, described, parts, plain=package is None)


def _sheet(
    book: calamine.CalamineWorkbook,
    described: Any,
    marks: dict[str, SheetMarks],
    comments: tuple[str, ...],
    *,
    cells: int,
) -> _Sheet:
    sheet = book.get_sheet_by_name(described.name)
    # Of ODS and XLS only the first reader knows this.
    check_span(described.name, sheet.height, sheet.width, cells)
    known = marks.get(described.name, SheetMarks())
    values = sheet.to_python(skip_empty_area=True) if sheet.start is not None else []
    grid = grid_of(values, sheet.start or (0, 0), sheet.merged_cell_ranges or (), known)
    hidden = described.visible != calamine.SheetVisibleEnum.Visible
    return _Sheet(described.name, hidden, grid, find_blocks(grid), known, comments)


def _notes(sheets: Sequence[_Sheet], described: Sequence[Any], parts: BookParts, *, plain: bool) -> list[str]:
    """What goes with every table of the workbook."""
    notes: list[str] = []
    if hidden := [sheet.name for sheet in sheets if sheet.hidden and sheet.found.tables]:
        notes.append(f"hidden {_named(hidden)} of the workbook read too, as tables apart")
    if empty := [sheet.name for sheet in sheets if not sheet.found.tables]:
        notes.append(f"no table on {_named(empty)}")
    charts = [each.name for each in described if each.typ != calamine.SheetTypeEnum.WorkSheet]
    if charts:
        notes.append(f"{_named(charts)} holds no cells (a chart or dialog) and is not read")
    if parts.macros:
        notes.append("macros in the file are never run")
    if parts.from_1904:
        notes.append("its dates count from 1904")
    if plain:
        notes.append("of this kind of spreadsheet, hidden rows, percent formats and formulas can't be seen")
    return notes


def _about(sheet: _Sheet) -> list[str]:
    """What goes with every table of a sheet."""
    notes: list[str] = []
    if sheet.hidden:
        notes.append(f"the sheet {sheet.name!r} is hidden in the workbook")
    if sheet.found.beside:
        texts = [repr(text[:_SHOWN_CHARS]) for text in sheet.found.beside[:_SHOWN]]
        notes.append(f"beside its tables the sheet says: {'; '.join(texts)}")
    if len(sheet.found.tables) > 1:
        shown = ", ".join(sheet.grid.address(area) for area in sheet.found.tables[:_SHOWN])
        more = f" and {len(sheet.found.tables) - _SHOWN} more" if len(sheet.found.tables) > _SHOWN else ""
        notes.append(f"{len(sheet.found.tables)} tables on the sheet {sheet.name!r}: {shown}{more}")
    return [*notes, *sheet.comments]


def _placed(
    sheet: _Sheet, place: int, area: Range, table: SheetTable, *, alone: bool, said: Sequence[str]
) -> MadeTable:
    label = "" if alone else sheet.name
    if len(sheet.found.tables) > 1:
        label = f"{label} {table.title[:_LABEL_CHARS].strip() or place}".strip()
    notes = (*said, *_hidden(sheet, area), *table.notes)
    part = f"sheet {sheet.name}, {sheet.grid.address(area)}"
    return MadeTable(table.out, table.columns, table.rows, notes, part, label)


def _hidden(sheet: _Sheet, area: Range) -> list[str]:
    """Hidden rows and columns of a table, and rows that somebody struck out."""
    notes: list[str] = []
    grid, marks = sheet.grid, sheet.marks
    for what, marked in (("hidden row", marks.hidden_rows), ("row with struck-out text", marks.struck_rows)):
        rows = sorted(
            number + 1 for number in marked if area[0] <= number - grid.top <= area[2] and grid.masks[number - grid.top]
        )
        if rows:
            shown = ", ".join(map(str, rows[:_SHOWN])) + (", …" if len(rows) > _SHOWN else "")
            told = f"1 {what}" if len(rows) == 1 else f"{len(rows):,} {what.replace('row', 'rows', 1)}"
            notes.append(f"{told} ({shown}) read like the others")
    first, last = grid.left + area[1], grid.left + area[3]
    columns = [
        letters(column)
        for begin, end in marks.hidden_columns
        for column in range(max(begin, first), min(end, last) + 1)
    ]
    if columns:
        shown = ", ".join(columns[:_SHOWN]) + (", …" if len(columns) > _SHOWN else "")
        notes.append(f"{'hidden column' if len(columns) == 1 else 'hidden columns'} {shown} read like the others")
    return notes


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return f"{'sheet' if len(names) == 1 else 'sheets'} {shown}"
