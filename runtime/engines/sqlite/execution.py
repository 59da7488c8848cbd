"""Runs one read on the worker's connection: on the structure it was validated for, bounded, and with true counts."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from runtime.engines.sqlite.authorizer import authorizer
from runtime.engines.sqlite.session import Session
from runtime.engines.worker.rows import bounded_rows

_OPERATIONS = 10_000  # between two looks at the clock; no measurable cost (facts/SQL.md 5)
_NAMES: Mapping[frozenset[type], str] = {
    frozenset({int}): "INTEGER",
    frozenset({float}): "REAL",
    frozenset({int, float}): "NUMERIC",
    frozenset({str}): "TEXT",
    frozenset({bytes}): "BLOB",
}


class StructureChanged(Exception):
    """The file's schema is not the one that the query was validated for."""


def run(session: Session, job: Mapping[str, Any]) -> dict[str, Any]:
    """The answer as JSON, see `Answer.from_json`. Raises sqlite3.Error, StructureChanged, MemoryError, OverflowError
    for an integer that SQLite cannot hold."""
    ends = time.monotonic() + job["seconds"]
    with reading(session, ends) as connection:
        fingerprint = session.fingerprint(connection)
        if fingerprint != job["fingerprint"]:
            raise StructureChanged
        names = session.names(connection, fingerprint)
        texts = _Texts()
        connection.text_factory = texts
        connection.set_authorizer(authorizer(job["admitted"], names))
        try:
            return _answer(connection, job, texts)
        finally:
            connection.set_authorizer(None)
            connection.text_factory = str


@contextmanager
def reading(session: Session, ends: float) -> Generator[sqlite3.Connection]:
    """A transaction on the file as it is now, interrupted at `ends` (monotonic seconds). Raises sqlite3.Error."""
    connection = session.connection()
    connection.execute("BEGIN")
    try:
        connection.set_progress_handler(lambda: time.monotonic() > ends, _OPERATIONS)
        yield connection
    finally:
        connection.set_progress_handler(None, 0)
        if connection.in_transaction:  # after some failures SQLite has ended it by itself
            connection.execute("ROLLBACK")


def _answer(connection: sqlite3.Connection, job: Mapping[str, Any], texts: _Texts) -> dict[str, Any]:
    sql, parameters = job["sql"], job["parameters"]
    cursor = connection.execute(sql, parameters)
    kinds = [set[type]() for _ in cursor.description]

    def fetch(count: int) -> Sequence[Sequence[Any]]:
        batch: list[tuple[object, ...]] = cursor.fetchmany(count)
        for row in batch:
            for seen, cell in zip(kinds, row, strict=True):
                seen.add(type(cell))
        return batch

    rows, more, cut = bounded_rows(fetch, job["rows"], job["cell_chars"])
    columns = [(str(item[0]), _kind(seen)) for item, seen in zip(cursor.description, kinds, strict=True)]
    cursor.close()
    return {
        "columns": columns,
        "rows": rows,
        "more": more,
        "total": _count(connection, sql, parameters) if more else len(rows),
        "cut_cells": cut,
        "notes": texts.notes(),
    }


def _kind(seen: set[type]) -> str:
    """What the column's cells are: in SQLite each cell has a type of its own."""
    return _NAMES.get(frozenset(seen - {type(None)}), "ANY")


def _count(connection: sqlite3.Connection, sql: str, parameters: Sequence[Any]) -> int | None:
    """The true number of rows, or None when the time that is left does not suffice."""
    try:
        (total,) = connection.execute(f"SELECT count(*) FROM ({sql}\n)", parameters).fetchone()
    except (sqlite3.OperationalError, MemoryError):
        return None
    return int(total)


class _Texts:
    """Reads text as UTF-8 and counts the cells that are something else."""

    def __init__(self) -> None:
        self._odd = 0

    def __call__(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            self._odd += 1
            return raw.decode("utf-8", "replace")

    def notes(self) -> list[str]:
        if not self._odd:
            return []
        cells = "1 cell holds" if self._odd == 1 else f"{self._odd:,} cells hold"
        return [f"{cells} text that is not UTF-8; what cannot be read stands as \ufffd"]
