"""Finds what stands below or between the rows of a table and is none: remarks, numbers of pages, lines without values,
and the place where a second table may begin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from runtime.ingest.dialect import is_value
from runtime.ingest.loose_records import Record
from runtime.ingest.totals import label_of
from runtime.ingest.wording import Noun, counted, cut, few, where

_SAYS = re.compile(
    r"\W*(sources?|notes?|n\.?b\.?|notice|legend|disclaimer|remarks?|footnotes?|(printed|generated|exported|created)\b"
    r"|(row |record )?count|(number of |total )?(rows|records|entries)|report|quellen?|hinweise?|anmerkung(en)?|stand"
    r"|bemerkung(en)?|fuentes?|notas?|fonte|nota bene|bron|opmerking(en)?|kilder?|källor?|źródło|uwag[ai]|zdroj"
    r"|источник|примечани[ея]|注|出典|来源|資料|備考)[^:：]{0,30}[:：].*|\W*(©|copyright\b|\(c\) ).*",
    re.IGNORECASE | re.DOTALL,
)
"""How a remark begins."""
_PAGE = re.compile(
    r"\W*(page|seite|página|pagina|strona|sida|side|blz\.?)\s*[0-9]+(\s*(of|von|de|di|van|av|/|z)\s*[0-9]+)?\W*",
    re.IGNORECASE,
)
_MOST = 40  # records that a block of remarks below a table may have
_FEW = 5  # of them, however few rows stand above
_LOOKED_AT = 1_000  # rows that tell what the columns hold


@dataclass(frozen=True, slots=True)
class _Columns:
    """The places of columns that hold values, and of those that are never empty."""

    typed: tuple[int, ...]
    filled: tuple[int, ...]

    def unlike(self, record: Record) -> bool:
        """Whether a record lacks what every row has, or has words where the others have values."""
        cells = [cell.strip() for cell in record.cells]
        missing = any(place >= len(cells) or not cells[place] for place in self.filled)
        return missing or any(
            place < len(cells) and cells[place] and not is_value(cells[place]) for place in self.typed
        )


def _columns(records: Sequence[Record], width: int) -> _Columns:
    rows = [record.cells for record in records[-_LOOKED_AT:] if filled(record) > 1 or width == 1]
    typed: list[int] = []
    full: list[int] = []
    for place in range(width):
        cells = [cell for row in rows if place < len(row) and (cell := row[place].strip())]
        if rows and len(cells) == len(rows):
            full.append(place)
        if cells and 10 * sum(map(is_value, cells)) >= 9 * len(cells):
            typed.append(place)
    return _Columns(tuple(typed), tuple(full))


def filled(record: Record) -> int:
    """The place of the last cell with a value, from 1; 0 where there is none."""
    return max((place for place, cell in enumerate(record.cells, 1) if cell.strip()), default=0)


def begins_as_remark(record: Record) -> bool:
    """Whether a record begins with the words of a remark about a table."""
    return bool(_SAYS.fullmatch(_text(record)))


def without_footer(records: list[Record], width: int, notes: list[str], noun: Noun) -> list[Record]:
    """The records without remarks at their end: lines of one cell below a table with three columns or more, and of one
    with two behind a blank line; lines that begin as remarks do, the heading of other remarks, and what stands behind
    the last blank line, where they are unlike the rows. Lines without any value at the end go with them."""
    below = _without_blank_end(records, len(records)) if width > 1 else len(records)
    end = _table_end(records, below, width)
    # Blank lines that are padded to the table's width part the remarks from it.
    end = _without_blank_end(records, end) if end < below else below
    if 2 * sum(_lone(record) for record in records[:end]) > end:
        end = below
    if below < len(records):
        lines = [record.line for record in records[below:]]
        notes.append(f"{counted(len(lines), noun)} without a value at the end left out ({where(lines, noun)})")
    if end < below:
        left = [record for record in records[end:below] if filled(record)]
        shown = few([repr(cut(_text(record))) for record in left])
        lines = [record.line for record in left]
        notes.append(f"footer of {counted(len(left), noun)} below the table skipped ({where(lines, noun)}): {shown}")
    return records[:end]


def _table_end(records: Sequence[Record], below: int, width: int) -> int:
    end = below
    columns: _Columns | None = None
    while end > 1:
        last = records[end - 1]
        if _remark(last) and (width > 2 or _set_off(records[end - 2 : end], width)):
            end -= 1
        elif (says := begins_as_remark(last)) or (end < below and _heads(last)):
            columns = columns or _columns(records[: max(1, end - 1)], width)
            if not columns.unlike(last) or (not says and not _lone(last)):
                break
            end -= 1
        else:
            break
    return min(end, _before_block(records, end, width))


def _before_block(records: Sequence[Record], end: int, width: int) -> int:
    """Where the records behind the last blank line begin, if they are remarks: none is like the rows above or a total,
    and half of them have one cell or begin as remarks do."""
    begin = next(
        (place for place in range(end - 1, max(0, end - _MOST), -1) if _gap(*records[place - 1 : place + 1])), 0
    )
    block = records[begin:end]
    if not begin or len(block) > max(_FEW, begin // 2) or any(label_of(record.cells) for record in block):
        return end
    columns = _columns(records[:begin], width)
    remarks = sum(_lone(record) or begins_as_remark(record) for record in block)
    return begin if 2 * remarks >= len(block) and all(map(columns.unlike, block)) else end


def without_pages(records: list[Record], notes: list[str], noun: Noun) -> list[Record]:
    """The records without lines that only number a page."""
    pages = [record.line for record in records if _numbers_page(record)]
    if not pages or len(pages) * 2 > len(records):
        return records
    notes.append(f"{counted(len(pages), noun)} with the number of a page skipped ({where(pages, noun)})")
    return [record for record in records if not _numbers_page(record)]


def _numbers_page(record: Record) -> bool:
    return _lone(record) and bool(_PAGE.fullmatch(_text(record)))


def second_table(records: Sequence[Record], width: int) -> Record | None:
    """The record behind a blank line that looks like the header of another table: words over values, unlike the rows
    above it; a title may stand between."""
    for place in range(1, len(records) - 1):
        if not _gap(*records[place - 1 : place + 1]):
            continue
        above = _columns(records[:place], width)
        for header, row in pairwise(records[place : place + 3]):
            cells = [cell.strip() for cell in header.cells]
            words = len(cells) > 1 and all(cells) and not any(map(is_value, cells)) and len(set(cells)) == len(cells)
            values = len(row.cells) == len(cells) and any(is_value(cell.strip()) for cell in row.cells)
            if words and values and (len(cells) != width or (above.typed and above.unlike(header))):
                return header
    return None


def names_of(record: Record) -> str:
    """The first cells of a record, as a note shows them."""
    return cut(", ".join(cell.strip() for cell in record.cells))


def _gap(first: Record, second: Record) -> bool:
    """Whether a blank line stands between two records."""
    return second.line > first.line + 1 + sum(cell.count("\n") for cell in first.cells)


def _without_blank_end(records: Sequence[Record], end: int) -> int:
    """`end`, or where the records without any value begin that stand right before it."""
    while end > 1 and not filled(records[end - 1]):
        end -= 1
    return end


def _set_off(pair: Sequence[Record], width: int) -> bool:
    """Whether a blank line stands before the last of two lines, which is no row of two columns by itself."""
    if not filled(pair[0]):
        return True
    return width > 1 and len(pair[1].cells) < width and pair[1].line > pair[0].line + 1


def _lone(record: Record) -> bool:
    return sum(bool(cell.strip()) for cell in record.cells) <= 1


def _remark(record: Record) -> bool:
    first = record.cells[0].strip()
    return _lone(record) and len(first) > 3 and " " in first and not is_value(first)


def _heads(record: Record) -> bool:
    return not filled(record) or _text(record).endswith((":", "："))


def _text(record: Record) -> str:
    return " ".join(text for cell in record.cells if (text := cell.strip()))
