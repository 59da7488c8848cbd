"""One bounded read on an open snapshot: described, declared as a cursor, fetched up to the bound, the rest counted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from runtime.engines.postgresql.connections import Connection, fetch
from runtime.engines.postgresql.values import Field, Restoring, fields_of, narrowed
from runtime.engines.worker import Answer
from runtime.evidence import Column, Json, bounded_cells
from runtime.limits import MIB

RESULT_CHARS = 8 * MIB
"""What the cells of one result may hold together; the rows beyond it are not kept, and the result says so."""
_NUMBER_CHARS = 16
_IN_UTC = "Times with a time zone are shown in UTC."
_FORMATTED_TYPES = """
-- The names of types that the driver doesn't know: enums, domains' arrays, types of extensions.
SELECT format_type(oid, modifier)
FROM unnest($1::oid[], $2::int4[]) WITH ORDINALITY AS t(oid, modifier, position)
ORDER BY position
"""


@dataclass(frozen=True, slots=True)
class Read:
    """One read to be done. `sql` is the guard's text; `rows_kept` and `cell_chars` bound what leaves the server."""

    sql: str
    parameters: Sequence[Any]
    rows_kept: int
    cell_chars: int


async def answer(connection: Connection, read: Read, deadline: float) -> Answer:
    """Runs the read. `deadline` is on the event loop's clock. Raises psycopg.Error, TimeoutError."""
    async with asyncio.timeout_at(deadline):
        fields = await _described(connection, read)
        columns = await _columns(connection, fields)
        declared = f"DECLARE footnote_read NO SCROLL CURSOR FOR {narrowed(read.sql, fields, read.cell_chars)}"
        await _run(connection, declared, read.parameters)
        rows, fetched, more, cut = await _kept(connection, read, fields)
    total = await _rest(connection, fetched, deadline) if more else len(rows)
    notes = (_IN_UTC,) if any(field.moment for field in fields) else ()
    return Answer(columns, tuple(rows), more, total, cut, notes)


async def _run(connection: Connection, sql: str, parameters: Sequence[Any]) -> psycopg.AsyncCursor[tuple[Any, ...]]:
    """One statement by the extended protocol, which takes no second one (facts/SQL.md 3.1)."""
    return await connection.cursor().execute(sql.encode(), parameters or None, binary=True)


async def _described(connection: Connection, read: Read) -> tuple[Field, ...]:
    cursor = await _run(connection, f"SELECT * FROM (\n{read.sql}\n) AS t LIMIT 0", read.parameters)
    assert cursor.pgresult is not None
    return fields_of(cursor.pgresult, read.cell_chars)


async def _columns(connection: Connection, fields: Sequence[Field]) -> tuple[Column, ...]:
    unknown = [field for field in fields if field.type is None]
    names: dict[Field, str] = {}
    if unknown:
        oids, modifiers = [field.oid for field in unknown], [field.modifier for field in unknown]
        formatted = await fetch(connection, _FORMATTED_TYPES, (oids, modifiers))
        names = {field: str(row[0]) for field, row in zip(unknown, formatted, strict=True)}
    return tuple(Column(field.name, field.type or names[field]) for field in fields)


async def _kept(
    connection: Connection, read: Read, fields: Sequence[Field]
) -> tuple[list[tuple[Json, ...]], int, bool, int]:
    """The rows within both bounds, how many were fetched, whether there are more, and how many cells were cut."""
    values = Restoring(connection, fields, read.cell_chars)
    wide = sum(field.wide for field in fields)
    batch = max(1, RESULT_CHARS // (wide * read.cell_chars or 1))
    rows: list[tuple[Json, ...]] = []
    room, cut, fetched = RESULT_CHARS, 0, 0
    while True:
        count = min(batch, read.rows_kept + 1 - len(rows))
        found = await fetch(connection, f"FETCH FORWARD {count} FROM footnote_read")
        fetched += len(found)
        for row in found:
            cells, shortened = bounded_cells(values.restored(row), read.cell_chars)
            room -= sum(_size(cell) for cell in cells)
            if room < 0 or len(rows) == read.rows_kept:
                return rows, fetched, True, cut
            rows.append(tuple(cells))
            cut += shortened
        if len(found) < count:
            return rows, fetched, False, cut


def _size(cell: Json) -> int:
    if isinstance(cell, str):
        return len(cell)
    return len(json.dumps(cell, ensure_ascii=False)) if isinstance(cell, list | dict) else _NUMBER_CHARS


async def _rest(connection: Connection, fetched: int, deadline: float) -> int | None:
    """The true number of rows, or None when the time that is left does not suffice to run through the others."""
    try:
        async with asyncio.timeout_at(deadline):
            cursor = await connection.execute(b"MOVE FORWARD ALL IN footnote_read")
    except (TimeoutError, psycopg.errors.QueryCanceled):
        return None
    return fetched + cursor.rowcount
