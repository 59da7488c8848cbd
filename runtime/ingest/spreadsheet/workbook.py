"""Reads a whole workbook: every sheet, shown or hidden, each table on it by itself."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import python_calamine as calamine

from runtime.ingest.made_table import MadeTable
from runtime.ingest.outcome import IngestRefused, ReadingLimits
from runtime.ingest.spreadsheet.blocks import find_blocks
from runtime.ingest.spreadsheet.book_parts import BookParts, book_parts
from runtime.ingest.spreadsheet.comments import comments_note
from runtime.ingest.spreadsheet.extent import check_span, prove_open_document
from runtime.ingest.spreadsheet.grid import grid_of
from runtime.ingest.spreadsheet.package import Package
from runtime.ingest.spreadsheet.page_book import read_page
from runtime.ingest.spreadsheet.sheet_marks import SheetMarks, sheet_marks
from runtime.ingest.spreadsheet.sheet_tables import Book, Sheet, made_tables, named, told
from runtime.ingest.spreadsheet.table import Desk
from runtime.ingest.spreadsheet.text_book import NOT_A_BOOK, is_text, markup_of, read_text_book
from runtime.ingest.spreadsheet.xml_book import read_xml_book

_ZIP = b"PK"
_OPEN_DOCUMENT = "content.xml"
_COMPOUND = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


def read_workbook(
    connection: duckdb.DuckDBPyConnection, descriptor: int, limits: ReadingLimits, folder: Path
) -> list[MadeTable]:
    """All tables of the open file `descriptor`, in the order of its sheets; their Parquet files are made in `folder`.
    Raises IngestRefused with the reason when there is none or the file can't be trusted, StorageFailed."""
    text = is_text(descriptor)
    markup = markup_of(descriptor) if text else ""
    if text and not markup:
        out = folder / "text.parquet"
        return [MadeTable(out, *read_text_book(connection, descriptor, limits, folder, out), part="", label="")]
    with _collector_paused():
        if text:
            book = read_xml_book(descriptor, limits) if markup == "xml" else read_page(descriptor, limits)
        else:
            book = _read(descriptor, limits)
        return made_tables(Desk(connection, limits, folder, from_1904=book.from_1904), book)


@contextlib.contextmanager
def _collector_paused() -> Generator[None]:
    """Cells are many and hold no circles: looking through them again and again costs a sixth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _read(descriptor: int, limits: ReadingLimits) -> Book:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        parts, package = _second_look(file, limits)
        sheets, notes = _sheets(file, parts, package, limits)
    return Book(sheets, notes, parts.from_1904)


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
) -> tuple[list[Sheet], list[str]]:
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
) -> Sheet:
    sheet = book.get_sheet_by_name(described.name)
    # Of ODS and XLS only the first reader knows this.
    check_span(described.name, sheet.height, sheet.width, cells)
    known = marks.get(described.name, SheetMarks())
    values = sheet.to_python(skip_empty_area=True) if sheet.start is not None else []
    grid = grid_of(values, sheet.start or (0, 0), sheet.merged_cell_ranges or (), known)
    hidden = described.visible != calamine.SheetVisibleEnum.Visible
    return Sheet(described.name, hidden, grid, find_blocks(grid), known, comments)


def _notes(sheets: Sequence[Sheet], described: Sequence[Any], parts: BookParts, *, plain: bool) -> list[str]:
    """What goes with every table of the workbook."""
    notes = told(sheets)
    charts = [each.name for each in described if each.typ != calamine.SheetTypeEnum.WorkSheet]
    if charts:
        notes.append(f"{named(charts)} holds no cells (a chart or dialog) and is not read")
    if parts.macros:
        notes.append("macros in the file are never run")
    if parts.from_1904:
        notes.append("its dates count from 1904")
    if plain:
        notes.append("of this kind of spreadsheet, hidden rows, percent formats and formulas can't be seen")
    return notes
