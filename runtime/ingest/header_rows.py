"""Joins the two header rows of a delimited text into one: groups above, and what each of their columns holds below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from runtime.ingest.dialect import is_value, is_year
from runtime.ingest.layout import UNIT, Layout
from runtime.ingest.loose_records import Record
from runtime.ingest.wording import Noun, cut, few, where

_IMPORT_ID = re.compile(r'\s*\{"ImportId":.*\}\s*')


def with_one_header(records: list[Record], layout: Layout, notes: list[str], noun: Noun) -> tuple[list[Record], Layout]:
    """The records with one header row, and their layout; the same where there is one already. The upper of two may
    have been taken for a line above the table, since most of its cells are empty."""
    for place in (layout.above - 1, layout.above):
        if place < 0 or not layout.header or place + 2 >= len(records):
            continue
        upper, lower, *below = (record.cells for record in records[place:])
        upper = _once(upper)
        if _groups(upper, layout.width) and _named(upper, lower, below):
            first, last = records[place].line, records[place + 1].line
            notes.append(f"two header {noun}s ({first} and {last}) joined into one name for each column")
            header = Record(last, _joined(upper, lower))
            return [*records[:place], header, *records[place + 2 :]], replace(layout, above=place, units=False)
    return records, layout


def without_questions(records: list[Record], names: Sequence[str], notes: list[str], noun: Noun) -> list[Record]:
    """The records without the two that a survey program puts below the names: the questions, and its own ids."""
    if len(records) < 2 or not all(map(_IMPORT_ID.fullmatch, records[1].cells)):
        return records
    asked = few(f"{name}: {cut(cell)}" for name, cell in zip(names, records[0].cells, strict=False))
    lines = where([record.line for record in records[:2]], noun)
    notes.append(f"2 {noun}s below the header ({lines}) hold questions and a survey program's ids, no answers: {asked}")
    return records[2:]


def _once(upper: Sequence[str]) -> list[str]:
    """The names of groups, each where it begins, where it is repeated over all its columns."""
    return [
        "" if place and cell.strip() and cell.strip() == upper[place - 1].strip() else cell
        for place, cell in enumerate(upper)
    ]


def _groups(upper: Sequence[str], width: int) -> bool:
    """Whether a row names groups of columns: words, and gaps to the right of some."""
    filled = [bool(cell.strip()) for cell in upper]
    gaps = any(here and not there for here, there in pairwise(filled))
    words = all(not is_value(cell.strip()) or is_year(cell.strip()) for cell in upper)
    return len(upper) == width > 2 and gaps and words and sum(filled) > 1


def _named(upper: Sequence[str], lower: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the row below the groups names their columns: a word wherever a group has none, above values."""
    if len(lower) != len(upper):
        return False
    cells = [cell.strip() for cell in lower]
    if not all(cell or above.strip() for cell, above in zip(cells, upper, strict=True)):
        return False
    # Data under a column without a name looks the same, unless each such column is one of figures.
    first = next(place for place, above in enumerate(upper) if above.strip())
    gaps = [place for place in range(first, len(cells)) if not upper[place].strip()]
    # Where it lacks what every row below has, it is none of them, whatever they hold.
    lacks = any(not cell and upper[place].strip() and _filled(below, place) for place, cell in enumerate(cells))
    if not all(cells[place] and (lacks or _values(below, place)) for place in gaps):
        return False
    words = [place for place, cell in enumerate(cells) if cell and not is_value(cell)]
    years = [place for place, cell in enumerate(cells) if is_year(cell)]
    if len(words) + len(years) < sum(map(bool, cells)) or all(UNIT.fullmatch(cells[place]) for place in words):
        return False
    return bool(words)


def _filled(rows: Sequence[Sequence[str]], place: int) -> bool:
    return len(rows) > 1 and all(place < len(row) and row[place].strip() for row in rows)


def _values(rows: Sequence[Sequence[str]], place: int) -> bool:
    cells = [cell for row in rows if place < len(row) and (cell := row[place].strip())]
    return bool(cells) and 2 * sum(map(is_value, cells)) > len(cells)


def _joined(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    names: list[str] = []
    group = ""
    for above, below in zip(upper, lower, strict=True):
        group = " ".join(above.split()) or group
        own = " ".join(below.split())
        names.append(own if own == group else f"{group} {own}".strip())
    return names
