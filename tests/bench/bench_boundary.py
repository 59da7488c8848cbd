"""What the boundary adds to a read: over an in-memory SQLite capability made for this, and over run_sql on real files.

Every round makes the bare read and the read through the boundary one after the other; each call has arguments of its
own, so that none is answered from the run's memory. `journalled` is the real thing: each result is committed to the
state file before the model sees it.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from runtime.capability import (
    WORKSPACE_TERMS,
    Arguments,
    CallContext,
    Capability,
    Open,
    Output,
    Scope,
    Services,
    Toolbox,
)
from runtime.clock import SystemClock, random_id
from runtime.engines.port import ReadResult
from runtime.engines.worker import WorkerPool, WorkerSettings
from runtime.engines.workspace.cache import WorkspaceCache
from runtime.engines.workspace.catalog import WorkspaceFiles
from runtime.engines.workspace.worker import COMMAND, Database, Job
from runtime.engines.workspace.workspace import Workspace
from runtime.evidence import CallJournal, Column
from runtime.limits import DEFAULT
from runtime.registry import CAPABILITIES, Registry
from runtime.run import boundary_of
from runtime.state import open_state
from runtime.testing.journal import MemoryJournal
from runtime.testing.wiring import wiring_over
from runtime.toolboxes.result_table import TABLE_PROPERTIES, table_output
from tests.bench.reads import SIZE, Read, medians, through
from tests.bench.row import Row

BAR_MS = {1: 3.0, 100: 5.0}


def run() -> list[Row]:
    """Medians of 80 rounds, in milliseconds over the bare read of the same rounds."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> list[Row]:
    state = open_state(f"sqlite:///{folder}/state.db", clock=SystemClock(), new_id=random_id)
    try:
        return await _sqlite_rows(state.calls) + await _workspace_rows(folder, state.calls)
    finally:
        state.close()


async def _sqlite_rows(journal: CallJournal) -> list[Row]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, region TEXT, amount REAL)")
    connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", ((n, f"r{n % 7}", n / 4) for n in range(SIZE)))
    registry = Registry.of((_sqlite_capability(connection),))
    in_memory, kept = (
        _caller(registry, Services(), MemoryJournal(), "read"),
        _caller(registry, Services(), journal, "read"),
    )

    async def bare(sql: str) -> object:
        return connection.execute(sql).fetchall()

    rows: list[Row] = []
    for count in BAR_MS:
        alone, quick, full = await medians(partial(_sql, count), bare, in_memory, kept)
        rows += _table("SQLite", count, quick - alone, full - alone, f"{alone:.2f} ms, sqlite3 in memory")
    connection.close()
    return rows


async def _workspace_rows(folder: Path, journal: CallJournal) -> list[Row]:
    root, clock, settings = folder / "files", SystemClock(), WorkerSettings.of(DEFAULT)
    root.mkdir()
    table = root / "orders.csv"
    table.write_text("id,region,amount\n" + "".join(f"{n},r{n % 7},{n / 4}\n" for n in range(SIZE)))
    os.utime(table, (1_700_000_000, 1_700_000_000))  # a file written just now is looked at more often
    files = WorkspaceFiles(root, folder / "cache", DEFAULT, clock)
    pool = WorkerPool(1, settings, folder / "cache" / "spill", COMMAND)
    pool.start()
    workspace = Workspace(files, pool, DEFAULT, clock)
    made = await WorkspaceCache(files).database(await files.current())
    database = Database(made.path.absolute(), made.parquet, made.revision)
    in_process = duckdb.connect()
    in_process.execute("SET threads = 1")
    in_process.execute(f"CREATE VIEW orders AS SELECT * FROM read_parquet('{made.parquet[0]}')")
    registry, services = Registry.of(CAPABILITIES), Services(workspace)
    in_memory = _caller(registry, services, MemoryJournal(), "run_sql")
    kept = _caller(registry, services, journal, "run_sql")

    async def engine(sql: str) -> object:
        return in_process.execute(sql).fetchall()

    async def worker(sql: str) -> object:
        return await pool.run(database, Job(sql, DEFAULT.sql_seconds, SIZE, DEFAULT.cell_chars, admitted=None))

    rows: list[Row] = []
    for count in BAR_MS:
        bare, alone, quick, full = await medians(partial(_sql, count), engine, worker, in_memory, kept)
        base = f"{alone:.2f} ms, the worker's read; DuckDB in process {bare:.2f} ms"
        rows += _table("run_sql", count, quick - alone, full - alone, base)
    in_process.close()
    await workspace.close()
    return rows


def _table(tool: str, count: int, quick: float, full: float, base: str) -> list[Row]:
    bar = BAR_MS[count] if tool == "SQLite" else None  # DESIGN 10 names the bar for SQLite only
    words = f"{tool}, {count} {'row' if count == 1 else 'rows'}"
    return [
        Row(f"boundary, {words}", quick, "ms over bare", bar, base),
        Row(f"  journalled, {words}", full, "ms over bare", bar, base),
    ]


def _sql(count: int, n: int) -> str:
    """A read of `count` rows; each `n` makes other SQL."""
    if count == 1:
        return f"SELECT sum(amount) AS s, count(*) AS c FROM orders WHERE id < {SIZE - n}"
    return f"SELECT id, region, amount FROM orders WHERE id >= {n} ORDER BY id LIMIT {count}"


def _caller(registry: Registry, services: Services, journal: CallJournal, tool: str) -> Read:
    """Calls a tool through the boundary of a run of its own."""
    sources = frozenset({"workspace"})
    scope = Scope(random_id(), "T:C:1", "person", "U1", "UTC", "p1", sources, terms=WORKSPACE_TERMS)
    wiring = wiring_over(services, _Admitted(), registry=registry, journal=journal, new_id=random_id)
    return through(boundary_of(wiring, scope), tool, lambda sql: {"sql": sql})


class _Admitted:
    async def source(self, scope: Scope, source_id: str) -> Open:
        return Open("r1")


class _Sql(Arguments):
    """The query."""

    sql: str


def _sqlite_capability(connection: sqlite3.Connection) -> Capability[Any]:
    """A read like any other: typed arguments, a source, checked output, rows as evidence."""

    async def execute(arguments: _Sql, context: CallContext) -> Output:
        cursor = connection.execute(arguments.sql)
        found: Sequence[tuple[Any, ...]] = cursor.fetchall()
        columns = tuple(Column(str(item[0]), "VARCHAR") for item in cursor.description)
        return table_output(ReadResult(arguments.sql, columns, tuple(found), len(found), 0.0), context, "workspace")

    return Capability(
        id="bench.read",
        tool="read",
        toolbox=Toolbox.SOURCES,
        pinned=True,
        summary="Read.",
        when="In this benchmark.",
        description="Reads.",
        arguments=_Sql,
        example={"sql": "SELECT 1"},
        output_schema={"type": "object", "additionalProperties": False, "properties": dict(TABLE_PROPERTIES)},
        execute=execute,
        source=lambda _: "workspace",
    )
