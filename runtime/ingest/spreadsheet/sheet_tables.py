"""Makes a typed table of each block that stands on the sheets of a workbook, with what its sheet says about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.ingest.made_table import MadeTable
from runtime.ingest.outcome import IngestRefused
from runtime.ingest.spreadsheet.blocks import Found
from runtime.ingest.spreadsheet.grid import Grid, Range, letters
from runtime.ingest.spreadsheet.sheet_marks import SheetMarks
from runtime.ingest.spreadsheet.table import Desk, SheetTable, read_table

_LABEL_CHARS = 40
_SHOWN = 4
_SHOWN_CHARS = 80
_TABLES = 200


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet with its blocks found. `said` goes with each of its tables. A table on a web page is one, too, `of_page`:
    then `name` is what the page calls it, nothing when it has no name."""

    name: str
    hidden: bool
    grid: Grid
    found: Found
    marks: SheetMarks
    said: tuple[str, ...] = ()
    of_page: bool = False


@dataclass(frozen=True, slots=True)
class Book:
    """The sheets of a file in their order, what goes with every table, and whether its dates count from 1904."""

    sheets: Sequence[Sheet]
    notes: Sequence[str] = ()
    from_1904: bool = False


def made_tables(desk: Desk, book: Book) -> list[MadeTable]:
    """The tables of a file; their Parquet files are made in the desk's folder. Raises IngestRefused when there is none,
    there are too many or one can't be read, StorageFailed."""
    made: list[MadeTable] = []
    sheets = book.sheets
    shown = [sheet for sheet in sheets if sheet.found.tables and not sheet.hidden]
    for number, sheet in enumerate(sheets, start=1):
        said = [*_about(sheet), *book.notes]
        alone = len(shown) == 1 and shown[0] is sheet
        for place, area in enumerate(sheet.found.tables, start=1):
            if len(made) == _TABLES:
                where = "in it" if sheet.of_page else "on its sheets"
                raise IngestRefused(f"more than {_TABLES} tables stand {where}; at most {_TABLES} are read")
            table = read_table(desk, sheet.grid, area, desk.folder / f"{len(made)}.parquet")
            made.append(_placed(sheet, number, place, area, table, alone=alone, said=said))
    if not made:
        raise IngestRefused("empty: no sheet holds a table")
    return made


def _about(sheet: Sheet) -> list[str]:
    """What goes with every table of a sheet."""
    notes: list[str] = []
    if sheet.hidden:
        where = (
            "page shows nothing of this table" if sheet.of_page else f"sheet {sheet.name!r} is hidden in the workbook"
        )
        notes.append(f"the {where}")
    if sheet.found.beside:
        texts = [repr(text[:_SHOWN_CHARS]) for text in sheet.found.beside[:_SHOWN]]
        more = f"; and {len(sheet.found.beside) - _SHOWN:,} more" if len(sheet.found.beside) > _SHOWN else ""
        notes.append(f"beside its tables the {'page' if sheet.of_page else 'sheet'} says: {'; '.join(texts)}{more}")
    if len(sheet.found.tables) > 1:
        shown = ", ".join(sheet.grid.address(area) for area in sheet.found.tables[:_SHOWN])
        more = f" and {len(sheet.found.tables) - _SHOWN} more" if len(sheet.found.tables) > _SHOWN else ""
        where = "within one table of the page" if sheet.of_page else f"on the sheet {sheet.name!r}"
        notes.append(f"{len(sheet.found.tables)} tables {where}: {shown}{more}")
    return [*notes, *sheet.said]


def _placed(
    sheet: Sheet, number: int, place: int, area: Range, table: SheetTable, *, alone: bool, said: Sequence[str]
) -> MadeTable:
    several = len(sheet.found.tables) > 1
    name, part = sheet.name, f"sheet {sheet.name}, {sheet.grid.address(area)}"
    if sheet.of_page:
        name = sheet.name or ("" if several else table.title) or str(number)
        part = f"table {number} of the page" + (f", {sheet.grid.address(area)}" if several else "")
    label = "" if alone else name[:_LABEL_CHARS].strip() if sheet.of_page else name
    if several:
        label = f"{label} {table.title[:_LABEL_CHARS].strip() or place}".strip()
    notes = (*said, *_hidden(sheet, area), *table.notes)
    return MadeTable(table.out, table.columns, table.rows, notes, part, label)


def _hidden(sheet: Sheet, area: Range) -> list[str]:
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


def named(names: Sequence[str]) -> str:
    """The names of sheets, as many as are worth telling."""
    shown = ", ".join(repr(name) for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    return f"{'sheet' if len(names) == 1 else 'sheets'} {shown}"


def told(sheets: Sequence[Sheet]) -> list[str]:
    """What goes with every table of a workbook about its sheets: which are hidden, which hold no table."""
    notes: list[str] = []
    if hidden := [sheet.name for sheet in sheets if sheet.hidden and sheet.found.tables]:
        notes.append(f"hidden {named(hidden)} of the workbook read too, as tables apart")
    if empty := [sheet.name for sheet in sheets if not sheet.found.tables]:
        notes.append(f"no table on {named(empty)}")
    return notes
