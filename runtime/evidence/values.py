"""Engine values as JSON without loss: what a row looks like once it has left the engine (facts/SQL.md 3.6)."""

from __future__ import annotations

import hashlib
import json
import math
import uuid
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, cast

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

EXACT_INTEGER = 2**53
BYTES_SHOWN = 16
_CUT = "…"


def json_value(value: Any) -> Json:
    """One engine value as JSON. Integers beyond 2^53, NaN, infinities and exact decimals that a float cannot hold
    travel as strings; dates and times in ISO 8601; bytes as their size and first 16 bytes in hexadecimal."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if -EXACT_INTEGER <= value <= EXACT_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        raw = bytes(cast(bytes, value))
        return bytes_text(len(raw), raw[:BYTES_SHOWN])
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in cast(Mapping[Any, Any], value).items()}
    if isinstance(value, Sequence | set | frozenset):
        return [json_value(item) for item in cast(Sequence[Any], value)]
    if isinstance(value, uuid.UUID):
        return str(value)
    return str(value)


def bytes_text(size: int, head: bytes) -> str:
    """Bytes as text: their size and the first 16 of them, which are `head`."""
    return f"{size} bytes 0x{head.hex()}" + (_CUT if size > BYTES_SHOWN else "")


def _decimal(value: Decimal) -> Json:
    if not value.is_finite():
        return str(value)
    number = float(value)
    if math.isfinite(number) and Decimal(repr(number)) == value:
        return int(value) if value == value.to_integral_value() and abs(value) <= EXACT_INTEGER else number
    return format(value, "f")


def bounded_cells(row: Sequence[Any], bound: int) -> tuple[list[Json], int]:
    """A row of engine values as JSON cells of at most `bound` characters, and how many were cut: a cut cell ends in …;
    a list or an object that is longer is cut as its JSON text."""
    cells: list[Json] = []
    cut = 0
    for value in row:
        cell = json_value(value)
        if isinstance(cell, list | dict):
            text = json.dumps(cell, ensure_ascii=False)
            cell = text if len(text) > bound else cell
        if isinstance(cell, str) and len(cell) > bound:
            cell = cell[: bound - len(_CUT)] + _CUT
            cut += 1
        cells.append(cell)
    return cells, cut


def rows_digest(columns: Sequence[str], rows: Sequence[Sequence[Json]]) -> str:
    """sha256 over the canonical JSON of column names and rows, as `sha256:…`; equal results have equal digests."""
    body = json.dumps([list(columns), [list(row) for row in rows]], ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
