"""Workspace reads on a warm worker against DuckDB in this process: run_sql of 1 and 100 rows, file_query of a set."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import duckdb

from runtime.capability import WORKSPACE_TERMS, CallContext, Scope, Services
from runtime.clock import SystemClock
from runtime.engines.workspace.workspace import Workspace
from runtime.limits import DEFAULT
from runtime.toolboxes.files import file_query, run_sql
from tests.bench.row import Row

ROUNDS = 60
FILES = 30
FILE_QUERY_BAR_MS = 50.0


class _NoTools:
    digest = ""
    entries = ()


def run() -> list[Row]:
    """Medians of 60 rounds each, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> list[Row]:
    root = folder / "files"
    _write(root)
    workspace = await Workspace.open(root, folder / "cache", DEFAULT, SystemClock())
    context = context_of(workspace)
    tables = {table.name: table.parquet for table in (await workspace.catalog()).tables}
    one = "SELECT sum(amount) AS s, count(*) AS n FROM orders WHERE region = 'r3'"
    hundred = "SELECT id, region, amount FROM orders ORDER BY id LIMIT 100"
    over_set = "SELECT region, sum(amount) AS s FROM data GROUP BY region ORDER BY region"
    day_files = [str(path) for name, path in tables.items() if name.startswith("day")]
    bare = duckdb.connect()
    bare.execute("SET threads = 1")
    bare.execute(f"CREATE VIEW orders AS SELECT * FROM read_parquet('{tables['orders']}')")
    bare.execute(f"CREATE VIEW data AS SELECT * FROM read_parquet({day_files!r})")
    rows: list[Row] = []
    for label, sql in (("1 row", one), ("100 rows", hundred)):
        through = await _median(lambda sql=sql: run_sql.CAPABILITY.execute(run_sql.RunSql(sql=sql), context))
        alone = _bare_median(bare, sql)
        rows.append(Row(f"run_sql, {label}", through - alone, "ms over bare", None, f"{alone:.2f} ms in process"))
    asked = file_query.FileQuery(path_pattern="days/*.csv", sql=over_set)
    through = await _median(lambda: file_query.CAPABILITY.execute(asked, context))
    alone = _bare_median(bare, over_set)
    name = f"file_query, {FILES} files, warm worker"
    rows.append(Row(name, through, "ms", FILE_QUERY_BAR_MS, f"{alone:.2f} ms in process"))
    bare.close()
    await workspace.close()
    return rows


def _write(root: Path) -> None:
    (root / "days").mkdir(parents=True)
    lines = "".join(f"{i},r{i % 7},{i % 1000}.25\n" for i in range(20_000))
    (root / "orders.csv").write_text("id,region,amount\n" + lines)
    for day in range(FILES):
        lines = "".join(f"{i},r{i % 7},{i + day}.5\n" for i in range(200))
        (root / "days" / f"day{day:02d}.csv").write_text("id,region,amount\n" + lines)
    for path in root.rglob("*.csv"):
        os.utime(path, (1_700_000_000, 1_700_000_000))


def context_of(workspace: Workspace) -> CallContext:
    """What a call gets whose only source is this workspace."""
    return CallContext(
        scope=Scope("r", "c", "person", "U", "UTC", "p", frozenset({"workspace"}), terms=WORKSPACE_TERMS),
        call_id="call",
        limits=DEFAULT,
        clock=SystemClock(),
        services=Services(workspace),
        catalog=_NoTools(),
        loaded=frozenset(),
        evidence=lambda _: None,
        deadline=0.0,
    )


async def _median(call: Callable[[], Awaitable[Any]]) -> float:
    taken: list[float] = []
    for _ in range(ROUNDS + 5):
        began = time.perf_counter()
        await call()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken[5:])


def _bare_median(con: duckdb.DuckDBPyConnection, sql: str) -> float:
    taken: list[float] = []
    for _ in range(ROUNDS + 5):
        began = time.perf_counter()
        con.execute(sql).fetchall()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken[5:])
