"""SQL for one run: counts calls, rows and bytes against the limits and writes answers as JSON."""

import asyncio
import datetime
import decimal
import json
import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from guest.limits import GuestLimits
from guest.port import GuestSqlError, Json, SqlFunction

# Rows encoded at a time in a thread: json.dumps holds the interpreter's lock, and 1,000 rows take under a millisecond.
CHUNK_ROWS = 500


@dataclass(frozen=True)
class Answer:
    """What goes back into the guest: rows as JSON ("ok"), a message ("err"), or the end of the program ("stop")."""

    kind: Literal["ok", "err", "stop"]
    text: str


def encode_cell(value: object) -> Json:
    """A cell JSON has no type for: numbers stay numbers, moments become ISO text."""
    if isinstance(value, decimal.Decimal):
        return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    raise TypeError(f"a result cell of type {type(value).__name__} can't be given to a program")


def finite(value: Json) -> Json:
    """The value with NaN and infinities as None, at any depth."""
    if isinstance(value, decimal.Decimal):
        value = encode_cell(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def encode_rows(rows: Sequence[Sequence[Json]]) -> str:
    """Rows as JSON without the outer brackets."""
    plain = [list(row) for row in rows]
    try:
        text = json.dumps(plain, default=encode_cell, allow_nan=False, separators=(",", ":"))
    except ValueError:  # a NaN or an infinity, which is rare: only then every cell is looked at
        text = json.dumps(finite(plain), default=encode_cell, allow_nan=False, separators=(",", ":"))
    return text[1:-1]


class SqlMeter:
    """Serves the queries of one run and keeps its totals; `failure` is what `sql` raised besides GuestSqlError."""

    def __init__(self, sql: SqlFunction, limits: GuestLimits) -> None:
        """Totals start at nothing."""
        self.sql, self.limits = sql, limits
        self.calls = self.rows = self.bytes = 0
        self.failure: BaseException | None = None

    async def answer(self, query: str, source: str | None) -> Answer:
        """Run one query within the limits; a refusal tells the program what to do instead."""
        self.calls += 1
        if self.calls > self.limits.sql_kill_calls:
            return Answer("stop", f"more than {self.limits.sql_kill_calls} SQL calls")
        if self.calls > self.limits.sql_calls:
            return Answer("err", f"at most {self.limits.sql_calls} queries per program: fetch more with one query")
        try:
            columns, rows = await self.sql(query, source)
        except GuestSqlError as error:
            return Answer("err", str(error))
        except Exception as error:  # noqa: BLE001 - kept, ends the run, and is raised to the caller of run()
            self.failure = error
            return Answer("stop", "the query could not be served")
        if len(rows) > self.limits.sql_rows:
            return Answer("err", f"more than {self.limits.sql_rows:,} rows: aggregate in SQL, or add a LIMIT")
        try:
            text = await self._encoded(columns, rows)
        except TypeError as error:
            return Answer("err", f"{error}: CAST the column to VARCHAR")
        return self._accounted(text, len(rows))

    async def _encoded(self, columns: Sequence[str], rows: Sequence[Sequence[Json]]) -> str:
        parts = [rows[start : start + CHUNK_ROWS] for start in range(0, len(rows), CHUNK_ROWS)]
        if len(parts) > 1:
            body = ",".join([await asyncio.to_thread(encode_rows, part) for part in parts])
        else:
            body = encode_rows(parts[0]) if parts else ""
        return f'{{"columns":{json.dumps(list(columns))},"rows":[{body}]}}'

    def _accounted(self, text: str, rows: int) -> Answer:
        size = len(text)  # ASCII only
        if size > self.limits.sql_response_bytes:
            most = self.limits.sql_response_bytes
            return Answer("err", f"an answer of {size:,} bytes, at most {most:,}: select fewer columns or rows")
        if self.bytes + size > self.limits.sql_total_bytes:
            return Answer("err", f"the program has read {self.bytes:,} bytes, at most {self.limits.sql_total_bytes:,}")
        self.rows += rows
        self.bytes += size
        return Answer("ok", text)
