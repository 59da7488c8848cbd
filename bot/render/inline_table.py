"""The first rows of a result inside a fold: as a native table or as monospace, within a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.render import blocks, limits, text_table
from bot.render.grouping import ENGLISH, Numerals, decimals_of, grouped, may_be_years
from bot.render.inert import escape_code
from bot.render.measure import chars, json_bytes
from bot.render.pieces import fenced
from bot.render.text import cell_code, cell_raw
from runtime.evidence import Evidence

_CELL_BYTES = len('{"type":"raw_text","text":},')
_COLUMN_BYTES = len('{"align":"right","is_wrapped":true},')
_ENOUGH_ROWS = 5
_CAPS = (limits.CELL_CHARS, 80, limits.CELL_CHARS_NARROW)

Grid = list[list[str]]


@dataclass(frozen=True, slots=True)
class ShownTable:
    """The block and how much of the result it shows."""

    block: blocks.Block
    rows: int
    columns: int


def native(item: Evidence, max_chars: int, max_bytes: int, numerals: Numerals = ENGLISH) -> ShownTable:
    """A native table of the first rows and columns that keep the budget; wide cells give way before rows do."""
    columns = min(len(item.columns), limits.TABLE_COLUMNS)
    grid = _native_grid(item, columns, _CAPS[0], max_chars, max_bytes, numerals)
    for cap in _CAPS[1:]:
        if _rows(grid) >= min(_ENOUGH_ROWS, len(item.rows)):
            break
        grid = _native_grid(item, columns, cap, max_chars, max_bytes, numerals)
    while columns > 1 and _rows(grid) < min(1, len(item.rows)):
        columns = (columns + 1) // 2
        grid = _native_grid(item, columns, limits.CELL_CHARS_NARROW, max_chars, max_bytes, numerals)
    right = text_table.rightward(grid[0], grid[1:])
    return ShownTable(blocks.table(grid, right), _rows(grid), columns)


def monospace(item: Evidence, max_chars: int, max_bytes: int, numerals: Numerals = ENGLISH) -> ShownTable:
    """The same as text: as many columns as stand side by side, as many rows as keep the budget."""
    grid = _grid(item, limits.TABLE_COLUMNS, limits.CELL_CHARS_NARROW, cell_code, numerals)
    columns = _side_by_side(grid)
    grid = [row[:columns] for row in grid]
    lines = [escape_code(line) for line in text_table.grid(grid[0], grid[1:])]
    while len(lines) > 3 and not _fits(fenced("\n".join(lines)), max_chars, max_bytes):
        lines.pop()
    body = "\n".join(lines)
    if not _fits(fenced(body), max_chars, max_bytes):
        # One row of hostile cells alone breaks the budget: fewer columns always end this.
        narrow = Evidence(item.id, item.call_id, item.tool, item.title, item.status, columns=item.columns[:1])
        return monospace(narrow, max_chars, max_bytes, numerals)
    return ShownTable(blocks.section(fenced(body)), len(lines) - 2, columns)


def _rows(grid: Grid) -> int:
    """Rows below the header; -1 when not even the header keeps the budget."""
    return len(grid) - 1


def _grid(item: Evidence, columns: int, cap: int, cell: Callable[[Any, int], str], numerals: Numerals) -> Grid:
    rows = item.rows[: limits.FOLD_ROWS]
    grid = [[cell(column.name, limits.HEADER_CELL_CHARS) for column in item.columns[:columns]], *([] for _ in rows)]
    for place, column in enumerate(item.columns[:columns]):
        values = [row[place] if place < len(row) else None for row in rows]
        decimals = decimals_of(values, column.name, column.type)
        years = may_be_years(values, column.name, column.type)
        for line, value in zip(grid[1:], values, strict=True):
            line.append(cell(grouped(value, column.name, column.type, numerals, decimals, years=years), cap))
    return grid


def _native_grid(item: Evidence, columns: int, cap: int, max_chars: int, max_bytes: int, numerals: Numerals) -> Grid:
    grid = _grid(item, columns, min(cap, max_chars), cell_raw, numerals)
    used_chars, used_bytes, kept = 0, columns * _COLUMN_BYTES + 80, 0
    for row in grid:
        used_chars += sum(map(chars, row))
        used_bytes += sum(json_bytes(cell) + _CELL_BYTES for cell in row) + 3
        if used_chars > max_chars or used_bytes > max_bytes:
            break
        kept += 1
    return grid[:kept]


def _side_by_side(grid: Grid) -> int:
    used, kept = 0, 0
    for size in text_table.widths(grid[0], grid[1:]):
        used += size + len(text_table.GAP)
        if kept and used > limits.TEXT_TABLE_WIDTH:
            break
        kept += 1
    return kept


def _fits(text: str, max_chars: int, max_bytes: int) -> bool:
    return chars(text) <= max_chars and json_bytes(text) <= max_bytes
