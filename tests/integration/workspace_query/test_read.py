"""Reading: what comes back, where it came from, what is cut, and what an error teaches."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from runtime.errors import CallError
from runtime.evidence import Column, Truncation

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def refused(workspace, sql: str, **more) -> CallError:
    with pytest.raises(CallError) as caught:
        await workspace.read(sql, seconds=more.pop("seconds", 10), rows_kept=more.pop("rows_kept", 100))
    return caught.value


async def test_rows_come_with_types_and_the_files_they_came_from(shop):
    result = await shop.read(
        "SELECT o.region, count(*) AS n FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1 ORDER BY 1",
        seconds=10,
        rows_kept=100,
    )
    assert result.columns == (Column("region", "VARCHAR"), Column("n", "BIGINT"))
    assert result.rows == (("North", 80), ("east", 80), ("south", 80))
    assert (result.row_count, result.truncated) == (3, None)
    catalog = await shop.catalog()
    assert {(ref.source, ref.object, ref.file) for ref in result.sources} == {
        ("workspace", "orders", "orders.csv"),
        ("workspace", "customers", "people/customers.csv"),
    }
    assert {ref.revision for ref in result.sources} == {table.revision for table in catalog.tables}


async def test_a_cte_that_shares_a_table_name_is_no_source(shop):
    result = await shop.read("WITH orders AS (SELECT 1 AS id) SELECT orders.id FROM orders", seconds=10, rows_kept=10)
    assert (result.rows, result.sources) == (((1,),), ())


async def test_more_rows_than_kept_are_counted_truly(shop):
    result = await shop.read("SELECT id FROM orders ORDER BY id", seconds=10, rows_kept=100)
    assert [row[0] for row in result.rows] == list(range(1, 101))
    assert result.row_count == 240
    assert result.truncated == Truncation("rows_kept", 100, 240)


async def test_a_count_that_cannot_end_in_time_stays_unknown(shop):
    endless = "SELECT range + 1 AS i FROM range(9000000000000000000)"
    result = await shop.read(endless, seconds=4.0, rows_kept=10)
    assert len(result.rows) == 10
    assert result.truncated == Truncation("rows_kept", 10, None)
    assert result.row_count == 10


async def test_values_that_json_lacks_travel_as_text(shop):
    result = await shop.read(
        "SELECT 9007199254740993 AS big, CAST('nan' AS DOUBLE) AS odd, INTERVAL 14 MONTH AS span, "
        "CAST(1.10 AS DECIMAL(30, 20)) AS exact, DATE '2024-02-29' AS day, id AS id FROM orders LIMIT 1",
        seconds=10,
        rows_kept=10,
    )
    assert result.rows[0][:3] == ("9007199254740993", "nan", "1 year 2 months")
    assert result.rows[0][3:5] == (1.1, "2024-02-29")
    assert [column.type for column in result.columns] == [
        "BIGINT", "DOUBLE", "INTERVAL", "DECIMAL(30,20)", "DATE", "BIGINT",
    ]  # fmt: skip


async def test_long_cells_are_cut_and_said(shop):
    result = await shop.read("SELECT repeat('é', 5000) AS t, [id] AS l FROM orders LIMIT 2", seconds=10, rows_kept=9)
    assert [len(row[0]) for row in result.rows] == [2000, 2000]
    assert all(row[0].endswith("…") and row[1] == [place + 1] for place, row in enumerate(result.rows))
    assert any("2 cells" in note and "2,000" in note for note in result.notes)


async def test_a_result_too_heavy_to_keep_is_cut_by_rows(shop):
    wide = ", ".join(f"repeat('x', 1900) AS c{i}" for i in range(60))
    result = await shop.read(f"SELECT {wide} FROM orders", seconds=15, rows_kept=1000)
    assert 0 < len(result.rows) < 240
    assert result.truncated == Truncation("rows_kept", len(result.rows), 240)


async def test_a_wrong_column_teaches_the_right_ones(shop):
    error = await refused(shop, "SELECT sum(amonut) FROM orders")
    assert error.code == "sql_unknown_column"
    assert "amount" in error.hint
    assert "amount" in str(error.details)


async def test_a_wrong_table_teaches_near_ones(shop):
    error = await refused(shop, "SELECT count(*) FROM ordrs")
    assert error.code == "sql_unknown_table"
    assert "orders" in error.hint


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELEC 1", "sql_syntax"),
        ("DELETE FROM orders", "sql_not_allowed"),
        ("SELECT * FROM read_csv('/etc/passwd')", "function_not_allowed"),
        ("SELECT 1; SELECT 2", "sql_not_allowed"),
    ],
)
async def test_what_is_no_single_read_is_refused(shop, sql, code):
    assert (await refused(shop, sql)).code in (code, "sql_not_allowed", "sql_syntax")


async def test_engine_errors_are_passed_on_without_our_paths(shop, tmp_path: Path):
    error = await refused(shop, "SELECT CAST(region AS INTEGER) FROM orders ORDER BY id")
    assert error.code == "sql_failed"
    assert "INT32" in error.message
    assert str(tmp_path) not in error.message + error.hint + str(error.details)


async def test_twenty_reads_at_once(shop):
    results = await asyncio.gather(
        *(shop.read(f"SELECT count(*) + {i} FROM orders", seconds=10, rows_kept=1) for i in range(20))
    )
    assert [result.rows[0][0] for result in results] == [240 + i for i in range(20)]


async def test_near_values_of_text_dates_and_numbers(shop):
    assert (await shop.near_values("orders", "region", "NORHT"))[0] == "North"
    assert await shop.near_values("orders", "region", "zzzz") == []
    assert (await shop.near_values("orders", "day", "2024-02-01"))[0] == "2024-01-28"
    assert (await shop.near_values("orders", "id", "999"))[0] == 240
    assert await shop.near_values("orders", "id", "many") == []
