"""SQLite files made for a test, opened as admitted sources with real workers."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.admission.manifest import SqliteSource
from runtime.clock import SystemClock
from runtime.engines.sqlite.engine import SqliteEngine
from runtime.limits import DEFAULT, Limits

ONE_WORKER = DEFAULT.override({"worker_pool": 1})

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, ssn TEXT);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, amount REAL, note,
    cents AS (CAST(round(amount * 100) AS INTEGER))
);
CREATE TABLE hidden (id INTEGER PRIMARY KEY, secret TEXT);
CREATE VIEW spending AS SELECT customer_id, sum(amount) AS spent FROM orders GROUP BY customer_id;
CREATE VIEW leak AS SELECT secret FROM hidden;
CREATE VIEW broken AS SELECT * FROM gone;
INSERT INTO customers SELECT value, 'name ' || value, 'mail' || value || '@example.com', 'ssn-' || value
FROM json_each('[1,2,3,4,5]');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
INSERT INTO orders (id, customer_id, amount, note) SELECT i, i % 5 + 1, i / 4.0, 'note ' || i FROM n;
INSERT INTO hidden VALUES (1, 's3cr3t');
ANALYZE;
"""

Opener = Callable[..., Awaitable[SqliteEngine]]


def make(path: Path, script: str = SHOP) -> sqlite3.Connection:
    """The file, and the connection of the program that owns it."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(script)
    return connection


@pytest.fixture
def owner(tmp_path: Path):
    connection = make(tmp_path / "shop.db")
    yield connection
    connection.close()


@pytest.fixture
async def open_source(tmp_path: Path) -> AsyncIterator[Opener]:
    """Opens the file as a source; the rules are those of a manifest."""
    opened: list[SqliteEngine] = []

    async def open_one(name: str = "shop.db", limits: Limits = ONE_WORKER, **rules: Any) -> SqliteEngine:
        audience = {"channels": ["*"]}
        source = SqliteSource(id="shop", kind="sqlite", path=name, audience=audience, **rules)
        engine = await SqliteEngine.open(source, tmp_path / name, tmp_path / "spill", limits, SystemClock())
        opened.append(engine)
        return engine

    yield open_one
    for engine in opened:
        await engine.close()


async def rows(engine: SqliteEngine, sql: str, *parameters: Any, kept: int = 100, seconds: float = 30) -> list[Any]:
    """The rows of a read, as lists."""
    found = await engine.read_bound(sql, parameters, seconds=seconds, rows_kept=kept)
    return [list(row) for row in found.rows]
