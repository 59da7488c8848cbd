"""What a read gives when the database fails, changes, refuses or is too slow: a typed result, and a process that goes
on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import psycopg
import pytest

from runtime.engines.postgresql import PostgresqlEngine
from runtime.errors import CallError, ConfigurationError
from runtime.limits import DEFAULT
from tests.integration.postgresql.conftest import SCHEMA, Database, Opener, made
from tests.postgres_server import OwnServer

FOREVER = "SELECT count(*) FROM generate_series(1, 100000) AS a, generate_series(1, 100000) AS b, orders"


async def count(engine: PostgresqlEngine) -> object:
    ((found,),) = (await engine.read("SELECT count(*) FROM orders", seconds=20, rows_kept=5)).rows
    return found


async def failure(read: Awaitable[object]) -> CallError:
    with pytest.raises(CallError) as caught:
        await read
    return caught.value


async def until(holds: Callable[[], bool]) -> None:
    """Waits for what another process does."""
    async with asyncio.timeout(60):
        while True:
            if await asyncio.to_thread(holds):
                return
            await asyncio.sleep(0.01)


def running(owner: str) -> bool:
    """Whether a query of ours is in the middle of its work."""
    with psycopg.connect(owner, autocommit=True) as connection:
        found = connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE application_name = 'footnote' AND state = 'active'"
            " AND query LIKE 'FETCH %' AND datname = current_database()"
        ).fetchone()
    return found is not None


async def test_a_server_killed_in_mid_query_is_a_retryable_failure_and_the_next_read_works(
    own_server: OwnServer, open_engine: Opener
):
    database = made(own_server.dsn, SCHEMA)
    engine = await open_engine(database)
    assert await count(engine) == 240
    reading = asyncio.create_task(failure(engine.read(FOREVER, seconds=60, rows_kept=5)))
    await until(lambda: running(database.owner))
    own_server.kill()
    error = await reading
    assert (error.code, error.retryable) == ("source_unavailable", True)
    assert "middle of the query" in error.message
    gone = await failure(engine.read("SELECT count(*) FROM orders", seconds=20, rows_kept=5))
    assert (gone.code, gone.retryable) == ("source_unavailable", True)
    assert "127.0.0.1" not in str(gone.as_json())
    await asyncio.to_thread(own_server.start)
    assert await count(engine) == 240


async def test_connections_that_died_while_idle_are_replaced_unseen(own_server: OwnServer, open_engine: Opener):
    engine = await open_engine(made(own_server.dsn, SCHEMA))
    assert await asyncio.gather(*(count(engine) for _ in range(4))) == [240] * 4
    await asyncio.to_thread(own_server.restart)
    assert await asyncio.gather(*(count(engine) for _ in range(4))) == [240] * 4


async def test_one_terminated_connection_is_replaced_unseen(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    assert await count(engine) == 240
    shop.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'footnote'"
             " AND datname = current_database()")  # fmt: skip
    assert await count(engine) == 240


async def test_a_database_that_is_down_stops_no_start_and_the_check_says_why(open_engine: Opener):
    engine = await open_engine("postgresql://nobody:secret-word@127.0.0.1:1/nothing")
    error = await failure(engine.structure())
    assert (error.code, error.retryable) == ("source_unavailable", True)
    assert "127.0.0.1" not in str(error.as_json())
    checked = await engine.check()
    assert "refused" in checked.unreachable
    assert "secret-word" not in checked.unreachable


@pytest.mark.parametrize("address", ["", "not an address", "mysql://a@b/c"])
async def test_an_address_that_is_none_is_a_configuration_error_by_its_name(address: str, open_engine: Opener):
    with pytest.raises(ConfigurationError, match="CRM_READ_URL"):
        await open_engine(address)


async def test_a_slow_query_is_stopped_on_the_server_too(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    await engine.structure()
    error = await failure(engine.read(FOREVER, seconds=0.5, rows_kept=5))
    assert error.code == "timeout"
    assert "0.5 s" in error.message
    await until(lambda: not running(shop.owner))
    assert await count(engine) == 240


async def test_waiting_behind_another_query_takes_nothing_of_the_time(shop: Database, open_engine: Opener):
    engine = await open_engine(shop, DEFAULT.override({"concurrent_reads_per_source": 1}))
    await engine.structure()
    slow = asyncio.create_task(failure(engine.read(FOREVER, seconds=4, rows_kept=5)))
    await until(lambda: running(shop.owner))
    found = await engine.read("SELECT count(*) FROM orders", seconds=3, rows_kept=5)
    assert found.rows == ((240,),)
    assert (await slow).code == "timeout"


async def test_a_cancelled_read_stops_on_the_server_too(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    reading = asyncio.create_task(engine.read(FOREVER, seconds=60, rows_kept=5))
    await until(lambda: running(shop.owner))
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    await until(lambda: not running(shop.owner))
    assert await count(engine) == 240


async def test_reads_cancelled_at_any_step_leave_no_place_and_no_connection_behind(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    for steps in range(40):
        reading = asyncio.create_task(engine.read("SELECT * FROM orders", seconds=60, rows_kept=5))
        for _ in range(steps):
            await asyncio.sleep(0)
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading
    assert await asyncio.gather(*(count(engine) for _ in range(8))) == [240] * 8
    ours = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'footnote' AND datname = current_database()"
    await until(lambda: len(shop.run(ours)) <= 4)


async def test_a_locked_table_is_told_and_may_be_asked_again(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    await engine.structure()
    with psycopg.connect(shop.owner) as locking:
        locking.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        error = await failure(engine.read("SELECT count(*) FROM orders", seconds=8, rows_kept=5))
    assert (error.code, error.retryable) == ("source_unavailable", True)
    assert await count(engine) == 240


async def test_a_column_that_was_renamed_is_found_by_one_fresh_look(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    before = (await engine.structure()).revision
    shop.run("ALTER TABLE orders RENAME COLUMN note TO remark")
    error = await failure(engine.read("SELECT note FROM orders", seconds=10, rows_kept=5))
    assert error.code == "sql_unknown_column"
    assert "remark" in error.hint
    result = await engine.read("SELECT remark FROM orders WHERE id = 1", seconds=10, rows_kept=5)
    assert result.rows == (("note 1",),)
    assert result.sources[0].revision != before


async def test_a_dropped_table_is_no_longer_known(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    await engine.structure()
    shop.run("DROP VIEW big_orders, paid; DROP TABLE orders")
    error = await failure(engine.read("SELECT count(*) FROM orders", seconds=10, rows_kept=5))
    assert error.code == "sql_unknown_table"
    assert "public.orders" not in (await engine.structure()).by_id


async def test_a_table_made_just_now_can_be_read(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    await engine.structure()
    shop.run("CREATE TABLE fresh AS SELECT 7 AS n; GRANT SELECT ON fresh TO {role}")
    assert (await engine.read("SELECT n FROM fresh", seconds=10, rows_kept=5)).rows == ((7,),)


async def test_a_revoked_grant_is_told_by_its_table(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    assert await count(engine) == 240
    shop.run("REVOKE SELECT ON orders FROM {role}")
    error = await failure(engine.read("SELECT count(*) FROM orders", seconds=10, rows_kept=5))
    assert error.code == "source_unavailable"
    assert "public.orders" in error.message
    again = await failure(engine.read("SELECT count(*) FROM orders", seconds=10, rows_kept=5))
    assert again.code == "sql_unknown_table"


async def test_a_query_that_fills_the_disk_is_a_resource_limit(shop: Database, open_engine: Opener):
    shop.run("ALTER ROLE {role} SET temp_file_limit = '1MB'; ALTER ROLE {role} SET work_mem = '64kB'")
    engine = await open_engine(shop)
    heavy = "SELECT a FROM generate_series(1, 1000000) AS t(a) ORDER BY a DESC"
    assert (await failure(engine.read(heavy, seconds=20, rows_kept=5))).code == "resource_limit"


MESSAGES = [
    ("SELECT CAST(note AS int) FROM orders", "sql_failed", "note 1"),
    ("SELECT CAST('seven' AS int) FROM orders", "sql_failed", None),
    ("SELECT amount / 0 FROM orders", "sql_failed", None),
    ("SELECT CAST(name AS date) FROM customers WHERE id = 1", "sql_failed", "Customer 1"),
    ("SELECT note + 1 FROM orders", "sql_failed", None),
    ("SELECT id, count(*) FROM orders GROUP BY day", "sql_failed", None),
]


@pytest.mark.parametrize(("sql", "code", "hidden"), MESSAGES)
async def test_messages_teach_and_quote_no_value_that_the_caller_did_not_write(
    sql: str, code: str, hidden: str | None, shop: Database, open_engine: Opener
):
    engine = await open_engine(shop)
    error = await failure(engine.read(sql, seconds=10, rows_kept=5))
    assert (error.code, error.retryable) == (code, True)
    assert error.message
    if hidden:
        assert hidden not in str(error.as_json())


async def test_a_value_that_the_caller_wrote_is_quoted(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    error = await failure(engine.read("SELECT CAST('seven' AS int) FROM orders", seconds=10, rows_kept=5))
    assert error.message == 'invalid input syntax for type integer: "seven"'


async def test_what_a_view_raises_is_not_passed_on(empty: Database, open_engine: Opener):
    empty.run("""
        CREATE TABLE t (a text); INSERT INTO t VALUES ('the secret is 4242');
        CREATE VIEW v AS SELECT a::int AS b FROM t;
        GRANT SELECT ON t, v TO {role}
    """)
    engine = await open_engine(empty)
    error = await failure(engine.read("SELECT b FROM v", seconds=10, rows_kept=5))
    assert error.code == "sql_failed"
    assert "4242" not in str(error.as_json())
