"""Reads a web page under the name of a spreadsheet: each table on it is taken for a sheet."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator, Sequence

from runtime.ingest.bytescan import bom_of
from runtime.ingest.document_html import said_encoding
from runtime.ingest.encoding import UTF8, Encoding, proved_encoding, with_nuls
from runtime.ingest.outcome import IngestRefused, ReadingLimits
from runtime.ingest.spreadsheet.blocks import Found, find_blocks
from runtime.ingest.spreadsheet.grid import Grid, Range, grid_of
from runtime.ingest.spreadsheet.page_tables import PageTable, PageTables
from runtime.ingest.spreadsheet.sheet_tables import Book, Sheet
from runtime.ingest.spreadsheet.table import used_columns

_NOTE = "its content is a web page (HTML), as many programs export it: tables are read as the page shows them"
_NO_TABLE = "a web page without a table of several rows and columns (an error or login page, perhaps)"
_CHUNK = 1 << 18
_HEAD = 1 << 20
_TAG_BYTES = 4 << 20
_SHOWN, _SHOWN_CHARS = 4, 80


def read_page(descriptor: int, limits: ReadingLimits) -> Book:
    """The tables of the open page as sheets, and what goes with each of them. Raises IngestRefused when it has none, or
    is too large."""
    size = os.fstat(descriptor).st_size
    if size > limits.page_bytes:
        bound = limits.page_bytes >> 20
        raise IngestRefused(f"a web page of {size >> 20:,} MiB; pages are read up to {bound:,} MiB: save it as XLSX")
    encoding = _encoding(descriptor)
    page = PageTables(limits.workbook_cells)
    lost = 0
    for text in _texts(descriptor, encoding.name):
        lost += text.count("\ufffd")
        page.feed(text)
        if len(page.rawdata) > _TAG_BYTES:
            raise IngestRefused("damaged: a tag of the page never ends")
    whole = page.finish()
    sheets, beside = _sheets(page)
    if page.signs_in or not sheets:
        raise IngestRefused(
            "its sheets are kept in other files beside it; save it as XLSX" if page.elsewhere else _NO_TABLE
        )
    notes = [_NOTE, *encoding.notes]
    if lost:
        notes.append(f"{lost:,} characters have no meaning in its encoding")
    if not whole:
        notes.append("the page ends before its last table does: it may be cut off, so rows may be missing")
    if beside:
        more = f"; and {len(beside) - _SHOWN:,} more" if len(beside) > _SHOWN else ""
        shown = "; ".join(repr(text[:_SHOWN_CHARS]) for text in beside[:_SHOWN])
        notes.append(f"around its tables the page says: {shown}{more}")
    return Book(sheets, notes)


def _encoding(descriptor: int) -> Encoding:
    """By its mark, else UTF-8 when every byte fits, else what the page says itself, else Windows-1252."""
    head = os.pread(descriptor, _HEAD, 0)
    mark = bom_of(head)
    if mark in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        raise IngestRefused("its encoding is UTF-32, which is not read")
    if mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return Encoding("utf-16", ("encoding: UTF-16, read as such",))
    if b"\0" in head and (found := with_nuls(head, head.count(b"\n", 0, head.index(b"\0")) + 1)) is not UTF8:
        return found
    try:
        for _ in _texts(descriptor, "utf-8-sig", "strict"):
            pass
    except UnicodeDecodeError:
        said = said_encoding(head)
        if said and not said.startswith("utf"):
            return Encoding(said, (f"encoding: {said}, as it says itself",))
        return proved_encoding(descriptor)
    return Encoding("utf-8-sig")


def _texts(descriptor: int, encoding: str, errors: str = "replace") -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    offset = 0
    while chunk := os.pread(descriptor, _CHUNK, offset):
        offset += len(chunk)
        yield decoder.decode(chunk)
    yield decoder.decode(b"", True)


def _sheets(page: PageTables) -> tuple[list[Sheet], list[str]]:
    """Tables that hold one of several rows and columns, and the texts of the page around and between them."""
    kept: list[tuple[PageTable, Grid, Found]] = []
    beside = [line for line in page.lines if line not in {table.title for table in page.tables if table.rows}]
    for table in page.tables:
        grid = _grid(table)
        found = find_blocks(grid)
        tables = [area for area in found.tables if _is_table(grid, area, outer=table.outer)]
        lone = [_line(grid, area) for area in found.tables if area not in tables]
        if tables:
            kept.append((table, grid, Found(tables, [*found.beside, *lone])))
            continue
        # What is no table stands there for the layout; its words are the page's.
        beside += [*([table.title] if table.title else []), *found.beside, *lone]
    names = page.names if len(page.names) == len(kept) else ()
    sheets = [
        Sheet(
            names[place] if names else table.title,
            table.hidden,
            grid,
            found,
            table.marks,
            tuple(_said(table)),
            of_page=True,
        )
        for place, (table, grid, found) in enumerate(kept)
    ]
    return sheets, beside


def _said(table: PageTable) -> Iterator[str]:
    """What goes with a table alone."""
    if table.title:
        yield f"above the table the page says: {table.title!r}"
    if table.left_out:
        texts = "1 text" if table.left_out == 1 else f"{table.left_out:,} texts"
        yield f"{texts} in cells that the page doesn't show left out"
    if table.dates:
        dates = "1 date" if table.dates == 1 else f"{table.dates:,} dates"
        yield f"{dates} read in the order of day and month that the number format gives"


def _grid(table: PageTable) -> Grid:
    width = table.width
    values = [[*row, *[""] * (width - len(row))] for row in table.rows] if width else []
    table.marks.hidden_columns = [(column, column) for column in sorted(table.unshown)]
    grid = grid_of(values, (0, 0), table.merged, table.marks)
    grid.headed = frozenset(table.headed)
    return grid


def _is_table(grid: Grid, area: Range, *, outer: bool) -> bool:
    """Several columns, and several rows or a header without rows. Where other tables stand in it, most rows are there
    for the layout: those of one cell don't count."""
    rows = [grid.rows[row][area[1] : area[3] + 1] for row in range(area[0], area[2] + 1)]
    filled = [area[0] + place for place, row in enumerate(rows) if sum(map(bool, row)) > outer]
    return len(used_columns(grid, area)) > 1 and (len(filled) > 1 or all(row in grid.headed for row in filled))


def _line(grid: Grid, area: Range) -> str:
    cells: Sequence[str] = [
        cell for row in range(area[0], area[2] + 1) for cell in grid.rows[row][area[1] : area[3] + 1]
    ]
    return " ".join(" ".join(cell.split()) for cell in cells if cell)[:500]
