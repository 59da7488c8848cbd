"""One bounded read: what comes, what is counted, what may stand in it, and that nothing is ever written."""

from __future__ import annotations

import asyncio

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.engines.postgresql.connections import Connections, Session
from runtime.engines.postgresql.reading import Read, answer
from runtime.engines.postgresql.values import adapters
from runtime.errors import CallError
from runtime.evidence import Json
from runtime.limits import DEFAULT
from tests.integration.postgresql.conftest import Database, Opener


@pytest.mark.parametrize(
    ("sql", "kept", "shown", "total"),
    [
        ("SELECT id FROM orders ORDER BY id", 1000, 240, 240),
        ("SELECT id FROM orders ORDER BY id", 240, 240, 240),
        ("SELECT id FROM orders ORDER BY id", 239, 239, 240),
        ("SELECT id, note FROM orders ORDER BY id", 10, 10, 240),
        ("SELECT id FROM orders WHERE id < 0", 10, 0, 0),
        ("VALUES (1), (2), (3)", 2, 2, 3),
    ],
)
async def test_the_true_count_is_told_whatever_is_kept(
    sql: str, kept: int, shown: int, total: int, shop: Database, open_engine: Opener
):
    result = await (await open_engine(shop)).read(sql, seconds=20, rows_kept=kept)
    assert (len(result.rows), result.row_count) == (shown, total)
    assert [row[0] for row in result.rows] == list(range(1, shown + 1))
    if shown == total:
        assert result.truncated is None
    else:
        assert result.truncated is not None
        assert result.truncated.as_json() == {"reason": "rows_kept", "shown": shown, "total": total}


async def test_a_count_that_takes_too_long_is_left_open(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    endless = "SELECT a.id FROM orders AS a, generate_series(1, 100000) AS b, generate_series(1, 100000) AS c"
    result = await engine.read(endless, seconds=3, rows_kept=10)
    assert (len(result.rows), result.row_count) == (10, 10)
    assert result.truncated is not None
    assert result.truncated.total is None


async def test_the_rows_of_one_result_have_a_bound_in_size(shop: Database, open_engine: Opener):
    engine = await open_engine(shop, DEFAULT.override({"cell_chars": 1_000_000}))
    sql = "SELECT repeat('x', 1000000) AS long FROM orders"
    result = await engine.read(sql, seconds=60, rows_kept=1000)
    assert (len(result.rows), result.row_count) == (8, 240)


async def test_a_bare_result_has_its_sources_and_its_sql(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    result = await engine.read("SELECT count(*) FROM orders JOIN customers c ON true", seconds=20, rows_kept=5)
    revision = (await engine.structure()).revision
    assert [(found.source, found.object, found.revision) for found in result.sources] == [
        ("crm", "public.customers", revision),
        ("crm", "public.orders", revision),
    ]
    assert "public.orders" in result.sql


async def test_names_that_occur_twice_and_columns_without_a_name_are_kept(shop: Database, open_engine: Opener):
    sql = "SELECT a.note, b.note, 1 + 1 FROM orders AS a JOIN orders AS b USING (id) WHERE id = 1"
    result = await (await open_engine(shop)).read(sql, seconds=20, rows_kept=5)
    assert [column.name for column in result.columns][:2] == ["note", "note"]
    assert result.rows == (("note 1", "note 1", 2),)


@pytest.mark.parametrize(
    ("sql", "parameters", "row"),
    [
        ("SELECT count(*) FROM orders WHERE amount > $1", [100.5], (140,)),
        ("SELECT count(*) FROM orders WHERE amount = $1 AND note = $2", [1.5, "note 1"], (1,)),
        ("SELECT count(*) FROM orders WHERE day = $1", ["2024-01-02"], (1,)),
        ("SELECT count(*) FROM orders WHERE id IN ($1, $2)", [1, 2], (2,)),
        ("SELECT $1 AS said", ["'; DROP TABLE orders; --"], ("'; DROP TABLE orders; --",)),
        ("SELECT count(*) FROM orders WHERE note LIKE $1 AND 100 % 7 = 2", ["note 1%"], (111,)),
    ],
)
async def test_values_are_bound(
    sql: str, parameters: list[Json], row: tuple[object, ...], shop: Database, open_engine: Opener
):
    result = await (await open_engine(shop)).read_bound(sql, parameters, seconds=20, rows_kept=5)
    assert result.rows == (row,)


@pytest.mark.parametrize("value", ["zero \0 byte", "half \ud800", [1, 2], {"a": 1}])
async def test_what_cannot_be_bound_is_said(value: Json, shop: Database, open_engine: Opener):
    with pytest.raises(CallError) as caught:
        await (await open_engine(shop)).read_bound("SELECT $1 AS t", [value], seconds=20, rows_kept=5)
    assert (caught.value.code, caught.value.retryable) == ("sql_failed", True)
    assert "$1" in caught.value.message


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40))
async def test_any_text_comes_back_as_it_was_bound(shop: Database, open_engine: Opener, text: str):
    result = await (await open_engine(shop)).read_bound("SELECT $1 AS t", [text], seconds=20, rows_kept=5)
    assert result.rows == ((text,),)


async def test_many_reads_at_once_share_a_few_connections(shop: Database, open_engine: Opener):
    engine = await open_engine(shop)
    sql = "SELECT count(*) FROM orders"
    results = await asyncio.gather(*(engine.read(sql, seconds=60, rows_kept=5) for _ in range(30)))
    assert {result.rows for result in results} == {((240,),)}
    ((used,),) = shop.run(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'footnote' AND datname = current_database()"
    )
    assert used <= DEFAULT.concurrent_reads_per_source


async def test_nothing_set_by_one_read_is_left_for_the_next_even_without_the_guard(shop: Database):
    connections = Connections(shop.reader, adapters(), 1)
    deadline = asyncio.get_running_loop().time() + 60
    widen = "SELECT set_config('search_path', 'elsewhere', false) || pg_advisory_lock(7)::text AS w"
    async with connections.snapshot(Session(20, ("public",))) as connection:
        await answer(connection, Read(widen, (), 10, 2000), deadline)
    async with connections.snapshot(Session(20, ("public",))) as connection:
        await answer(connection, Read("SELECT count(*) FROM orders", (), 10, 2000), deadline)
        assert shop.run("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [(0,)]
    await connections.close()


async def test_a_function_of_a_view_that_writes_fails_and_nothing_is_written(shop: Database):
    shop.run("""
        CREATE FUNCTION sneak() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
          $$ BEGIN EXECUTE 'DELETE FROM salaries'; RETURN 1; END $$;
        CREATE VIEW sly AS SELECT o.id + sneak() * o.id AS s FROM orders o; GRANT SELECT ON sly TO {role}
    """)
    connections = Connections(shop.reader, adapters(), 1)
    deadline = asyncio.get_running_loop().time() + 60
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        async with connections.snapshot(Session(20, ("public",))) as connection:
            await answer(connection, Read("SELECT s FROM sly", (), 10, 2000), deadline)
    await connections.close()
    assert shop.run("SELECT count(*) FROM salaries") == [(1,)]


async def test_the_snapshot_takes_one_statement_and_no_write_even_without_the_guard(shop: Database):
    shop.run("GRANT INSERT, DELETE ON salaries TO {role}")
    connections = Connections(shop.reader, adapters(), 1)
    deadline = asyncio.get_running_loop().time() + 60
    for attack in (
        "SELECT 1; DELETE FROM salaries",
        "SELECT 1) AS t; COMMIT; DELETE FROM salaries; SELECT * FROM (SELECT 1",
        "WITH gone AS (DELETE FROM salaries RETURNING *) SELECT * FROM gone",
        "SELECT id FROM salaries FOR UPDATE",
        "SELECT nextval('pg_catalog.none')",
    ):
        with pytest.raises(psycopg.Error):
            async with connections.snapshot(Session(20, ("public",))) as connection:
                await answer(connection, Read(attack, (), 10, 2000), deadline)
    await connections.close()
    assert shop.run("SELECT count(*) FROM salaries") == [(1,)]


async def test_a_table_of_which_nothing_is_withheld_is_read_by_its_indexes(shop: Database, open_engine: Opener) -> None:
    for way in ("enable_seqscan", "enable_sort", "jit"):  # so few rows would else be read as they lie
        shop.run(f"ALTER ROLE {{role}} SET {way} = off")
    shop.run("CREATE INDEX ON orders (amount DESC)")
    shop.run("VACUUM orders")
    engine = await open_engine(shop, columns={"mask": ["public.customers.email"]})
    result = await engine.read("SELECT amount FROM orders LIMIT 1", seconds=20, rows_kept=5)
    assert result.rows == ((240.5,),)
