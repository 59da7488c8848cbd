"""Guarded PostgreSQL reads beside the bare driver, and the catalogue of 10,000 tables."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable

import psycopg

from runtime.admission.manifest import PostgresqlSource
from runtime.clock import SystemClock
from runtime.engines.postgresql import PostgresqlEngine
from runtime.limits import DEFAULT
from tests import postgres_server
from tests.bench.row import Row

ROUNDS = 60
BARS = {1: 3.0, 100: 5.0, 1_000: None}
TABLES = 10_000
ORDERS = """
CREATE TABLE orders AS SELECT i AS id, i % 50 AS customer, date '2024-01-01' + i % 365 AS day,
  (i % 997 + 0.5)::numeric(12, 2) AS amount, 'note ' || i AS note FROM generate_series(1, 20000) AS i;
ALTER TABLE orders ADD PRIMARY KEY (id); ANALYZE orders;
CREATE ROLE reader LOGIN; GRANT SELECT ON orders TO reader;
CREATE SCHEMA many; GRANT USAGE ON SCHEMA many TO reader
"""


async def fastest_ms(work: Callable[[], Awaitable[object]]) -> float:
    """The least time of the rounds, after some to warm up: what else the machine does is not the engine's cost."""
    for _ in range(10):
        await work()
    times: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await work()
        times.append(time.perf_counter() - began)
    return min(times) * 1000


async def opened(address: str, schema: str) -> PostgresqlEngine:
    os.environ["BENCH_READ_URL"] = address
    source = PostgresqlSource.model_validate(
        {"id": "bench", "kind": "postgresql", "url": "${BENCH_READ_URL}", "schemas": [schema], "audience": {"im": True}}
    )
    return await PostgresqlEngine.open(source, DEFAULT, SystemClock())


async def reads(address: str) -> list[Row]:
    """The engine's reads over the bare ones, for each number of rows."""
    engine = await opened(address, "public")
    bare = await psycopg.AsyncConnection.connect(address, autocommit=True)
    rows: list[Row] = []
    for count, bar in BARS.items():
        sql = f"SELECT id, customer, day, amount, note FROM orders WHERE id <= {count} ORDER BY id"

        async def plain(sql: str = sql) -> object:
            return await (await bare.execute(sql.encode())).fetchall()

        async def guarded(sql: str = sql) -> object:
            return await engine.read(sql, seconds=15, rows_kept=1_000)

        alone, ours = await fastest_ms(plain), await fastest_ms(guarded)
        rows.append(Row(f"PostgreSQL, {count:,} rows", ours - alone, "ms over bare", bar, f"psycopg {alone:.2f} ms"))
    await bare.close()
    await engine.close()
    return rows


async def catalogue(address: str) -> Row:
    """The first look at a database with many tables."""
    engine = await opened(address, "many")
    began = time.perf_counter()
    found = len((await engine.structure()).tables)
    seconds = time.perf_counter() - began
    await engine.close()
    return Row(
        f"PostgreSQL, structure of {found:,} tables", seconds, "s", None, "once for each change of the structure"
    )


def run() -> list[Row]:
    """Starts a server of its own."""
    with postgres_server.own_server() as server:
        reader = server.dsn.replace("footnote@", "reader@")
        with psycopg.connect(server.dsn, autocommit=True) as owner:
            owner.execute(ORDERS)
            for first in range(0, TABLES, 1_000):
                made = (
                    f"CREATE TABLE many.t{number} (id int PRIMARY KEY, a text, b int, c numeric, d date, e text, f int)"
                    for number in range(first, first + 1_000)
                )
                owner.execute("; ".join(made).encode())
            owner.execute("GRANT SELECT ON ALL TABLES IN SCHEMA many TO reader; ANALYZE pg_class")
        return [*asyncio.run(reads(reader)), asyncio.run(catalogue(reader))]
