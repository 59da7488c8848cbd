"""What one column holds, by fixed SQL of our own: extent, quartiles, common values, and notes that warn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.engines.workspace.joins import Ask
from runtime.engines.workspace.model import ColumnProfile
from runtime.evidence import Column, Json
from runtime.ingest.columns import quoted

_NUMBERS = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE",
    "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
)  # fmt: skip
_NESTED = ("STRUCT", "MAP", "UNION")
_COUNTS = 4
_FACTS = 7
_FEW = 1_000
_SHOWN_CHARS = 60
_VARIANTS = 3
_EACH = '"counted  value"'
"""A column of the same name would be taken instead: no header keeps two blanks."""


Cells = Sequence[Json]


@dataclass(frozen=True, slots=True)
class Rows:
    """Where to look: `whole` is the table, `looked_at` the same or a sample of it; both are SQL for FROM."""

    whole: str
    looked_at: str

    @property
    def sampled(self) -> bool:
        return self.whole != self.looked_at


async def profile_columns(ask: Ask, rows: Rows, columns: Sequence[Column], common: int) -> list[ColumnProfile]:
    """The profiles of some columns, looked at together: every statement on a wide table costs its whole width. Nulls
    and extent come from all rows; distinct values, quartiles, the at most `common` most frequent values and notes from
    the rows looked at. Raises as `ask`."""
    facts = await _rows_of(ask, f"SELECT {', '.join(map(_facts, columns))} FROM {rows.looked_at} AS t", _FACTS)
    whole = facts
    if rows.sampled:
        counts = ", ".join(_counts(column) for column in columns)
        whole = await _rows_of(ask, f"SELECT {counts} FROM {rows.whole} AS t", _COUNTS)
    frequent = await _common(ask, rows, columns, facts, common)
    return [
        await _profile(ask, rows, column, found, counted, often)
        for column, found, counted, often in zip(columns, facts, whole, frequent, strict=True)
    ]


async def _profile(
    ask: Ask, rows: Rows, column: Column, found: Cells, counted: Cells, frequent: tuple[tuple[Json, int], ...]
) -> ColumnProfile:
    total, present = whole_number(counted[0]), whole_number(counted[1])
    distinct, quartiles, text = whole_number(found[4]), found[5], found[6]
    return ColumnProfile(
        name=column.name,
        type=column.type,
        null_percent=round(100 * (total - present) / total, 2) if total else 0.0,
        distinct=distinct,
        minimum=counted[2],
        maximum=counted[3],
        quantiles=tuple(quartiles) if isinstance(quartiles, list) else (),
        common=frequent,
        notes=await _notes(ask, rows, quoted(column.name), whole_number(found[1]), distinct, text),
    )


async def _rows_of(ask: Ask, sql: str, width: int) -> list[Cells]:
    """The one row of an aggregate, cut into equal parts."""
    (row,) = await ask(sql)
    return [row[place : place + width] for place in range(0, len(row), width)]


def whole_number(value: Json) -> int:
    """A count as it left the engine: beyond 2^53 it travels as text."""
    return int(value) if isinstance(value, int | str) else 0


def _counts(column: Column) -> str:
    """Rows, values, smallest and largest value."""
    name = quoted(column.name)
    nested = column.type.endswith("]") or column.type.startswith(_NESTED)
    return f"count(*), count({name}), {'NULL, NULL' if nested else f'min({name}), max({name})'}"


def _facts(column: Column) -> str:
    """The counts, distinct values, quartiles of numbers, and what is odd about a text."""
    name = quoted(column.name)
    number = column.type in _NUMBERS or column.type.startswith("DECIMAL")
    quartiles = f"quantile_cont(CAST({name} AS DOUBLE), [0.25, 0.5, 0.75])" if number else "NULL"
    text = _text_facts(name) if column.type == "VARCHAR" else "NULL"
    return f"{_counts(column)}, count(DISTINCT {name}), {quartiles}, {text}"


async def _common(
    ask: Ask, rows: Rows, columns: Sequence[Column], facts: Sequence[Cells], most: int
) -> list[tuple[tuple[Json, int], ...]]:
    """The most frequent values of each column. Few values are counted together, many by a query of their own."""
    frequent: dict[str, tuple[tuple[Json, int], ...]] = {}
    few: list[str] = []
    for column, found in zip(columns, facts, strict=True):
        present, distinct = whole_number(found[1]), whole_number(found[4])
        if present and (distinct < present or distinct <= most):  # otherwise every value occurs once: none is common
            if distinct <= _FEW:
                few.append(column.name)
            else:
                frequent[column.name] = await _counted_alone(ask, rows, column.name, most)
    if few:
        (row,) = await ask(f"SELECT {', '.join(_counted(name, most) for name in few)} FROM {rows.looked_at} AS t")
        for name, cell in zip(few, row, strict=True):
            # Long values make the cell too long to travel whole.
            read = _read_counts(cell)
            frequent[name] = await _counted_alone(ask, rows, name, most) if read is None else read
    return [frequent.get(column.name, ()) for column in columns]


def _counted(name: str, most: int) -> str:
    entries = f"map_entries(histogram({quoted(name)}))"
    return f"list_sort([{{'n': -CAST({_EACH}.value AS BIGINT), 'v': {_EACH}.key}} for {_EACH} in {entries}])[:{most}]"


def _read_counts(cell: Json) -> tuple[tuple[Json, int], ...] | None:
    if not isinstance(cell, list):
        return None
    return tuple((entry["v"], -whole_number(entry["n"])) for entry in cell if isinstance(entry, dict))


async def _counted_alone(ask: Ask, rows: Rows, column: str, most: int) -> tuple[tuple[Json, int], ...]:
    name = quoted(column)
    found = await ask(
        f"SELECT {name}, count(*) FROM {rows.looked_at} AS t WHERE {name} IS NOT NULL"
        f" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {most}"
    )
    return tuple((value, whole_number(count)) for value, count in found)


async def _notes(ask: Ask, rows: Rows, name: str, present: int, distinct: int, facts: Json) -> tuple[str, ...]:
    if not isinstance(facts, dict):
        return ()
    notes = _text_notes(present, facts)
    if whole_number(facts["folded"]) < distinct:
        notes.append(await _case_variants(ask, rows, name))
    return tuple(notes)


async def _case_variants(ask: Ask, rows: Rows, name: str) -> str:
    spellings = f"list_sort(list(DISTINCT left({name}, {_SHOWN_CHARS})))[:4]"
    found = await ask(
        f"SELECT {spellings} FROM {rows.looked_at} AS t WHERE {name} IS NOT NULL"
        f" GROUP BY lower(trim({name})) HAVING count(DISTINCT {name}) > 1 ORDER BY count(*) DESC, 1 LIMIT {_VARIANTS}"
    )
    shown = "; ".join(" / ".join(map(_told, row[0])) for row in found if isinstance(row[0], list))
    return f"spelled in several ways (case or blanks): {shown}"


def _text_facts(name: str) -> str:
    number = f"TRY_CAST(replace({name}, ',', '') AS DOUBLE)"
    odd = f"left({name}, {_SHOWN_CHARS})) FILTER ({number} IS NULL AND trim({name}) <> ''"
    return (
        f"{{'folded': count(DISTINCT lower(trim({name}))), 'numbers': count({number}),"
        f" 'zeros': count_if(regexp_full_match({name}, '0[0-9]+')), 'blank': count_if(trim({name}) = ''),"
        f" 'units': count_if(regexp_matches({name}, '^[-+]?[0-9][0-9., ]*\\s*(%|[$€£¥]|[A-Za-z]{{1,4}})$')"
        f" OR regexp_matches({name}, '^[$€£¥]\\s*[-+]?[0-9]')),"
        f" 'odd': [min({odd}), max({odd})]}}"
    )


def _text_notes(present: int, facts: Mapping[str, Any]) -> list[str]:
    notes: list[str] = []
    zeros, numbers, blank, units = (whole_number(facts[each]) for each in ("zeros", "numbers", "blank", "units"))
    filled = present - blank
    if zeros:
        notes.append(f"leading zeros kept as text ({zeros:,} of {present:,} values)")
    elif numbers and 2 * numbers >= filled:
        odd = ", ".join(_told(each) for each in dict.fromkeys(facts["odd"]) if each is not None)
        notes.append(f"{numbers:,} of {present:,} values are numbers kept as text{f'; others: {odd}' if odd else ''}")
    if units and 2 * units >= filled:
        notes.append(f"numbers with units or currency signs kept as text ({units:,} of {present:,} values)")
    if blank:
        notes.append(f"{blank:,} values are empty text")
    return notes


def _told(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
