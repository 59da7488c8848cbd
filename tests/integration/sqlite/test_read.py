"""Reads of a SQLite source: values, counts, bounds, and errors that say what to do."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.engines.sqlite.structure import structure_of
from runtime.errors import CallError
from runtime.evidence import SourceRef, Truncation
from runtime.limits import MIB

from .conftest import ONE_WORKER, make, rows

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


async def refused(engine, sql, *parameters, **bounds) -> CallError:
    with pytest.raises(CallError) as caught:
        await rows(engine, sql, *parameters, **bounds)
    return caught.value


async def test_rows_come_with_names_types_and_their_source(owner, open_source) -> None:
    engine = await open_source()
    found = await engine.read(
        "SELECT id, name, sum(id) OVER () AS s FROM customers ORDER BY id", seconds=30, rows_kept=2
    )
    assert [(column.name, column.type) for column in found.columns] == [
        ("id", "INTEGER"),
        ("name", "TEXT"),
        ("s", "INTEGER"),
    ]
    assert found.rows == ((1, "name 1", 15), (2, "name 2", 15))
    assert (found.row_count, found.truncated) == (5, Truncation("rows_kept", 2, 5))
    revision = (await engine.structure()).revision
    assert found.sources == (SourceRef("shop", "customers", revision),)


async def test_the_name_of_a_column_is_what_was_written(owner, open_source) -> None:
    engine = await open_source()
    found = await engine.read("select count(*), max(amount) from orders", seconds=30, rows_kept=5)
    assert [column.name for column in found.columns] == ["count(*)", "max(amount)"]


async def test_values_are_bound_in_their_order(owner, open_source) -> None:
    engine = await open_source()
    sql = "SELECT id, ? AS said FROM customers WHERE id >= ? AND name <> ? ORDER BY id"
    assert await rows(engine, sql, "o'clock; --", 4, "name 4") == [[5, "o'clock; --"]]
    assert await rows(engine, "SELECT ? AS a, ? AS b, ? AS c", None, True, 1.5) == [[None, 1, 1.5]]


async def test_too_large_a_number_is_refused_and_a_missing_value_too(owner, open_source) -> None:
    engine = await open_source()
    assert (await refused(engine, "SELECT ? AS a", 2**70)).code == "sql_failed"
    assert (await refused(engine, "SELECT ? AS a, ? AS b", 1)).retryable


async def test_each_cell_travels_without_loss(tmp_path, open_source) -> None:
    make(
        tmp_path / "shop.db",
        "CREATE TABLE t (a); INSERT INTO t VALUES (9007199254740993), (x'00ff'), (1e999), (NULL), ('é'), (2.5);",
    ).close()
    engine = await open_source()
    found = await engine.read("SELECT a FROM t", seconds=30, rows_kept=10)
    assert [row[0] for row in found.rows] == ["9007199254740993", "2 bytes 0x00ff", "inf", None, "é", 2.5]
    assert found.columns[0].type == "ANY"


async def test_text_that_is_not_utf8_is_said(owner, open_source) -> None:
    engine = await open_source()
    found = await engine.read("SELECT CAST(x'41ff42' AS TEXT) AS t", seconds=30, rows_kept=5)
    assert found.rows == (("A\ufffdB",),)
    assert found.notes == ("1 cell holds text that is not UTF-8; what cannot be read stands as \ufffd",)


async def test_long_cells_are_cut_and_said(owner, open_source) -> None:
    engine = await open_source(limits=ONE_WORKER.override({"cell_chars": 10}))
    found = await engine.read("SELECT note || ' and much more' AS n FROM orders WHERE id = 1", seconds=30, rows_kept=5)
    assert found.rows == (("note 1 an…",),)
    assert "1 cell longer than 10 characters was cut" in found.notes[0]


async def test_json_functions_work_under_the_authorizer(owner, open_source) -> None:
    engine = await open_source()
    assert await rows(engine, "SELECT value FROM json_each('[7,8]')") == [[7], [8]]


async def test_wal_content_is_read_before_any_checkpoint(tmp_path, owner, open_source) -> None:
    owner.execute("PRAGMA journal_mode = wal")
    owner.execute("INSERT INTO customers (id, name) VALUES (6, 'in the wal')")
    engine = await open_source()
    assert await rows(engine, "SELECT name FROM customers WHERE id = 6") == [["in the wal"]]
    owner.execute("UPDATE customers SET name = 'later' WHERE id = 6")
    assert await rows(engine, "SELECT name FROM customers WHERE id = 6") == [["later"]]


async def test_an_endless_query_is_stopped_and_the_next_one_runs(owner, open_source) -> None:
    engine = await open_source()
    error = await refused(engine, ENDLESS, seconds=0.2)
    assert error.code in ("timeout", "resource_limit")
    assert await rows(engine, "SELECT count(*) AS n FROM customers") == [[5]]


async def test_a_cancelled_read_leaves_the_source_as_it_was(owner, open_source) -> None:
    engine = await open_source()
    await engine.structure()
    task = asyncio.create_task(engine.read(ENDLESS, seconds=60, rows_kept=1))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await rows(engine, "SELECT count(*) AS n FROM customers") == [[5]]


async def test_a_query_that_outgrows_its_memory_is_ended(owner, open_source) -> None:
    engine = await open_source(limits=ONE_WORKER.override({"worker_memory_bytes": 8 * MIB}))
    error = await refused(engine, "SELECT group_concat(a.note || b.note) AS g FROM orders a, orders b LIMIT 1")
    assert error.code == "resource_limit"
    assert await rows(engine, "SELECT count(*) AS n FROM customers") == [[5]]


async def test_a_huge_cell_is_refused_and_its_length_can_be_asked(tmp_path, open_source) -> None:
    make(tmp_path / "shop.db", "CREATE TABLE t (id, b); INSERT INTO t VALUES (1, zeroblob(20000000));").close()
    engine = await open_source()
    error = await refused(engine, "SELECT b FROM t")
    assert (error.code, "5 MiB" in error.message) == ("resource_limit", True)
    assert await rows(engine, "SELECT id, length(b) AS n FROM t") == [[1, 20_000_000]]


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "cannot be opened"), (b"", "no table"), (b"no database at all" * 99, "is no SQLite database")],
)
async def test_what_is_no_database_is_said(tmp_path, open_source, content, said) -> None:
    if content is not None:
        (tmp_path / "shop.db").write_bytes(content)
    engine = await open_source()
    if content == b"":
        assert (await engine.structure()).tables == ()  # an empty file is an empty database
        return
    error = await refused(engine, "SELECT 1 AS one")
    assert (error.code, said in error.message) == ("source_unavailable", True)
    assert str(tmp_path) not in error.message + error.hint


async def test_a_damaged_file_ends_in_a_reason(tmp_path, owner, open_source) -> None:
    owner.close()
    path = tmp_path / "shop.db"
    body = bytearray(path.read_bytes())
    body[4096:] = b"\xff" * (len(body) - 4096)
    path.write_bytes(bytes(body))
    engine = await open_source()
    assert (await refused(engine, "SELECT sum(amount) AS s FROM orders")).code == "source_unavailable"


async def test_a_locked_file_is_worth_another_try(tmp_path, owner, open_source) -> None:
    engine = await open_source()
    owner.execute("BEGIN EXCLUSIVE")
    error = await refused(engine, "SELECT count(*) AS n FROM customers")
    assert (error.code, error.retryable) == ("source_unavailable", True)
    owner.execute("COMMIT")
    assert await rows(engine, "SELECT count(*) AS n FROM customers") == [[5]]


async def test_a_file_that_comes_later_is_found(tmp_path, open_source) -> None:
    engine = await open_source()
    assert (await refused(engine, "SELECT 1 AS one")).code == "source_unavailable"
    make(tmp_path / "shop.db").close()
    assert await rows(engine, "SELECT count(*) AS n FROM customers") == [[5]]


NAMES = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20)


@given(st.lists(NAMES, min_size=1, max_size=4, unique=True), NAMES)
def test_any_names_make_a_structure_with_a_revision_of_its_content(columns, table) -> None:
    body = {
        "tables": [
            {
                "name": table,
                "kind": "table",
                "columns": [{"name": n, "type": "", "nullable": True, "key": 0, "generated": False} for n in columns],
                "primary_key": [],
                "unique": [],
                "foreign_keys": [],
            }
        ]
    }
    structure = structure_of("shop", body)
    assert [column.name for column in structure.by_id[table].columns] == columns
    counted = {"tables": [{**body["tables"][0], "rows": 7}]}
    assert structure_of("shop", counted).revision == structure.revision
