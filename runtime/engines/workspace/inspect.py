"""Profiles a table with fixed SQL of our own: what its columns hold, keys, likely joins; kept by content."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from runtime.engines.workspace.joins import Ask, likely_joins
from runtime.engines.workspace.model import ColumnProfile, TableProfile, WorkspaceCatalog, WorkspaceTable
from runtime.evidence import Column, Json
from runtime.ingest.columns import quoted
from runtime.limits import Limits

_VERSION = 1
WIDE = 200
"""So many columns are profiled unless they are named; a table may have thousands."""
_NUMBERS = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "FLOAT",
    "DOUBLE",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
)
_NESTED = ("[", "STRUCT", "MAP", "UNION")
_MEASURES = ("DOUBLE", "FLOAT", "DECIMAL", "BOOLEAN")


class Profiles:
    """Profiles of the tables of one workspace. Column statistics are kept as JSON files keyed by content, so they are
    computed once for each content; sample rows and joins are looked up afresh."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits

    async def profile(
        self, ask: Ask, catalog: WorkspaceCatalog, table: WorkspaceTable, columns: Sequence[Column], rows: int
    ) -> TableProfile:
        """The profile of `columns` (all when empty, the first WIDE of a wide table). Raises as `Ask`."""
        wanted = tuple(columns) or table.columns[:WIDE]
        kept = await asyncio.to_thread(self._load, table)
        for column in wanted:
            if column.name not in kept:
                kept[column.name] = await self._column(ask, table, column)
        await asyncio.to_thread(self._save, table, kept)
        chosen = ", ".join(quoted(column.name) for column in wanted)
        sample = await ask(f"SELECT {chosen} FROM {quoted(table.name)} LIMIT {rows}") if rows else ()
        profiles = tuple(kept[column.name] for column in wanted)
        keys = () if self._sampled(table) else tuple(_keys(table, profiles))
        joins = await likely_joins(ask, catalog, table, wanted)
        return TableProfile(table, profiles, sample, self._sampled(table), keys, joins)

    def _sampled(self, table: WorkspaceTable) -> int | None:
        most = self._limits.inspect_sample_rows
        return most if table.rows > most else None

    def _source(self, table: WorkspaceTable) -> str:
        """All rows, or blocks of rows picked evenly over the table, the same ones each time."""
        if self._sampled(table) is None:
            return quoted(table.name)
        part = self._limits.inspect_sample_rows / table.rows
        picked = f"SELECT * FROM {quoted(table.name)} TABLESAMPLE system({part * 100:.6f} PERCENT) REPEATABLE (1)"
        return f"({picked})"

    async def _column(self, ask: Ask, table: WorkspaceTable, column: Column) -> ColumnProfile:
        source, name = self._source(table), quoted(column.name)
        number = column.type in _NUMBERS or column.type.startswith("DECIMAL")
        quantiles = f"quantile_cont(CAST({name} AS DOUBLE), [0.25, 0.5, 0.75])" if number else "NULL"
        text = column.type == "VARCHAR"
        extent = (
            "NULL, NULL"
            if column.type.endswith("]") or column.type.startswith(_NESTED)
            else f"min({name}), max({name})"
        )
        (found,) = await ask(
            f"SELECT count(*), count({name}), count(DISTINCT {name}), {extent}, {quantiles},"
            f" {_text_counts(name) if text else 'NULL'} FROM {source} AS t"
        )
        total, present, distinct = (_whole(found[place]) for place in range(3))
        notes: list[str] = []
        if text and isinstance(found[6], dict):
            notes = _text_notes(present, found[6])
            if _whole(found[6]["folded"]) < distinct:
                notes.append(await self._case_variants(ask, source, name))
        return ColumnProfile(
            name=column.name,
            type=column.type,
            null_percent=round(100 * (total - present) / total, 2) if total else 0.0,
            distinct=distinct,
            minimum=found[3],
            maximum=found[4],
            quantiles=tuple(found[5]) if isinstance(found[5], list) else (),
            common=await self._common(ask, source, name, present, distinct),
            notes=tuple(notes),
        )

    async def _common(
        self, ask: Ask, source: str, name: str, present: int, distinct: int
    ) -> tuple[tuple[Json, int], ...]:
        most = self._limits.inspect_common_values
        if not present or (distinct == present and distinct > most):
            return ()  # every value occurs once: none is common
        found = await ask(
            f"SELECT {name}, count(*) FROM {source} AS t WHERE {name} IS NOT NULL"
            f" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {most}"
        )
        return tuple((value, _whole(count)) for value, count in found)

    async def _case_variants(self, ask: Ask, source: str, name: str) -> str:
        found = await ask(
            f"SELECT list_sort(list(DISTINCT {name})) FROM {source} AS t WHERE {name} IS NOT NULL"
            f" GROUP BY lower(trim({name})) HAVING count(DISTINCT {name}) > 1 ORDER BY count(*) DESC, 1 LIMIT 3"
        )
        shown = "; ".join(
            " / ".join(json.dumps(each, ensure_ascii=False) for each in row[0])
            for row in found
            if isinstance(row[0], list)
        )
        return f"spelled in several ways (case or blanks): {shown}"

    def _path(self, table: WorkspaceTable) -> Path:
        key = f"{_VERSION}\0{table.parquet.name}\0{table.revision}\0{self._limits.inspect_sample_rows}"
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    def _load(self, table: WorkspaceTable) -> dict[str, ColumnProfile]:
        try:
            body = json.loads(self._path(table).read_text("utf-8"))
            return {name: _revive(values) for name, values in body.items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}  # not there yet, or damaged: computed afresh

    def _save(self, table: WorkspaceTable, kept: Mapping[str, ColumnProfile]) -> None:
        body = json.dumps({name: asdict(profile) for name, profile in kept.items()}, ensure_ascii=True)
        with contextlib.suppress(OSError):  # a cache that cannot be written costs time, nothing else
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, made = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
            with os.fdopen(handle, "w", encoding="ascii") as out:
                out.write(body)
            os.replace(made, self._path(table))


def _text_counts(name: str) -> str:
    number = f"TRY_CAST(replace({name}, ',', '') AS DOUBLE)"
    return (
        f"{{'folded': count(DISTINCT lower(trim({name}))), 'numbers': count({number}),"
        f" 'zeros': count_if(regexp_full_match({name}, '0[0-9]+')), 'blank': count_if(trim({name}) = ''),"
        f" 'units': count_if(regexp_matches({name}, '^[-+]?[0-9][0-9., ]*\\s*(%|[$€£¥]|[A-Za-z]{{1,4}})$')"
        f" OR regexp_matches({name}, '^[$€£¥]\\s*[-+]?[0-9]')),"
        f" 'odd': list_sort(list(DISTINCT {name}) FILTER ({number} IS NULL AND trim({name}) <> ''))[:3]}}"
    )


def _text_notes(present: int, found: Mapping[str, Any]) -> list[str]:
    notes: list[str] = []
    zeros, numbers, blank, units = (_whole(found[each]) for each in ("zeros", "numbers", "blank", "units"))
    if zeros:
        notes.append(f"leading zeros kept as text ({zeros:,} of {present:,} values)")
    elif numbers and 2 * numbers >= present - blank:
        odd = ", ".join(json.dumps(each, ensure_ascii=False) for each in found["odd"] or ())
        notes.append(
            f"{numbers:,} of {present:,} values are numbers kept as text" + (f"; others: {odd}" if odd else "")
        )
    if units and 2 * units >= present - blank:
        notes.append(f"numbers with units or currency signs kept as text ({units:,} of {present:,} values)")
    if blank:
        notes.append(f"{blank:,} values are empty text")
    return notes


def _keys(table: WorkspaceTable, profiles: Sequence[ColumnProfile]) -> list[str]:
    """Columns that tell every row apart; measures that happen not to repeat are no keys."""
    return [
        profile.name
        for profile in profiles
        if table.rows
        and profile.distinct == table.rows
        and not profile.type.startswith(_MEASURES)
        and not profile.type.endswith("]")
    ]


def _whole(value: Json) -> int:
    """A count as the engine gave it: beyond 2^53 it travels as text."""
    return int(value) if isinstance(value, int | str) else 0


def _revive(values: Mapping[str, Any]) -> ColumnProfile:
    body = dict(values)
    body["quantiles"] = tuple(body["quantiles"])
    body["common"] = tuple((value, count) for value, count in body["common"])
    body["notes"] = tuple(body["notes"])
    return ColumnProfile(**body)
