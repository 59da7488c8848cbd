"""The engines' own layers with the guard switched off: every attack as written, and which of them only the guard stops.

What runs here is written down in `only_the_guard`; it changes nothing and, but for a function that the owner lets
anybody run with the owner's rights, it shows nothing hidden.
"""

import sqlite3
from pathlib import Path

import psycopg
import pytest

from runtime.admission.manifest import PostgresqlSource, SqliteSource
from runtime.clock import SystemClock
from runtime.engines.postgresql import PostgresqlEngine
from runtime.engines.sqlite.engine import SqliteEngine
from runtime.errors import CallError
from runtime.limits import DEFAULT
from runtime.sqlguard import GuardPolicy, ValidatedQuery
from tests.integration.sqlguard import only_the_guard
from tests.integration.sqlguard.conftest import ADMITTED, CASES, GuardedDatabase, cases
from tests.unit.sqlguard import postgres_queries, sqlite_queries

SECRET = "s3cr3t"
ONE_WORKER = DEFAULT.override({"worker_pool": 1})


def unguarded(sql: str, policy: GuardPolicy) -> ValidatedQuery:
    """What `validate` would give if it refused nothing."""
    return ValidatedQuery(sql, sql, tuple(policy.tables), ("*",), has_aggregate=False, filters=())


@pytest.fixture
async def postgres_engine(guarded: GuardedDatabase, monkeypatch):
    monkeypatch.setenv("CRM_READ_URL", guarded.address)
    tables = {"allow": [f"public.{name}" for name in ADMITTED]}
    declared = {"id": "crm", "kind": "postgresql", "url": "${CRM_READ_URL}", "audience": {"im": True}, "tables": tables}
    engine = await PostgresqlEngine.open(PostgresqlSource.model_validate(declared), DEFAULT, SystemClock())
    yield engine
    await engine.close()


@pytest.fixture
async def sqlite_engine(tmp_path: Path):
    path = tmp_path / "data" / "shop.db"
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.executescript((CASES / "fixtures_sqlite.sql").read_text("utf-8"))
    connection.close()
    source = SqliteSource(
        id="shop", kind="sqlite", path="shop.db", audience={"im": True}, tables={"allow": list(ADMITTED)}
    )
    engine = await SqliteEngine.open(source, path, tmp_path / "spill", ONE_WORKER, SystemClock())
    yield engine, path
    await engine.close()


async def tried(engine, sql: str) -> str | None:
    """The rows as text, or None when the engine refuses."""
    try:
        found = await engine.read_bound(sql, (), seconds=1, rows_kept=50)
    except CallError:
        return None
    return repr(found.rows)


def footprint(owner: psycopg.Connection) -> tuple:
    """All that an attack could have changed."""
    return owner.execute(
        "SELECT (SELECT count(*) FROM hidden), (SELECT count(*) FROM orders), (SELECT count(*) FROM pg_class), "
        "(SELECT count(*) FROM pg_largeobject_metadata), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), "
        "(SELECT is_called FROM sq)"
    ).fetchone()


async def test_postgresql_alone_gives_nothing_hidden_and_changes_nothing(postgres_engine, guarded, monkeypatch):
    monkeypatch.setattr("runtime.engines.postgresql.engine.validate", unguarded)
    attacks = [case["sql"] for case in cases("deny", "guard")] + [sql for sql, _ in postgres_queries.ATTACKS]
    before = footprint(guarded.owner)
    ran = set()
    for sql in attacks:
        rows = await tried(postgres_engine, sql)
        if rows is not None:
            ran.add(sql)
            assert SECRET not in rows or "sd()" in sql, sql
    assert footprint(guarded.owner) == before
    # Fewer on a server that is newer, slower, or has fewer extensions.
    assert ran <= {sql for group in only_the_guard.POSTGRES.values() for sql in group}


async def test_sqlite_alone_gives_nothing_hidden_and_changes_nothing(sqlite_engine, monkeypatch):
    engine, path = sqlite_engine
    monkeypatch.setattr("runtime.engines.sqlite.engine.validate", unguarded)
    before = path.read_bytes()
    ran = set()
    for sql, _ in sqlite_queries.ATTACKS:
        rows = await tried(engine, sql)
        if rows is not None:
            ran.add(sql)
            assert SECRET not in rows, sql
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir()] == ["shop.db"]
    assert ran <= {sql for group in only_the_guard.SQLITE.values() for sql in group}


async def test_a_query_without_end_is_stopped_by_the_server(postgres_engine):
    for case in cases("deny", "envelope"):
        with pytest.raises(CallError) as stopped:
            await postgres_engine.read(case["sql"], seconds=1, rows_kept=10)
        assert stopped.value.code in ("timeout", "resource_limit"), case["id"]
    assert (await postgres_engine.read("select 1", seconds=30, rows_kept=10)).rows == ((1,),)


async def test_a_bomb_is_stopped_by_the_worker(sqlite_engine):
    engine, _ = sqlite_engine
    for sql in (
        "select length(replace(printf('%.4000000c', 'x'), 'x', 'yyyyyyyyyy'))",
        "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n",
        "select count(*) from orders a, orders b, orders c, orders d",
    ):
        with pytest.raises(CallError) as stopped:
            await engine.read(sql, seconds=1, rows_kept=10)
        assert stopped.value.code in ("timeout", "resource_limit"), sql
    assert (await engine.read("select 1", seconds=30, rows_kept=10)).rows == ((1,),)
