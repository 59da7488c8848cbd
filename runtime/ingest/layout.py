"""Finds where the table stands in a delimited text: lines above it, its header, a row of units below the header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from runtime.ingest.dialect import has_header, is_value
from runtime.ingest.lexical import MISSING, NOT_FINITE
from runtime.ingest.loose_records import Record

ABOVE = 40
"""At most this many records are taken for lines above a table."""
_TITLED_ROWS = 4
UNIT = re.compile(
    r"\(.{1,15}\)|\[.{1,15}\]|%|[a-zµ°$€£¥₹]{1,3}([²³/]\S{0,6})?|(EUR|USD|GBP|CHF|INR|kWh|MWh|hours|days|units?|pieces|pcs|"
    r"persons|people|count|text|date|number|tonnes|tons|hrs|mins?|secs?|int(eger)?|bigint|float|double|decimal|numeric|str(ing)?|"
    r"varchar|char|bool(ean)?|datetime|timestamp)",
    re.IGNORECASE,
)
"""What gives the unit of a column rather than its name."""


@dataclass(frozen=True, slots=True)
class Layout:
    """`above` records stand over the table, whose rows have `width` cells; `header` says whether the next one names the
    columns, `units` whether the one after that gives units; `certain`: the file itself says which row is the header."""

    above: int
    width: int
    header: bool
    units: bool
    certain: bool = False


def find_layout(records: Sequence[Record]) -> Layout:
    """The layout by the first records, of which there is at least one."""
    rows = [record.cells for record in records]
    width = usual_width(rows)
    full = [place for place, row in enumerate(rows[:ABOVE]) if _trimmed(row, width) == width and _filled(row, width)]
    start = _below_padded(rows, full, width) if full else 0
    body = [row[:width] for row in rows[start:] if _trimmed(row, width) == width]
    if _titled(body):
        start, body = start + 1, body[1:]
    header = bool(body) and has_header(body)
    if start and not header and _words(rows[0]):
        # The first line names fewer columns than the rows have; the rest stays unnamed.
        start, header, width = 0, True, max(width, len(rows[0]))
    if start and not header and any(len(row) == width for row in rows[:start]):
        start = 0
    units = header and _units(body[1:])
    return Layout(start, width, header, units)


def _titled(body: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is a title that happens to have as many cells as the table: a value stands in it, and below
    it a row of different words over columns of values."""
    if len(body) < _TITLED_ROWS or not body[0] or not any(is_value(cell.strip()) for cell in body[0]):
        return False
    names = [cell.strip() for cell in body[1]]
    if not all(names) or any(map(is_value, names)) or len({name.casefold() for name in names}) < len(names):
        return False
    if all(map(UNIT.fullmatch, names)):
        return False
    return any(_all_numbers([row[place].strip() for row in body[2:]]) for place in range(len(names)))


def _below_padded(rows: Sequence[Sequence[str]], full: Sequence[int], width: int) -> int:
    """Where the table begins: at the first of the `full` rows, or at a header further down when every line over it ends
    before the last column, as spreadsheets pad what stands above a table, and most rows below go beyond these lines."""
    whole = next((place for place in full if all(map(str.strip, rows[place][:width]))), 0)
    reach = max(map(_reach, rows[:whole]), default=width)
    if reach >= width or _parted(rows[whole - 1]):
        return full[0]
    below = [row for row in rows[whole + 1 :] if _reach(row)]
    beyond = 2 * sum(_reach(row) > reach for row in below) > len(below)
    table = [row[:width] for row in rows[whole:] if _trimmed(row, width) == width]
    typed = any(_all_numbers([row[place].strip() for row in table[1:]]) for place in range(width))
    # One row below proves no type.
    return whole if beyond and typed and len(table) > 2 and has_header(table) else full[0]


def _parted(row: Sequence[str]) -> bool:
    """Whether a row has an empty cell before a filled one, as names of groups of columns have."""
    return not all(map(str.strip, row[: _reach(row)]))


def _reach(row: Sequence[str]) -> int:
    """The place of the last cell with a value, from 1; 0 where there is none."""
    return max((place for place, cell in enumerate(row, 1) if cell.strip()), default=0)


def usual_width(rows: Sequence[Sequence[str]]) -> int:
    """The number of cells that most rows have, more than one where many have."""
    counts = Counter(_trimmed(row, 0) for row in rows)
    several = {width: count for width, count in counts.items() if width > 1}
    if several and 4 * sum(several.values()) >= len(rows):
        # Of two equally frequent widths the first row's is meant.
        first = _trimmed(rows[0], 0)
        usual = max(several, key=lambda width: (several[width], width == first, -width))
        return _without_empty(rows, usual)
    return max(counts, key=lambda width: counts[width])


def _without_empty(rows: Sequence[Sequence[str]], usual: int) -> int:
    """The width of the first narrower row, where all that the `usual` rows have beyond it is empty: delimiters after
    the last value, which the header lacks."""
    narrower = next((len(row) for row in rows if 1 < len(row) < usual), usual)
    beyond = [cell for row in rows if len(row) == usual for cell in row[narrower:]]
    return usual if any(cell.strip() for cell in beyond) else narrower


def _trimmed(row: Sequence[str], width: int) -> int:
    """The row's width, without the empty cells that delimiters after the last value make."""
    return width if width and len(row) > width and not any(cell.strip() for cell in row[width:]) else len(row)


def _filled(row: Sequence[str], width: int) -> bool:
    filled = sum(bool(cell.strip()) for cell in row[:width])
    return width < 3 or filled > max(1, width // 3)


def _words(row: Sequence[str]) -> bool:
    return len(row) > 1 and all(cell.strip() and not is_value(cell.strip()) for cell in row)


def _units(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row holds units: words over columns that are numbers below, and nothing over the others."""
    if len(rows) < 3:
        return False
    first = [cell.strip() for cell in rows[0]]
    numbers = [place for place in range(len(first)) if _all_numbers([row[place].strip() for row in rows[1:]])]
    named = [place for place in numbers if first[place]]
    if not named or any(is_value(first[place]) or _absent(first[place]) for place in named):
        return False
    others = [first[place] for place in range(len(first)) if place not in numbers and first[place]]
    if any(not UNIT.fullmatch(cell) and cell.casefold() not in ("unit", "units", "-") for cell in others):
        return False
    return all(UNIT.fullmatch(first[place]) for place in named) or (len(named) == len(numbers) > 1 and not others)


def _all_numbers(cells: Sequence[str]) -> bool:
    present = [cell for cell in cells if cell and not _absent(cell)]
    return bool(present) and all(map(is_value, present))


def _absent(cell: str) -> bool:
    return cell.lower() in MISSING or cell.lower() in NOT_FINITE
