"""Runs one job on a locked-down connection: second opinion, bounded rows as JSON, the true count of more."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import duckdb

from runtime.engines.worker.rows import bounded_rows
from runtime.engines.workspace.worker.jobs import Job
from runtime.sqlguard.second_opinion import check_with_duckdb

_BATCH = 100
# Python has no value for these that keeps months, nanoseconds or infinity: they travel as DuckDB's text.
_LOSSY = ("INTERVAL", "TIMESTAMP_NS", "TIME_NS")


def run(con: duckdb.DuckDBPyConnection, job: Job) -> dict[str, Any]:
    """The answer as JSON, see `Answer.from_json`. Raises duckdb.Error, MemoryError; CallError by the second opinion."""
    ends = time.monotonic() + job.seconds
    with _interrupted_after(con, job.seconds):
        if job.view is not None:
            con.execute(f"CREATE TEMP VIEW {job.view[0]} AS {job.view[1]}")
        if job.admitted is not None:
            check_with_duckdb(con, job.sql, frozenset(job.admitted))
        if job.view is not None:
            con.execute(f"CREATE OR REPLACE TEMP VIEW {job.view[0]} AS {job.view[2]}")
        columns = _execute(con, job)
        rows, more, cut = bounded_rows(con.fetchmany, job.rows, job.cell_chars)
    total = _count(con, job, ends - time.monotonic()) if more else len(rows)
    return {"columns": columns, "rows": rows, "more": more, "total": total, "cut_cells": cut}


@contextmanager
def _interrupted_after(con: duckdb.DuckDBPyConnection, seconds: float) -> Generator[None]:
    timer = threading.Timer(seconds, con.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _execute(con: duckdb.DuckDBPyConnection, job: Job) -> list[tuple[str, str]]:
    con.execute(job.sql, list(job.parameters) or None)
    columns = [(str(item[0]), str(item[1])) for item in con.description or ()]
    if any(kind in _LOSSY for _, kind in columns):
        names = [f"c{position}" for position in range(len(columns))]
        chosen = [
            f"CAST({name} AS VARCHAR)" if kind in _LOSSY else name
            for name, (_, kind) in zip(names, columns, strict=True)
        ]
        wrapped = f"SELECT {', '.join(chosen)} FROM ({job.sql}\n) AS t({', '.join(names)})"
        con.execute(wrapped, list(job.parameters) or None)
    return columns


def _count(con: duckdb.DuckDBPyConnection, job: Job, seconds: float) -> int | None:
    """The true number of rows, or None when the time that is left does not suffice."""
    if seconds <= 0:
        return None
    try:
        with _interrupted_after(con, seconds):
            found = con.execute(f"SELECT count(*) FROM ({job.sql}\n) AS t", list(job.parameters) or None).fetchone()
    except (duckdb.InterruptException, duckdb.OutOfMemoryException):
        return None
    return int(found[0]) if found else None
