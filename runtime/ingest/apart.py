"""Finds in the finished table of a large text the rows that are none: totals, the header again, remarks below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from runtime.ingest.balances import balances_told, find_balances
from runtime.ingest.columns import ColumnType
from runtime.ingest.lexical import literal, numbered_rows, quoted
from runtime.ingest.loose_records import Record
from runtime.ingest.numerals import Numeral
from runtime.ingest.remarks import without_footer
from runtime.ingest.repair import header_again
from runtime.ingest.total_labels import (
    begins_like_total,
    columns_that_may_begin,
    ends_like_total,
    labelled_like_total,
)
from runtime.ingest.totals import LABEL_COLUMNS, NO_LABEL, beside_the_word, judged, label_of, told
from runtime.ingest.wording import Noun

_CANDIDATES = 5_000
"""Of more rows that look like totals, none is judged: they are ordinary rows, or the last look says what they are."""
_FIRST_ROWS = 20
_LAST_ROWS = 20
_NUMBERS = ("BIGINT", "DOUBLE", "DECIMAL")

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Apart:
    """The places (from 0) of rows that are none, and what has to be said about them; `labelled` is False when no row
    looks like a total at all."""

    places: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    labelled: bool = True


@dataclass(frozen=True, slots=True)
class _Table:
    """The table that is looked through. `place` is the column that numbers its rows, `first_line` the line of its first
    row in the file, 0 when lines and rows do not go together."""

    connection: duckdb.DuckDBPyConnection
    source: str
    place: str
    names: Sequence[str]
    types: Sequence[ColumnType]
    rows: int
    first_line: int

    def ask(self, sql: str) -> list[Row]:
        return self.connection.execute(sql).fetchall()

    def cells(self, where: str) -> dict[int, list[str]]:
        """The rows that a condition finds, as text by their places."""
        columns = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in self.names)
        found = self.ask(f"SELECT {self.place}, {columns} FROM {self.source} WHERE {where} ORDER BY 1")
        return {int(place): [cell or "" for cell in cells] for place, *cells in found}

    def texts(self) -> list[str]:
        return [name for name, each in zip(self.names, self.types, strict=True) if each.name == "VARCHAR"]

    def noun(self) -> Noun:
        return "line" if self.first_line else "row"

    def told_place(self, place: int) -> int:
        return place + (self.first_line or 1)


def find_apart(
    connection: duckdb.DuckDBPyConnection,
    parquet: Path,
    names: Sequence[str],
    types: Sequence[ColumnType],
    rows: int,
    first_line: int,
    *,
    labels: bool,
) -> Apart:
    """What in the table `parquet` is no row of it; `labels` is False when its text holds no total's label. Only blocks
    of it that may hold such rows are read in full."""
    source, place = numbered_rows(parquet, names)
    table = _Table(connection, source, place, names, types, rows, first_line)
    notes: list[str] = []
    again = _repeats(table)
    if again:
        notes.append(header_again([table.told_place(each) for each in again], table.noun()))
    # Parquet unpacks hundreds of thousands of rows for a few of them, so these are asked for once.
    ends = table.cells(f"{place} < {_FIRST_ROWS} OR {place} >= {max(0, rows - _LAST_ROWS)}")
    footer = _footer(table, ends, notes)
    left = {*again, *footer, *_balances(table, ends, {*again, *footer}, notes)}
    candidates, labelled = _labelled(table, parquet, left) if labels else ({}, False)
    totals = _totals(table, parquet, ends, candidates, left, notes)
    return Apart(tuple(sorted({*left, *totals})), tuple(notes), labelled)


def _repeats(table: _Table) -> list[int]:
    """Rows that say the names of all columns; a column of another type than text holds no name."""
    if len(table.names) < 2 or len(table.texts()) < len(table.names):
        return []
    every = " AND ".join(f"{quoted(name)} = {literal(name)}" for name in table.names)
    found = table.ask(f"SELECT {table.place} FROM {table.source} WHERE {every} ORDER BY 1 LIMIT {_CANDIDATES}")
    return [int(row[0]) for row in found]


def _footer(table: _Table, ends: Mapping[int, list[str]], notes: list[str]) -> list[int]:
    last = {place: cells for place, cells in ends.items() if place >= table.rows - _LAST_ROWS}
    records = [Record(table.told_place(place), cells) for place, cells in last.items()]
    kept = len(without_footer(records, len(table.names), notes, table.noun()))
    return list(last)[kept:]


def _balances(table: _Table, ends: Mapping[int, list[str]], known: set[int], notes: list[str]) -> list[int]:
    """Rows at both ends of the table that name a balance."""
    places = [place for place in ends if place not in known]
    rows = [ends[place] for place in places]
    found = find_balances(rows, comma_likely=False)
    notes += balances_told(found, rows, [table.told_place(place) for place in places], table.noun())
    return [places[at] for at in found.apart]


def _totals(
    table: _Table,
    parquet: Path,
    ends: Mapping[int, list[str]],
    labelled: Mapping[int, tuple[str, list[str]]],
    known: set[int],
    notes: list[str],
) -> list[int]:
    candidates = dict(labelled)
    last = table.rows - 1
    while last in known:
        last -= 1
    cells = ends.get(last) or table.cells(f"{table.place} = {last}").get(last, [])
    label = label_of(cells) or (NO_LABEL if _lacks_its_label(table, parquet, last) else "")
    if last not in candidates and label and cells:
        candidates[last] = (label, cells)
    if not candidates or 2 * len(candidates) > table.rows:
        return []
    numbers = [at for at, each in enumerate(table.types) if each.name.startswith(_NUMBERS)]
    texts = [at for at in range(len(table.names)) if at not in numbers]
    condensed = sorted(
        [
            *((place, cells) for place, (_, cells) in candidates.items()),
            *_sums(table, sorted(candidates), known, numbers),
            *_groups(table, candidates),
        ],
        key=lambda each: each[0],
    )
    labels = {float(place): label for place, (label, _) in candidates.items()}
    marked = {at: labels[place] for at, (place, _) in enumerate(condensed) if place in labels}
    rows = [cells for _, cells in condensed]
    found = judged(rows, table.names, marked, dict.fromkeys(numbers, Numeral()), texts)
    places = [int(condensed[total.place][0]) for total in found]
    if found:
        notes.append(told(found, [table.told_place(place) for place in places], table.noun()))
    return places


def _labelled(table: _Table, parquet: Path, known: set[int]) -> tuple[dict[int, tuple[str, list[str]]], bool]:
    """Rows with a total's label in one of their first cells, none when there are more than are judged; and whether any
    row looks like a total in one of the first text columns."""
    places: set[int] = set()
    for test in _label_tests(table, parquet):
        found = table.ask(f"SELECT {table.place} FROM {table.source} WHERE {test} LIMIT {_CANDIDATES + 1}")
        places |= {int(row[0]) for row in found} - known
        if len(places) > _CANDIDATES:
            return {}, True
    if not places:
        return {}, False
    cells = table.cells(f"{table.place} IN ({', '.join(map(str, sorted(places)))})")
    told_by = {place: label_of(row) for place, row in cells.items()}
    return {place: (label, cells[place]) for place, label in told_by.items() if label}, True


def _label_tests(table: _Table, parquet: Path) -> list[str]:
    """Conditions for a total's label, one for each text column that may hold one. What ends like one is a label only
    in the first columns."""
    may_begin = {int(row[0]) for row in table.ask(columns_that_may_begin(parquet))}
    tests: list[str] = []
    for name in table.texts()[:LABEL_COLUMNS]:
        place, text = table.names.index(name), quoted(name)
        first = place < LABEL_COLUMNS
        if place in may_begin:
            tests.append(labelled_like_total(text) if first else begins_like_total(text))
        elif first:
            tests.append(ends_like_total(text))
    return tests


def _lacks_its_label(table: _Table, parquet: Path, last: int) -> bool:
    """Whether the last row alone has nothing in the first column, by the counts that Parquet keeps."""
    missing = f"SELECT sum(stats_null_count) FROM parquet_metadata({literal(str(parquet))}) WHERE column_id = 0"
    if table.rows < 3 or (table.ask(missing) or [(0,)])[0][0] != 1:
        return False
    first = quoted(table.names[0])
    return bool(table.ask(f"SELECT 1 FROM {table.source} WHERE {table.place} = {last} AND {first} IS NULL"))


def _sums(
    table: _Table, candidates: Sequence[int], known: set[int], numbers: Sequence[int]
) -> list[tuple[float, list[str]]]:
    """One row for the rows between two candidates: the sums of its numbers, nothing else."""
    marks = ", ".join(f"({place})" for place in (-1, *candidates))
    left = ", ".join(map(str, sorted({*candidates, *known})))
    columns = ", ".join([table.place, *(quoted(table.names[at]) for at in numbers)])
    sums = "".join(f", sum({_addable(table, at)})" for at in numbers)
    found = table.ask(
        f"SELECT m.p{sums} FROM (SELECT {columns} FROM {table.source} WHERE {table.place} NOT IN ({left})) AS t"
        f" ASOF JOIN (VALUES {marks}) AS m(p) ON t.{table.place} >= m.p GROUP BY m.p"
    )
    made: list[tuple[float, list[str]]] = []
    for mark, *values in found:
        cells = [""] * len(table.names)
        for at, value in zip(numbers, values, strict=True):
            cells[at] = "" if value is None else format(Decimal(str(value)), "f")
        made.append((mark + 0.5, cells))
    return made


def _addable(table: _Table, at: int) -> str:
    name = quoted(table.names[at])
    # Numbers this wide can add up to more than their type holds.
    return f"CAST(t.{name} AS DOUBLE)" if table.types[at].name.startswith("DECIMAL(38") else f"t.{name}"


def _groups(table: _Table, candidates: Mapping[int, tuple[str, list[str]]]) -> list[tuple[float, list[str]]]:
    """One row for each group that a candidate names and that stands in one of the first text columns."""
    named = {rest for label, _ in candidates.values() if (rest := _named(label))}
    made: list[tuple[float, list[str]]] = []
    for name in table.texts()[:LABEL_COLUMNS] if named else ():
        words = ", ".join(literal(each) for each in sorted(named))
        value = f"lower(trim({quoted(name)}))"
        found = table.ask(
            f"SELECT {value}, min({table.place}) FROM {table.source} WHERE {value} IN ({words}) GROUP BY 1"
        )
        for group, place in found:
            cells = [""] * len(table.names)
            cells[table.names.index(name)] = str(group)
            made.append((float(place) + 0.25, cells))
    return made


def _named(label: str) -> str:
    behind, before = beside_the_word(label)
    return behind or before


def without_rows(source: str, names: Sequence[str], places: Sequence[int]) -> str:
    """SQL: the table `source` without the rows at these places (from 0)."""
    number = quoted("place" + "_" * (1 + max(map(len, names))))
    left = ", ".join(map(str, places))
    numbered = f"SELECT *, row_number() OVER () - 1 AS {number} FROM {source}"
    return f"(SELECT * EXCLUDE ({number}) FROM ({numbered}) WHERE {number} NOT IN ({left}))"
