"""Cuts a text into records where the strict rules fail: a quote that is never closed is an ordinary character."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONGEST = 200
"""Lines that one quoted value may span before its quote is taken for an ordinary character."""
_HEAD = 1_000
_FIELD_CHARS = 1 << 24


@dataclass(frozen=True, slots=True)
class Record:
    """The cells of one record, the number of its first line, and whether a stray quote was taken literally."""

    line: int
    cells: list[str]
    stray: bool = False


def loose_records(lines: Sequence[str], delimiter: str, quote: str, width: int = 0) -> Iterator[Record]:
    """The records of `lines` (without line ends), blank ones left out. `width`, when known, helps to tell a quote that
    spans lines from a stray one."""
    csv.field_size_limit(_FIELD_CHARS)
    blanks = _blanks(lines[:_HEAD], delimiter, quote)
    place = 0
    while place < len(lines):
        line = lines[place]
        if not line.strip():
            place += 1
        elif not quote or quote not in line:
            yield Record(place + 1, line.split(delimiter))
            place += 1
        else:
            record, taken = _quoted(lines, place, delimiter, quote, width, blanks=blanks)
            yield record
            place += taken


def _blanks(lines: Sequence[str], delimiter: str, quote: str) -> bool:
    """Whether the program that wrote the lines put a blank behind each delimiter, before quotes too."""
    return bool(quote) and 2 * sum(f"{delimiter} {quote}" in line for line in lines) >= len(lines) > 0


def _quoted(
    lines: Sequence[str], place: int, delimiter: str, quote: str, width: int, *, blanks: bool
) -> tuple[Record, int]:
    """The record that begins at `place`, and how many lines it takes."""
    taken, marks = 1, lines[place].count(quote)
    while marks % 2 and taken < LONGEST and place + taken < len(lines):
        marks += lines[place + taken].count(quote)
        taken += 1
    literally = _literal(lines[place], delimiter, quote)
    if marks % 2 == 0:
        whole = lines[place : place + taken]
        cells = _strictly(whole, delimiter, quote, blanks=blanks)
        if width and cells and len(cells) != width and not blanks:
            spaced = _strictly(whole, delimiter, quote, blanks=True)
            cells = spaced if spaced and len(spaced) == width else cells
        if cells is not None and (taken == 1 or not width or len(cells) == width or len(literally) != width):
            return Record(place + 1, cells), taken
    return Record(place + 1, literally, stray=True), 1


def _strictly(lines: Sequence[str], delimiter: str, quote: str, *, blanks: bool) -> list[str] | None:
    reader = csv.reader(
        (line + "\n" for line in lines), delimiter=delimiter, quotechar=quote, strict=True, skipinitialspace=blanks
    )
    try:
        found = list(reader)
    except csv.Error:
        return None
    return found[0] if len(found) == 1 else None


def _literal(line: str, delimiter: str, quote: str) -> list[str]:
    """Cells of one line; only a value quoted from delimiter to delimiter loses its quotes."""
    mark, cut = re.escape(quote), re.escape(delimiter)
    whole = re.compile(f"{mark}((?:[^{mark}]|{mark}{mark})*){mark}(?={cut}|$)")
    cells: list[str] = []
    place = 0
    while True:
        match = whole.match(line, place)
        if match:
            cells.append(match[1].replace(quote * 2, quote))
            place = match.end()
        else:
            end = line.find(delimiter, place)
            end = len(line) if end < 0 else end
            cells.append(line[place:end])
            place = end
        if place >= len(line):
            return cells
        place += len(delimiter)
