"""What one column holds, by fixed SQL of our own: extent, quartiles, common values, and notes that warn."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
_SHOWN_CHARS = 60
_VARIANTS = 3


@dataclass(frozen=True, slots=True)
class Rows:
    """Where to look: `whole` is the table, `looked_at` the same or a sample of it; both are SQL for FROM."""

    whole: str
    looked_at: str

    @property
    def sampled(self) -> bool:
        return self.whole != self.looked_at


async def profile_column(ask: Ask, rows: Rows, column: Column, common: int) -> ColumnProfile:
    """The profile of one column. Nulls and extent come from all rows; distinct values, quartiles, the at most `common`
    most frequent values and notes from the rows looked at. Raises as `ask`."""
    name = quoted(column.name)
    text = column.type == "VARCHAR"
    (found,) = await ask(
        f"SELECT count(*), count({name}), count(DISTINCT {name}), {_extent(column)}, {_quartiles(column)},"
        f" {_text_facts(name) if text else 'NULL'} FROM {rows.looked_at} AS t"
    )
    total, present, distinct = (whole_number(found[place]) for place in range(3))
    notes = await _notes(ask, rows, name, present, distinct, found[6]) if text else ()
    frequent = await _common(ask, rows, name, present, distinct, common)
    if rows.sampled:
        extent = _extent(column)
        ((total, present, *ends),) = await ask(f"SELECT count(*), count({name}), {extent} FROM {rows.whole} AS t")
        total, present = whole_number(total), whole_number(present)
    else:
        ends = list(found[3:5])
    return ColumnProfile(
        name=column.name,
        type=column.type,
        null_percent=round(100 * (total - present) / total, 2) if total else 0.0,
        distinct=distinct,
        minimum=ends[0],
        maximum=ends[1],
        quantiles=tuple(found[5]) if isinstance(found[5], list) else (),
        common=frequent,
        notes=notes,
    )


def whole_number(value: Json) -> int:
    """A count as it left the engine: beyond 2^53 it travels as text."""
    return int(value) if isinstance(value, int | str) else 0


def _extent(column: Column) -> str:
    nested = column.type.endswith("]") or column.type.startswith(_NESTED)
    return "NULL, NULL" if nested else f"min({quoted(column.name)}), max({quoted(column.name)})"


def _quartiles(column: Column) -> str:
    number = column.type in _NUMBERS or column.type.startswith("DECIMAL")
    return f"quantile_cont(CAST({quoted(column.name)} AS DOUBLE), [0.25, 0.5, 0.75])" if number else "NULL"


async def _common(
    ask: Ask, rows: Rows, name: str, present: int, distinct: int, most: int
) -> tuple[tuple[Json, int], ...]:
    if not present or (distinct == present and distinct > most):
        return ()  # every value occurs once: none is common
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
