"""How PostgreSQL's values arrive: as text where psycopg's own types lose or refuse some (facts/SQL.md 3.6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

import psycopg
from psycopg import pq
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Loader, Transformer

from runtime.errors import CallError
from runtime.evidence import Json
from runtime.evidence.values import BYTES_SHOWN, bytes_text

# Infinity, years before Christ or after 9999, 24:00, months in intervals, digits and double keys in JSON.
_AS_TEXT = """date time timetz timestamp timestamptz interval json jsonb jsonpath text varchar bpchar name "char"
xml inet cidr macaddr macaddr8 money bit varbit point line lseg box path polygon circle tsvector tsquery record
int4range int8range numrange daterange tsrange tstzrange int4multirange int8multirange nummultirange datemultirange
tsmultirange tstzmultirange""".split()

_UTC = b"+00"
_ANY = 0
_TYPES = psycopg.adapters.types
_BYTEA = _TYPES["bytea"].oid
_NUMERIC = _TYPES["numeric"].oid
_SHORT_TEXT = (_TYPES["varchar"].oid, _TYPES["bpchar"].oid)
_LENGTH_HEADER = 4


class _Text(Loader):
    """The server's text. A database without an encoding may hold what is no UTF-8: it is replaced, not refused."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode("utf-8", "replace")


class _Moment(Loader):
    """A time with its zone, which is UTC in our sessions, in ISO 8601 (`+00:00`)."""

    def load(self, data: Buffer) -> str:
        raw = bytes(data)
        return (raw + b":00" if raw.endswith(_UTC) else raw).decode()


@cache
def adapters() -> AdaptersMap:
    """psycopg's types with ours in place of those that lose something."""
    made = AdaptersMap(psycopg.adapters)
    for name in _AS_TEXT:
        made.register_loader(name, _Text)
    made.register_loader("timestamptz", _Moment)
    made.register_loader(_ANY, _Text)
    return made


def bound_values(parameters: Sequence[Json]) -> list[Any]:
    """JSON values as psycopg binds them: a fraction as an exact decimal, as if it stood in the SQL. Raises CallError
    for what PostgreSQL has no value for."""
    return [_bound(position, value) for position, value in enumerate(parameters, 1)]


def _bound(position: int, value: Json) -> Any:
    if isinstance(value, float) and math.isfinite(value):
        return Decimal(repr(value))
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise _unbound(position, "it is not valid text") from error
        if "\0" in value:
            raise _unbound(position, "it holds a zero byte")
    if isinstance(value, list | dict):
        raise _unbound(position, "it is a list or an object")
    return value


def _unbound(position: int, why: str) -> CallError:
    return CallError(
        "sql_failed",
        f"The value for ${position} can't be bound: {why}.",
        hint="Bind texts, numbers, true, false or null; for several values write IN ($1, $2).",
        retryable=True,
    )


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a result: its name, type and whether its values may be longer than a cell."""

    name: str
    oid: int
    modifier: int
    wide: bool

    @property
    def type(self) -> str | None:
        """The type's name as SQL writes it; None for a type of the database's own."""
        info = _TYPES.get(self.oid)
        if info is None:
            return None
        return f"{info.regtype}[]" if _is_array(self.oid) else info.regtype

    @property
    def moment(self) -> bool:
        """Whether its values are moments, shown in the session's zone."""
        return self.oid == _TYPES["timestamptz"].oid


def fields_of(result: pq.abc.PGresult, cell_chars: int) -> tuple[Field, ...]:
    """The columns of a described statement."""
    return tuple(_field(result, index, cell_chars) for index in range(result.nfields))


def _field(result: pq.abc.PGresult, index: int, cell_chars: int) -> Field:
    oid, size, modifier = result.ftype(index), result.fsize(index), result.fmod(index)
    short = oid in _SHORT_TEXT and 0 <= modifier - _LENGTH_HEADER <= cell_chars
    exact = oid == _NUMERIC and modifier >= 0  # at most 1,000 digits; without a declared precision it may be 130,000
    name = (result.fname(index) or b"").decode("utf-8", "replace")
    return Field(name, oid, modifier, wide=size < 0 and not short and not exact)


def narrowed(sql: str, fields: Sequence[Field], cell_chars: int) -> str:
    """`sql` with every wide column cut by the server: a cell of 900 MB never leaves it. One character more than a
    cell holds comes along, so that the cut is seen."""
    if not any(field.wide for field in fields):
        return sql
    names = [f"c{index}" for index in range(len(fields))]
    chosen = ", ".join(_cut(name, field, cell_chars) for name, field in zip(names, fields, strict=True))
    return f"SELECT {chosen} FROM (\n{sql}\n) AS t({', '.join(names)})"


def _cut(name: str, field: Field, cell_chars: int) -> str:
    if not field.wide:
        return name
    if field.oid == _BYTEA:
        head = f"pg_catalog.encode(pg_catalog.substr({name}, 1, {BYTES_SHOWN}), 'hex')"
        return f"CASE WHEN {name} IS NOT NULL THEN pg_catalog.concat(pg_catalog.octet_length({name}), ' ', {head}) END"
    return f"pg_catalog.left({name}::pg_catalog.text, {cell_chars + 1})"


class Restoring:
    """Values that came as text because they might have been long, as what they are where they were not."""

    def __init__(self, connection: psycopg.AsyncConnection[Any], fields: Sequence[Field], cell_chars: int) -> None:
        transformer = Transformer(connection)
        self._cell_chars = cell_chars
        self._loaders: dict[int, Callable[[bytes], Any]] = {}
        for index, field in enumerate(fields):
            if field.wide and field.oid == _BYTEA:
                self._loaders[index] = _bytes_text
            elif field.wide and (field.oid == _NUMERIC or _is_array(field.oid)):
                self._loaders[index] = transformer.get_loader(field.oid, pq.Format.TEXT).load

    def restored(self, row: tuple[Any, ...]) -> Sequence[Any]:
        """The row with its numbers, lists and bytes; one that is longer than a cell stays text."""
        if not self._loaders:
            return row
        cells = list(row)
        for index, load in self._loaders.items():
            if cells[index] is not None and len(cells[index]) <= self._cell_chars:
                cells[index] = load(cells[index].encode())
        return cells


def _bytes_text(size_and_head: bytes) -> str:
    size, head = size_and_head.decode().split(" ")
    return bytes_text(int(size), bytes.fromhex(head))


def _is_array(oid: int) -> bool:
    info = _TYPES.get(oid)
    return info is not None and info.array_oid == oid
