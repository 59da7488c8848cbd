"""Finds the tables on a sheet: cuts it at empty rows and columns, and keeps together what belongs to one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from runtime.ingest.spreadsheet.cells import is_filled
from runtime.ingest.spreadsheet.grid import Grid, Range

_DEEP = 3
_FAR = 2  # empty rows that part two tables whose cells don't say it
_LINES = 8  # a run of more lines of one text is a list, no title
_LOOK = 10  # rows that are looked at above and below


@dataclass(slots=True)
class Found:
    """The tables of a sheet as ranges that begin with their titles, and texts that stand beside them."""

    tables: list[Range] = field(default_factory=list[Range])
    beside: list[str] = field(default_factory=list[str])


def find_blocks(grid: Grid) -> Found:
    """The tables of the grid, from top to bottom and left to right."""
    found = Found()
    if grid.rows:
        whole = (0, 0, len(grid.rows) - 1, len(grid.rows[0]) - 1)
        _cut(grid, whole, found, 0)
    return found


def _cut(grid: Grid, area: Range, found: Found, depth: int) -> None:
    for table in _stacked(grid, area, found):
        pieces = _side_by_side(grid, table, found) if depth < _DEEP else [table]
        if len(pieces) == 1:
            found.tables.append(pieces[0])
        else:
            for piece in pieces:
                _cut(grid, piece, found, depth + 1)


def _stacked(grid: Grid, area: Range, found: Found) -> list[Range]:
    """Ranges of the area that hold one table each, above one another."""
    bands = list(_bands(grid, area))
    tables: list[Range] = []
    title: Range | None = None
    for place, band in enumerate(bands):
        if place + 1 < len(bands) and _pairs(grid, band, bands[place + 1]):
            found.beside += [_line(grid, row, band) for row in range(band[0], band[2] + 1)]
        elif _only_words(grid, band):
            if place + 1 < len(bands):
                title = (title[0], min(title[1], band[1]), band[2], max(title[3], band[3])) if title else band
            elif tables or title is not None:
                _aside(grid, title, found)
                _aside(grid, band, found)
                title = None
            elif band[2] > band[0]:
                tables.append(band)  # a plain list is all there is
            else:
                _aside(grid, band, found)
        else:
            whole = _around(title, band) if title else band
            title = None
            if tables and _continues(grid, tables[-1], whole):
                tables[-1] = _around(tables[-1], whole)
            else:
                tables.append(whole)
    return tables


def _bands(grid: Grid, area: Range) -> Iterator[Range]:
    """Runs of rows with anything in them, each as narrow as what it holds; another table's title begins a new one."""
    top, left, bottom, right = area
    window = (1 << (right + 1)) - (1 << left)
    begin, seen = -1, 0
    for row in range(top, bottom + 2):
        mask = grid.masks[row] & window if row <= bottom else 0
        begins = begin >= 0 and row < bottom and not mask & (mask - 1) and _titled(grid, begin, row, area)
        if mask and begins:
            yield begin, (seen & -seen).bit_length() - 1, row - 1, seen.bit_length() - 1
            begin, seen = row, mask
        elif mask:
            begin = row if begin < 0 else begin
            seen |= mask
        elif begin >= 0:
            yield begin, (seen & -seen).bit_length() - 1, row - 1, seen.bit_length() - 1
            begin, seen = -1, 0


def _titled(grid: Grid, begin: int, row: int, area: Range) -> bool:
    """Whether a lone text stands over a header of its own, below rows from `begin` on that hold other things."""
    columns = filled(grid, row + 1, area)
    names = [grid.rows[row + 1][column] for column in columns]
    if len(names) < 2 or not all(type(cell) is str for cell in names):
        return False
    above = [grid.rows[each][column] for each in range(max(begin, row - _LOOK), row) for column in columns]
    below = [grid.rows[each][column] for each in range(row + 2, min(row + _LOOK, area[2] + 1)) for column in columns]
    return any(type(cell) is not str for cell in above if cell) and any(type(cell) is not str for cell in below if cell)


def _around(one: Range, other: Range) -> Range:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def filled(grid: Grid, row: int, area: Range) -> list[int]:
    """The columns of a row, within the area, in which something stands."""
    cells = grid.rows[row]
    return [column for column in range(area[1], area[3] + 1) if is_filled(cells[column])]


def _only_words(grid: Grid, band: Range) -> bool:
    """Whether no row of the band has more than one text."""
    if band[2] - band[0] >= _LINES:
        return False
    rows = [filled(grid, row, band) for row in range(band[0], band[2] + 1)]
    return all(len(columns) <= 1 for columns in rows) and all(
        type(grid.rows[band[0] + place][columns[0]]) is str for place, columns in enumerate(rows) if columns
    )


def _aside(grid: Grid, band: Range | None, found: Found) -> None:
    if band is None:
        return
    found.beside += [_line(grid, row, band) for row in range(band[0], band[2] + 1)]


def _line(grid: Grid, row: int, band: Range) -> str:
    return " ".join(" ".join(grid.rows[row][column].split()) for column in filled(grid, row, band))


def _pairs(grid: Grid, band: Range, below: Range) -> bool:
    """Whether a band holds remarks of a word and a value each, above a table of more columns: who printed it, when."""
    if band[2] - band[0] >= _LINES or band[3] - band[1] != 1 or below[3] - below[1] < 2:
        return False
    rows = [[grid.rows[row][column] for column in (band[1], band[3])] for row in range(band[0], band[2] + 1)]
    if not all(type(word) is str and word and is_filled(value) for word, value in rows):
        return False
    return len(rows) <= 2 or type(rows[0][1]) is not str or all(word.rstrip().endswith(":") for word, _ in rows)


def _continues(grid: Grid, table: Range, band: Range) -> bool:
    """Whether the band holds more rows of the table above it: it has its columns and no header of its own."""
    if band[1] < table[1] or band[3] > table[3]:
        return False
    row = band[0]
    while row < band[2] and _only_words(grid, (row, band[1], row, band[3])):
        row += 1  # a title of its own, or the name of a group of rows
    columns = filled(grid, row, band)
    own = [grid.rows[row][column] for column in columns]
    if len(own) < 2 or any(type(cell) is not str for cell in own):
        return True
    if row > band[0]:
        return False
    above = range(table[0], table[2] + 1)
    if any([grid.rows[row][column] for column in columns] == own for row in above[:_LOOK]):
        return True  # the header comes again
    if any(
        type(grid.rows[row][column]) is not str
        for row in above[-2 * _LOOK :]
        for column in columns
        if grid.rows[row][column]
    ):
        return False
    alike = columns == filled(grid, table[2], table)
    return alike and band[0] - table[2] <= _FAR


def _side_by_side(grid: Grid, area: Range, found: Found) -> list[Range]:
    """Ranges of the area that hold one table each, beside one another."""
    pieces = list(_pieces(grid, area))
    tables: list[Range] = []
    for place, piece in enumerate(pieces):
        if tables and not _apart(grid, tables[-1], piece):
            tables[-1] = _around(tables[-1], piece)
        elif (
            piece[1] == piece[3]
            and len(pieces) > 1
            and _only_words(grid, piece)
            and not _labels(grid, piece, pieces[place + 1 :])
        ):
            _aside(grid, piece, found)
        else:
            tables.append(piece)
    return tables or [area]


def _labels(grid: Grid, column: Range, others: list[Range]) -> bool:
    """Whether a column of words holds the labels of what stands to its right: in the same rows, each with its own."""
    if not others or (column[0], column[2]) != (others[0][0], others[0][2]) or column[2] - column[0] < 2:
        return False
    labels = [grid.rows[row][column[1]] for row in range(column[0], column[2] + 1)]
    return all(map(is_filled, labels)) and len(set(labels)) == len(labels)


def _pieces(grid: Grid, area: Range) -> Iterator[Range]:
    top, left, bottom, right = area
    seen = 0
    for row in range(top, bottom + 1):
        seen |= grid.masks[row]
    begin = -1
    for column in range(left, right + 2):
        if column <= right and seen >> column & 1:
            begin = column if begin < 0 else begin
        elif begin >= 0:
            window = (1 << column) - (1 << begin)
            rows = [row for row in range(top, bottom + 1) if grid.masks[row] & window]
            yield rows[0], begin, rows[-1], column - 1
            begin = -1


def _apart(grid: Grid, left: Range, right: Range) -> bool:
    """Whether two ranges with an empty column between them are two tables: both have several columns, and the right one
    has labels of its own or other rows."""
    if right[1] == right[3]:
        rows = right[2] - right[0] + 1
        return rows == 1 or 2 * rows < left[2] - left[0] + 1 or right[2] > left[2]
    if left[1] == left[3]:
        return 2 * (left[2] - left[0] + 1) < right[2] - right[0] + 1
    if (left[0], left[2]) != (right[0], right[2]):
        return True
    cells = [grid.rows[row][right[1]] for row in range(right[0] + 1, right[2] + 1)]
    return any(type(cell) is str and cell for cell in cells)
