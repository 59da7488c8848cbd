"""Reads the head of a table on a sheet: titles above it, a header of one or more rows, and where its rows begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from runtime.ingest.dialect import has_header, is_value
from runtime.ingest.layout import Layout, find_layout
from runtime.ingest.loose_records import Record
from runtime.ingest.spreadsheet.cells import Day, Moment, Number, is_filled
from runtime.ingest.spreadsheet.grid import Grid, Range

_HEAD = 1_000
_LEVELS = 4
_ROWS = 3  # numbers in a row that count up evenly name columns from this many on


@dataclass(frozen=True, slots=True)
class Head:
    """The records of a table with its header in one record, their layout, the titles above and what has to be said."""

    records: list[Record]
    layout: Layout
    titles: tuple[str, ...]
    notes: tuple[str, ...]


def read_head(grid: Grid, area: Range, columns: Sequence[int]) -> Head:
    """The head of the table in `area`, of which `columns` are used; at least one row is filled."""
    rows = [row for row in range(area[0], area[2] + 1) if any(is_filled(grid.rows[row][each]) for each in columns)]
    titles, rows = _titles(grid, rows, columns)
    records = [Record(grid.row_number(row), [grid.rows[row][each] for each in columns]) for row in rows]
    layout = find_layout([Record(each.line, _worded(records, place)) for place, each in enumerate(records[:_HEAD])])
    said = _said(grid, rows)
    if said:
        units = layout.units and not layout.above
        layout = replace(layout, above=0, header=True, units=units, certain=True)
    begin = layout.above
    levels = said or _levels(grid, rows[begin:], columns)
    notes: list[str] = []
    if levels > 1:
        header = _joined(grid, rows[begin : begin + levels], columns)
        first, last = records[begin].line, records[begin + levels - 1].line
        merged = ", with merged cells" if any(list(grid.across(row)) for row in rows[begin : begin + levels]) else ""
        notes.append(f"{_count(levels)} header rows ({first} to {last}{merged}) joined into one name for each column")
        records = [*records[:begin], Record(last, header), *records[begin + levels :]]
        units = find_layout([Record(0, header), *records[begin + 1 : begin + _HEAD]]).units
        layout = replace(layout, header=True, units=units)
    return Head(records, replace(layout, width=len(columns)), titles, tuple(notes))


def _titles(grid: Grid, rows: list[int], columns: Sequence[int]) -> tuple[tuple[str, ...], list[int]]:
    """Lines of one text above a table of several columns, and the rows that are left."""
    titles: list[str] = []
    place = 0
    while len(columns) > 1 and place + 1 < len(rows):
        cells = [grid.rows[rows[place]][each] for each in columns]
        texts = [cell for cell in cells if is_filled(cell)]
        if len(texts) != 1 or type(texts[0]) is not str or _over_columns(grid, rows[place], columns):
            break
        titles.append(" ".join(texts[0].split()))
        place += 1
    return tuple(dict.fromkeys(titles)), rows[place:]


def _over_columns(grid: Grid, row: int, columns: Sequence[int]) -> bool:
    """Whether a merged cell of the row stands over a part of the columns only, like the upper of two header rows."""
    return any(columns[0] < each[1] or each[3] < columns[-1] for each in grid.across(row) if each[1] > columns[0])


def _worded(records: Sequence[Record], place: int) -> list[str]:
    """A record's cells; numbers and dates of the first one that can only be names are put as words."""
    cells = records[place].cells
    if place or len(records) < 2:
        return cells
    below = [record.cells for record in records[1:_HEAD]]
    named = _dates_over_others(cells, below) or _counts_up(cells, below)
    return [f"name {cell}" if is_value(cell) else cell for cell in cells] if named else cells


def _dates_over_others(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether dates stand over columns without any date: one column for each month."""
    dated = [place for place, cell in enumerate(cells) if isinstance(cell, (Day, Moment))]
    others = [cell for place, cell in enumerate(cells) if place not in dated and cell]
    if not dated or not all(type(cell) is str and not is_value(cell) for cell in others):
        return False
    return not any(isinstance(row[place], (Day, Moment)) for row in below for place in dated)


def _counts_up(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether whole numbers behind a word count up by one step, as hours and weeks do, and the rows below don't."""

    def steps(row: Sequence[str]) -> set[int]:
        numbers = [int(cell) for cell in row if isinstance(cell, Number) and cell.lstrip("-").isdecimal()]
        return {after - before for before, after in pairwise(numbers)} if len(numbers) >= _ROWS else set()

    first = cells[0] if cells else ""
    own = steps(cells)
    return (
        type(first) is str
        and bool(first)
        and len(own) == 1
        and own != {0}
        and not any(steps(row) == own for row in below[:3])
    )


def _said(grid: Grid, rows: Sequence[int]) -> int:
    """How many rows at the top are said to be the header's."""
    count = next((place for place, row in enumerate(rows) if row not in grid.headed), len(rows))
    return min(count, _LEVELS) if count < len(rows) or count == 1 else 0


def _levels(grid: Grid, rows: Sequence[int], columns: Sequence[int]) -> int:
    """How many rows the header has."""
    levels = 1
    while levels < _LEVELS and levels + 1 < len(rows) and _parted(grid, rows[levels - 1], rows[levels], columns):
        below = [[grid.rows[row][each] for each in columns] for row in rows[levels : levels + _HEAD]]
        # A row that is parted by the next one is no row of values, if it is all words.
        deeper = len(below) > 2 and _parted(grid, rows[levels], rows[levels + 1], columns)
        if not (deeper and all(type(cell) is str for cell in below[0] + below[1])) and not _names(
            below, first=[grid.rows[rows[levels - 1]][each] for each in columns]
        ):
            break
        levels += 1
    return levels


def _parted(grid: Grid, row: int, lower: int, columns: Sequence[int]) -> bool:
    """Whether a row names groups of columns that the row below it parts: by merged cells, or by gaps to its right."""
    inside = [each for each in grid.across(row) if each[1] >= columns[0] and each[3] <= columns[-1]]
    if any(each[3] - each[1] + 1 < len(columns) for each in inside):
        return True
    upper = [bool(grid.rows[row][each]) for each in columns]
    under = [bool(grid.rows[lower][each]) for each in columns]
    # A name over the first of several columns, and names below it and its neighbours.
    return any(
        upper[place] and under[place] and not upper[place + 1] and under[place + 1] for place in range(len(columns) - 1)
    ) and all(above or below for above, below in zip(upper, under, strict=True))


def _names(rows: Sequence[Sequence[str]], first: Sequence[str]) -> bool:
    """Whether the first of `rows` names columns, given the header row `first` above it."""
    cells = rows[0]
    if any(isinstance(cell, (Day, Moment)) for cell in cells):
        return _dates_over_others(cells, rows[1:])
    words = [cell or above for cell, above in zip(cells, first, strict=True)]
    typed = any(type(cell) is not str for row in rows[1:] for cell in row)
    return has_header([words, *rows[1:]]) and (typed or not any(is_value(cell) for cell in cells))


def _joined(grid: Grid, rows: Sequence[int], columns: Sequence[int]) -> list[str]:
    """One name for each column out of several rows; a group's name goes with all columns it stands over."""
    names: list[list[str]] = [[] for _ in columns]
    for level, row in enumerate(rows):
        spans = {each[1]: each[3] for each in grid.across(row)}
        text, until = "", -1
        for place, column in enumerate(columns):
            own = " ".join(grid.rows[row][column].split())
            if own:
                text, until = own, spans.get(column, columns[-1] if not spans and level + 1 < len(rows) else column)
            if column > until:
                text = ""
            if text and text not in names[place][-1:]:
                names[place].append(text)
    return [" ".join(parts) for parts in names]


def _count(levels: int) -> str:
    return {2: "two", 3: "three"}.get(levels, str(levels))
