"""One sheet as a rectangle of cells, both readers' findings put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.ingest.outcome import IngestRefused
from runtime.ingest.spreadsheet.cells import COUNTS, EMPTY, cell_of, is_filled
from runtime.ingest.spreadsheet.sheet_marks import SheetMarks

Range = tuple[int, int, int, int]
"""First row, first column, last row, last column, all counted from 0 and inclusive."""


@dataclass(slots=True)
class Grid:
    """The cells of a sheet whose first one stands at (`top`, `left`). Rows and columns of the methods and ranges count
    from 0 within the grid. `merged` are ranges of merged cells, `sums` the columns of a row with formulas that add up
    rows, `masks` one bit for each filled column of a row, `headed` the rows that are said to be a header's."""

    rows: list[list[str]]
    top: int = 0
    left: int = 0
    merged: list[Range] = field(default_factory=list[Range])
    sums: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    masks: list[int] = field(default_factory=list[int])
    headed: frozenset[int] = frozenset()

    def address(self, area: Range) -> str:
        """A range as people write it: B3:F20."""
        first = f"{letters(self.left + area[1])}{self.top + area[0] + 1}"
        last = f"{letters(self.left + area[3])}{self.top + area[2] + 1}"
        return first if first == last else f"{first}:{last}"

    def row_number(self, row: int) -> int:
        """A row's number as the program shows it."""
        return self.top + row + 1

    def across(self, row: int) -> Iterator[Range]:
        """Merged ranges over several columns that begin in this row."""
        return (each for each in self.merged if each[0] == row and each[3] > each[1])


def letters(column: int) -> str:
    """A column's letters: A for 0, AA for 26."""
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


def grid_of(
    values: Sequence[Sequence[Any]], start: tuple[int, int], merged: Sequence[Corners], marks: SheetMarks
) -> Grid:
    """The grid for a sheet's `values`, the first of them at `start`. Cells that the first reader left out but the
    second one marked are put in."""
    places = [(row, column) for row, cells in marks.marks.items() for column in cells]
    top = min([start[0] if values else place[0] for place in places[:1] or [start]] + [row for row, _ in places])
    left = min([start[1] if values else place[1] for place in places[:1] or [start]] + [column for _, column in places])
    right = max([start[1] + len(values[0]) - 1 if values else left, *(column for _, column in places)])
    bottom = max([start[0] + len(values) - 1 if values else top, *marks.marks])
    grid = Grid([], top, left)
    before = [EMPTY] * (start[1] - left)
    width = right - left + 1
    for row in range(top, bottom + 1):
        own = values[row - start[0]] if start[0] <= row < start[0] + len(values) else ()
        known = marks.marks.get(row)
        if known is None:
            cells = [value if value.__class__ is str and "\0" not in value else cell_of(value, None) for value in own]
        else:
            cells = [cell_of(value, known.get(start[1] + place)) for place, value in enumerate(own)]
        cells = before + cells if before else cells
        cells += [EMPTY] * (width - len(cells))
        if known:
            for column, mark in known.items():
                if not cells[column - left]:
                    cells[column - left] = cell_of("", mark)
        grid.rows.append(cells)
    grid.sums = {row - top: {column - left for column in columns} for row, columns in marks.sums.items()}
    _merge(grid, merged)
    return grid


Corners = tuple[tuple[int, int], tuple[int, int]]
"""First and last (row, column) of a merged range, counted from the sheet's first cell."""


def _merge(grid: Grid, merged: Sequence[Corners]) -> None:
    """Takes up the merged ranges: what stands in a column of merged cells is meant for all of its rows, unless it is a
    number, which would count again in each. Raises IngestRefused when they overlap without end."""
    height, width = len(grid.rows), len(grid.rows[0]) if grid.rows else 0
    left = height * width
    for (first_row, first_column), (last_row, last_column) in merged:
        area = (
            first_row - grid.top,
            first_column - grid.left,
            min(last_row - grid.top, height - 1),
            min(last_column - grid.left, width - 1),
        )
        if area[0] < 0 or area[1] < 0 or area[0] > area[2] or area[1] > area[3]:
            continue
        left -= area[2] - area[0] + 1
        if left < 0:
            # More than there are cells: a crafted file may ask for as many steps as merged cells times rows.
            raise IngestRefused("damaged: merged cells of a sheet overlap")
        grid.merged.append(area)
        cell = grid.rows[area[0]][area[1]]
        if is_filled(cell) and not isinstance(cell, COUNTS):
            for row in range(area[0] + 1, area[2] + 1):
                if not is_filled(grid.rows[row][area[1]]):
                    grid.rows[row][area[1]] = cell
    grid.masks = [_mask(row) for row in grid.rows]
    for area in grid.merged:
        bits = (1 << (area[3] + 1)) - (1 << area[1])
        for row in range(area[0], area[2] + 1):
            grid.masks[row] |= bits


def _mask(row: Sequence[str]) -> int:
    mask = 0
    for place, cell in enumerate(row):
        if cell or is_filled(cell):
            mask |= 1 << place
    return mask
