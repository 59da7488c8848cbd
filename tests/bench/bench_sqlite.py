"""data_query_sqlite through the boundary, beside a bare sqlite3 over the same file.

Every round makes all reads one after the other; each call has SQL of its own, so that none is answered from the run's
memory. `journalled` is the real thing: each result is committed to the state file before the model sees it.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from functools import partial
from pathlib import Path

from runtime.admission.manifest import SqliteSource
from runtime.capability import Open, Scope, Services, SourceKind, SourceTerms
from runtime.clock import SystemClock, random_id
from runtime.engines.port import ReadEngines
from runtime.engines.sqlite.engine import SqliteEngine
from runtime.evidence import CallJournal
from runtime.limits import DEFAULT
from runtime.run import boundary_of
from runtime.state import open_state
from runtime.testing.journal import MemoryJournal
from runtime.testing.wiring import wiring_over
from tests.bench.reads import SIZE, Read, medians, through
from tests.bench.row import Row

BAR_MS = {1: 3.0, 100: 5.0, 1_000: None}  # DESIGN 10


def run() -> list[Row]:
    """Medians of 80 rounds, in milliseconds over the bare read of the same rounds."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> list[Row]:
    path = folder / "shop.db"
    owner = sqlite3.connect(path)
    owner.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, region TEXT, amount REAL)")
    owner.executemany("INSERT INTO orders VALUES (?, ?, ?)", ((n, f"r{n % 7}", n / 4) for n in range(SIZE)))
    owner.commit()
    source = SqliteSource.model_validate({"id": "shop", "kind": "sqlite", "path": str(path), "audience": {"im": True}})
    engine = await SqliteEngine.open(source, path, folder / "spill", DEFAULT, SystemClock())
    state = open_state(f"sqlite:///{folder}/state.db", clock=SystemClock(), new_id=random_id)
    in_memory, kept = _caller(engine, MemoryJournal()), _caller(engine, state.calls)

    async def bare(sql: str) -> object:
        return owner.execute(sql).fetchall()

    async def alone(sql: str) -> object:
        return await engine.read(sql, seconds=DEFAULT.sql_seconds, rows_kept=DEFAULT.sql_rows_kept)

    rows: list[Row] = []
    for count, bar in BAR_MS.items():
        base, guarded, quick, full = await medians(partial(_sql, count), bare, alone, in_memory, kept)
        words = f"{count:,} {'row' if count == 1 else 'rows'}"
        rows += [
            Row(f"data_query_sqlite, {words}", quick - base, "ms over bare", bar, f"bare sqlite3 {base:.2f} ms"),
            Row("  journalled", full - base, "ms over bare", None, "committed to the state file"),
            Row("  of it the engine", guarded - base, "ms over bare", None, "guard, worker, rows as JSON"),
        ]
    owner.close()
    await engine.close()
    state.close()
    return rows


def _sql(count: int, n: int) -> str:
    """A read of `count` rows; each `n` makes other SQL."""
    if count == 1:
        return f"SELECT sum(amount) AS s, count(*) AS c FROM orders WHERE id < {100 + n}"
    return f"SELECT id, region, amount FROM orders WHERE id >= {n} ORDER BY id LIMIT {count}"


def _caller(engine: SqliteEngine, journal: CallJournal) -> Read:
    """Calls the tool through the boundary of a run of its own."""
    services = Services(ReadEngines({"shop": engine}, {"shop": engine}))
    terms = {"shop": SourceTerms(SourceKind.SQLITE)}
    scope = Scope(random_id(), "T:C:1", "person", "U1", "UTC", "p1", frozenset(terms), terms=terms)
    wiring = wiring_over(services, _Admitted(engine), journal=journal, new_id=random_id)
    return through(boundary_of(wiring, scope), "data_query_sqlite", lambda sql: {"source_id": "shop", "sql": sql})


class _Admitted:
    def __init__(self, engine: SqliteEngine) -> None:
        self._engine = engine

    async def source(self, scope: Scope, source_id: str) -> Open:
        return Open((await self._engine.structure()).revision)
