"""SQLite's own layer with the guard switched off: every attack of the cases, as written, against the worker alone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime.engines.sqlite.engine import COMMAND
from runtime.engines.sqlite.jobs import DatabaseFile, Fingerprint, Introspect, Query
from runtime.engines.worker import EngineFailure, WorkerLost, WorkerPool, WorkerSettings
from runtime.limits import DEFAULT

CASES = Path(__file__).parents[2] / "cases"
ADMITTED = ("orders", "customers", "café sales", "2024 totals", "select")
SECRET = "s3cr3t"
# An un-admitted table in a CTE that nothing reads (the engine drops it unread), and the connection's own counters.
ONLY_THE_GUARD = {"sqlite-deny-176", "sqlite-deny-549"}


def cases() -> Iterator[dict[str, Any]]:
    for line in (CASES / "sql_guard.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if case["dialect"] == "sqlite":
            yield case


class Alone:
    """The worker over the fixture, without the guard."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "data" / "shop.db"
        self.path.parent.mkdir()
        connection = sqlite3.connect(self.path)
        connection.executescript((CASES / "fixtures_sqlite.sql").read_text(encoding="utf-8"))
        connection.close()
        self.content = self.path.read_bytes()
        self.pool = WorkerPool(1, WorkerSettings.of(DEFAULT), folder / "spill", COMMAND)
        self.pool.start()

    async def query(self, sql: str) -> Query:
        file = DatabaseFile(self.path)
        fingerprint = await self.pool.run(file, Fingerprint(30))
        known = await self.pool.run(file, Introspect(30))
        columns = {table["name"]: [column["name"] for column in table["columns"]] for table in known["tables"]}
        admitted = {name: columns[name] for name in ADMITTED}
        return Query(sql, 1.0, 500, 2_000, admitted, fingerprint)

    async def tried(self, sql: str) -> str:
        """What came out, as one text."""
        try:
            answer = await self.pool.run(DatabaseFile(self.path), await self.query(sql))
        except (EngineFailure, WorkerLost) as error:
            return f"refused: {error}"
        return json.dumps(answer.rows, ensure_ascii=False)

    def untouched(self) -> bool:
        return self.path.read_bytes() == self.content and [p.name for p in self.path.parent.iterdir()] == ["shop.db"]


@pytest.fixture
async def alone(tmp_path: Path):
    bench = Alone(tmp_path)
    yield bench
    await bench.pool.close()


async def test_no_attack_reads_what_is_hidden_or_writes_anything(alone: Alone) -> None:
    attacks = [case for case in cases() if case["expect"] == "deny"]
    assert len(attacks) >= 49
    ran: set[str] = set()
    for case in attacks:
        said = await alone.tried(case["sql"])
        ran |= set() if said.startswith("refused") else {case["id"]}
        assert SECRET not in said, case["id"]
        assert "CREATE TABLE" not in said.upper().replace("SYNTAX", ""), case["id"]
        assert alone.untouched(), case["id"]
    assert ran == ONLY_THE_GUARD


async def test_what_is_allowed_runs(alone: Alone) -> None:
    for case in cases():
        if case["expect"] == "allow":
            said = await alone.tried(case["sql"])
            assert not said.startswith("refused"), (case["id"], said)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM hidden",
        "WITH orders AS (SELECT secret FROM hidden) SELECT * FROM orders",
        "SELECT (SELECT secret FROM hidden) FROM orders",
        "SELECT * FROM sqlite_master",
        "SELECT name FROM pragma_table_list",
        "ATTACH DATABASE 'evil.db' AS evil",
        "CREATE TEMP VIEW orders AS SELECT 1",
        "PRAGMA query_only = 0",
        "DELETE FROM orders",
        "SELECT load_extension('x')",
        "SELECT hex(randomblob(8))",
        "COMMIT",
    ],
)
async def test_the_authorizer_refuses(alone: Alone, sql: str) -> None:
    assert (await alone.tried(sql)).startswith("refused")
    assert alone.untouched()
