"""Profiles a table: its columns, keys, likely joins and sample rows; column statistics are kept by content."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from runtime.engines.workspace.column_profile import Rows, profile_columns
from runtime.engines.workspace.joins import Ask, likely_joins
from runtime.engines.workspace.model import ColumnProfile, TableProfile, WorkspaceCatalog, WorkspaceTable
from runtime.evidence import Column
from runtime.ingest import sealed, unsealed
from runtime.ingest.columns import quoted
from runtime.limits import Limits

_VERSION = 1
_TOGETHER = 20
_VALUES_TOGETHER = 500_000
"""Columns are looked at together while their values are few: each statement must end in time and fit in memory."""
WIDE = 60
"""So many columns are profiled unless they are named; a table may have thousands."""
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
        kept = await self._statistics(ask, table, wanted)
        chosen = ", ".join(quoted(column.name) for column in wanted)
        sample = await ask(f"SELECT {chosen} FROM {quoted(table.name)} LIMIT {rows}") if rows else ()
        profiles = tuple(kept[column.name] for column in wanted)
        sampled = self._limits.inspect_sample_rows if self._rows(table).sampled else None
        keys = () if sampled else tuple(_keys(table, profiles))
        return TableProfile(table, profiles, sample, sampled, keys, await likely_joins(ask, catalog, table, wanted))

    async def _statistics(
        self, ask: Ask, table: WorkspaceTable, wanted: Sequence[Column]
    ) -> Mapping[str, ColumnProfile]:
        kept = await asyncio.to_thread(self._load, table)
        missing = [column for column in wanted if column.name not in kept]
        try:
            looked_at = min(table.rows, self._limits.inspect_sample_rows)
            together = max(1, min(_TOGETHER, _VALUES_TOGETHER // max(1, looked_at)))
            for place in range(0, len(missing), together):
                part = missing[place : place + together]
                found = await profile_columns(ask, self._rows(table), part, self._limits.inspect_common_values)
                kept.update({profile.name: profile for profile in found})
        finally:
            if missing:  # what was computed before a time limit is not computed again
                await asyncio.to_thread(self._save, table, dict(kept))
        return kept

    def _rows(self, table: WorkspaceTable) -> Rows:
        """All rows, or blocks of rows picked evenly over the table, the same ones each time."""
        name, most = quoted(table.name), self._limits.inspect_sample_rows
        if table.rows <= most:
            return Rows(name, name)
        part = 100 * most / table.rows
        return Rows(name, f"(SELECT * FROM {name} TABLESAMPLE system({part:.6f} PERCENT) REPEATABLE (1))")

    def _path(self, table: WorkspaceTable) -> Path:
        key = f"{_VERSION}\0{table.parquet.name}\0{table.revision}\0{self._limits.inspect_sample_rows}"
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    def _load(self, table: WorkspaceTable) -> dict[str, ColumnProfile]:
        try:
            body = unsealed(self._path(table).read_bytes())
            return {name: _revive(values) for name, values in body.items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}  # not there yet, or damaged: computed afresh

    def _save(self, table: WorkspaceTable, kept: Mapping[str, ColumnProfile]) -> None:
        body = sealed({name: asdict(profile) for name, profile in kept.items()})
        with contextlib.suppress(OSError):  # a cache that cannot be written costs time, nothing else
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, made = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
            with os.fdopen(handle, "wb") as out:
                out.write(body)
            os.replace(made, self._path(table))


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


def _revive(values: Mapping[str, Any]) -> ColumnProfile:
    body = dict(values)
    body["quantiles"] = tuple(body["quantiles"])
    body["common"] = tuple((value, count) for value, count in body["common"])
    body["notes"] = tuple(body["notes"])
    return ColumnProfile(**body)
