"""Turns one block of a sheet into a typed Parquet file, with a note for everything that was decided on the way."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import duckdb

from runtime.ingest.afterlook import few, look_after
from runtime.ingest.bytescan import scan
from runtime.ingest.columns import ColumnType
from runtime.ingest.delimited import reconcile, source_sql, typed_copy
from runtime.ingest.dialect import Dialect
from runtime.ingest.engine import reasons
from runtime.ingest.loose_records import Record
from runtime.ingest.outcome import IngestRefused, ReadingLimits
from runtime.ingest.repair import table_of
from runtime.ingest.rewritten import rewritten
from runtime.ingest.spreadsheet.cells import COUNTS, UNCACHED, Missing, Number, is_filled
from runtime.ingest.spreadsheet.columns import settle
from runtime.ingest.spreadsheet.grid import Grid, Range
from runtime.ingest.spreadsheet.heading import Head, read_head

_SHOWN = 4
_SHOWN_CHARS = 40


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A table's Parquet file, its columns with their DuckDB types, its rows, title and notes."""

    out: Path
    columns: tuple[tuple[str, str], ...]
    rows: int
    title: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Desk:
    """What reading a table needs besides its cells."""

    connection: duckdb.DuckDBPyConnection
    limits: ReadingLimits
    folder: Path
    from_1904: bool = False


def read_table(desk: Desk, grid: Grid, area: Range, out: Path) -> SheetTable:
    """Writes `out` from the block `area`. Raises IngestRefused with a reason, StorageFailed when a disk is full."""
    columns = used_columns(grid, area)
    if len(columns) > desk.limits.columns:
        raise IngestRefused(f"{len(columns):,} columns; at most {desk.limits.columns:,} are read")
    head = read_head(grid, area, columns)
    notes = _titled(head)
    records = _without_uncalculated_sums(grid, head, columns, notes)
    repair = table_of(records, head.layout, ",", notes, "row")
    named = settle(repair.rows, repair.names, from_1904=desk.from_1904)
    notes = [
        *repair.notes,
        *_merged(grid, area, head),
        *(f"{each.name}: {said}" for each in named for said in each.notes),
    ]
    dialect = Dialect(",", '"', True, repair.names)

    def honest(decided: tuple[ColumnType, ...]) -> tuple[ColumnType, ...]:
        return tuple(column.honest(each) for column, each in zip(named, decided, strict=True))

    with ExitStack() as opened:
        copy = rewritten([repair.names, *repair.rows], desk.folder)
        opened.callback(os.close, copy)
        seen = scan(copy)
        types = typed_copy(
            desk.connection,
            source_sql(copy, dialect, seen),
            dialect,
            out,
            honest,
            whole=seen.size <= desk.limits.whole_types_bytes,
        )
        count = reconcile(desk.connection, out, seen, dialect)
    if count != len(repair.rows):
        raise IngestRefused(f"{len(repair.rows):,} rows on the sheet, {count:,} rows read")
    notes += [f"{name}: {each.note}" for name, each in zip(repair.names, types, strict=True) if each.note]
    with reasons():
        notes += look_after(desk.connection, out, repair.names, types, count)
    notes += _lone(repair.rows)
    kinds = tuple((name, each.name) for name, each in zip(repair.names, types, strict=True))
    return SheetTable(out, kinds, count, head.titles[0] if head.titles else "", few(notes))


def used_columns(grid: Grid, area: Range) -> list[int]:
    """The columns of a block in which anything stands."""
    return [
        column
        for column in range(area[1], area[3] + 1)
        if any(is_filled(grid.rows[row][column]) for row in range(area[0], area[2] + 1))
    ]


def _titled(head: Head) -> list[str]:
    notes = list(head.notes)
    if head.titles:
        what = "title row" if len(head.titles) == 1 else f"{len(head.titles)} title rows"
        notes.append(f"{what} above the header: {'; '.join(repr(title[:80]) for title in head.titles[:_SHOWN])}")
    return notes


def _without_uncalculated_sums(grid: Grid, head: Head, columns: Sequence[int], notes: list[str]) -> list[Record]:
    """The records without rows of sums that were never calculated. Rows of sums with results get the label that they
    lack, so that they are judged as totals."""
    begin = head.layout.above + (1 if head.layout.header else 0)
    kept = head.records[:begin]
    gone: list[int] = []
    for record in head.records[begin:]:
        sums = grid.sums.get(record.line - 1 - grid.top, set())
        places = [place for place, column in enumerate(columns) if column in sums]
        rest = [cell for place, cell in enumerate(record.cells) if place not in places]
        if not places or any(isinstance(cell, Number) for cell in rest):
            kept.append(record)
        elif all(_uncalculated(record.cells[place]) for place in places):
            gone.append(record.line)
        else:
            label = next((cell for cell in rest if cell.strip()), "")
            first = next((place for place in range(len(columns)) if place not in places), None)
            if not label and first is not None:
                record.cells[first] = "Total"
            kept.append(record)
    if gone:
        rows = "row" if len(gone) == 1 else "rows"
        shown = ", ".join(str(line) for line in gone[:_SHOWN])
        notes.append(f"{rows} {shown} with sums that were never calculated kept apart, not counted as rows (formulas)")
    return kept


def _uncalculated(cell: str) -> bool:
    return isinstance(cell, Missing) and cell.why == UNCACHED


def _lone(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of one text in a table of more: they may be headings of the rows below them."""
    if not rows or len(rows[0]) < 3:
        return []
    texts = [row[0] for row in rows if row[0] and type(row[0]) is str and not any(map(is_filled, row[1:]))]
    if not texts or 2 * len(texts) > len(rows):
        return []
    what = "1 row holds" if len(texts) == 1 else f"{len(texts):,} rows hold"
    return [f"{what} a single text, e.g. {texts[0][:_SHOWN_CHARS]!r} (the heading of a group?); kept as rows"]


def _merged(grid: Grid, area: Range, head: Head) -> list[str]:
    """What merged cells below the header were taken for."""
    first = next((record.line for record in head.records[head.layout.above + 1 :]), 0) - 1 - grid.top
    inside = [
        each for each in grid.merged if max(area[0], first) <= each[0] <= area[2] and area[1] <= each[1] <= area[3]
    ]
    down = [each for each in inside if each[2] > each[0] and grid.rows[each[0]][each[1]]]
    texts = [each for each in down if not isinstance(grid.rows[each[0]][each[1]], COUNTS)]
    notes: list[str] = []
    if texts:
        notes.append(f"merged cells: the value stands for each of their rows ({_places(grid, texts)})")
    if len(texts) < len(down):
        numbers = [each for each in down if each not in texts]
        notes.append(
            f"merged cells with a number: it counts in the first of their rows only ({_places(grid, numbers)})"
        )
    return notes


def _places(grid: Grid, ranges: Sequence[Range]) -> str:
    shown = ", ".join(grid.address(each) for each in ranges[:_SHOWN])
    return shown + (f" and {len(ranges) - _SHOWN:,} more" if len(ranges) > _SHOWN else "")
