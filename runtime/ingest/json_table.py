"""Flattens records by one level into the columns and rows of a table; what lies deeper is kept as JSON text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from runtime.ingest.columns import ColumnType
from runtime.ingest.composed import composed
from runtime.ingest.json_values import Number, as_json
from runtime.ingest.outcome import IngestRefused

Way = tuple[str, ...]
_NUMBERS = ("BIGINT", "HUGEINT", "DOUBLE", "DECIMAL", "BOOLEAN")


@dataclass(slots=True)
class JsonColumn:
    """A column and the JSON kinds seen in it: "number", "string", "boolean", "nested"."""

    name: str
    kinds: set[str]

    def honest(self, decided: ColumnType) -> ColumnType:
        """The decided type where the file's own types agree: what was written as a string stays text, even digits."""
        if self.kinds <= {"string"}:
            if decided.name.startswith(_NUMBERS):
                what = "true and false" if decided.name == "BOOLEAN" else "numbers"
                return ColumnType("VARCHAR", f"{what} written as strings; column kept as text")
            return decided
        if len(self.kinds) == 1 and "nested" not in self.kinds:
            return decided
        if "nested" in self.kinds:
            return ColumnType("VARCHAR", "lists or deeper objects are kept as JSON text")
        return ColumnType("VARCHAR", f"holds {' and '.join(sorted(self.kinds))} values; column kept as text")


def flattened(
    records: Sequence[Mapping[str, Any]], columns: int
) -> tuple[list[JsonColumn], list[list[str | None]], tuple[str, ...]]:
    """(columns, rows, notes). An object's keys become columns `object_key`; a missing key is a missing value. Raises
    IngestRefused for no columns at all, more than `columns`, or values nested too deeply."""
    kinds: dict[Way, set[str]] = {}
    found: list[dict[Way, str | None]] = []
    try:
        for record in records:
            cells = dict(_cells(record, kinds))
            found.append(cells)
            if len(kinds) > columns:
                raise IngestRefused(f"more than {columns:,} different keys; at most {columns:,} columns are read")
    except RecursionError as error:
        raise IngestRefused("it is nested too deeply") from error
    if not kinds:
        raise IngestRefused("empty: there are no records in it" if not records else "no rows: its records have no keys")
    # A null in place of an object says nothing that its empty columns don't.
    inside = {way[:1] for way in kinds if len(way) > 1}
    kinds = {way: seen for way, seen in kinds.items() if seen or len(way) > 1 or way not in inside}
    names, notes = _names(list(kinds))
    table = [JsonColumn(names[way], seen) for way, seen in kinds.items()]
    return table, [[cells.get(way) for way in kinds] for cells in found], notes


def _cells(record: Mapping[str, Any], kinds: dict[Way, set[str]]) -> list[tuple[Way, str | None]]:
    cells: list[tuple[Way, str | None]] = []
    for key, value in record.items():
        if isinstance(value, dict) and value:
            inner = cast(dict[str, Any], value).items()
            cells += [((key, name), _cell((key, name), deeper, kinds)) for name, deeper in inner]
        else:
            cells.append(((key,), _cell((key,), value, kinds)))
    return cells


def _cell(way: Way, value: Any, kinds: dict[Way, set[str]]) -> str | None:
    seen = kinds.setdefault(way, set())
    if value is None:
        return None
    if isinstance(value, Number):
        seen.add("number")
        return _plain(value)
    if isinstance(value, bool):
        seen.add("boolean")
        return "true" if value else "false"
    if isinstance(value, str):
        seen.add("string")
        return value.replace("\0", "")
    seen.add("nested")
    return as_json(value)


def _plain(number: Number) -> str:
    """A number without an exponent, which by itself would look like a code; beyond 38 digits as floating point."""
    if "e" not in number and "E" not in number:
        return str(number)
    try:
        value = Decimal(number)
    except InvalidOperation:  # an exponent beyond all bounds
        return f"{float(number):.17e}"
    return format(value, "f") if -30 <= value.adjusted() <= 30 else f"{float(value):.17e}"


def _names(ways: Sequence[Way]) -> tuple[dict[Way, str], tuple[str, ...]]:
    """A column name for each way; a name that is taken already, in any case, gets a number."""
    names: dict[Way, str] = {}
    taken: set[str] = set()
    notes: list[str] = []
    nested = sorted({way[0] for way in ways if len(way) > 1})
    if nested:
        notes.append(f"nested objects flattened by one level: {', '.join(nested[:8])}")
    for way in sorted(ways, key=len):
        base = " ".join(composed("_".join(way)).split()) or "column"
        name, number = base, 2
        while name.casefold() in taken:
            name, number = f"{base}_{number}", number + 1
        if name != base:
            notes.append(f"duplicate column name {base!r}: {'.'.join(way)} is called {name}")
        taken.add(name.casefold())
        names[way] = name
    return names, tuple(notes)
