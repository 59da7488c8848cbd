"""run_python over real rows in the real sealed interpreter: results, endings, limits, repeatability."""

from __future__ import annotations

import asyncio
import statistics

import pytest

from runtime.evidence import SourceRef
from runtime.verification import check_figures

from .conftest import desk_over

pytestmark = pytest.mark.asyncio(loop_scope="module")

AMOUNTS = [n * 1.25 for n in range(1, 241)]


async def test_statistics_over_rows_that_the_program_read(desk) -> None:
    result = await desk.call(
        "rows = sql('SELECT amount FROM orders')\n"
        "values = [row['amount'] for row in rows]\n"
        "print(f'median {median(values):.2f}, stdev {stdev(values):.4f}, of {len(values)}')\n"
    )
    assert result.evidence.output == f"median {statistics.median(AMOUNTS):.2f}, " + (
        f"stdev {statistics.stdev(AMOUNTS):.4f}, of 240\n"
    )
    (query,) = result.evidence.queries
    assert (query.row_count, query.error, [column.name for column in query.columns]) == (240, None, ["amount"])
    (source,) = result.evidence.sources
    assert isinstance(source, SourceRef)
    assert (source.object, source.file) == ("orders", "orders.csv")
    assert result.evidence.usage.sql_rows == 240
    assert 0 < result.evidence.usage.fuel < result.evidence.usage.fuel_bound
    assert check_figures("The median is 150.62 [E1].", [result.evidence]).missing == ()


async def test_cells_are_numbers_texts_and_iso_days(desk) -> None:
    data = await desk.data(
        "from datetime import date\n"
        "from decimal import Decimal\n"
        "row = sql('SELECT id, region, amount, day, CAST(amount AS DECIMAL(18,2)) AS exact, NULL AS none, '\n"
        "          'sum(id) OVER () AS total, 0.0/0.0 AS nan FROM orders ORDER BY id')[0]\n"
        "print(row['id'] + 1, row['region'], row['amount'] * 2, date.fromisoformat(row['day']).year)\n"
        "print(row['exact'] + 0, row['none'], row['total'] + 0, row['nan'])\n"
    )
    assert data["output"] == "2 south 2.5 2026\n1.25 None 28920 None\n"


async def test_a_published_table_is_a_result_with_types_and_backs_figures(desk) -> None:
    result = await desk.call(
        "from collections import Counter\n"
        "counts = Counter(row['region'] for row in sql('SELECT region FROM orders'))\n"
        "table(['region', 'n', 'share'], [[k, v, v / 240] for k, v in sorted(counts.items())])\n"
    )
    item = result.evidence
    assert (item.title, item.row_count) == ("3 rows", 3)
    assert [(column.name, column.type) for column in item.columns] == [
        ("region", "VARCHAR"),
        ("n", "BIGINT"),
        ("share", "DOUBLE"),
    ]
    assert item.rows[0] == ("east", 80, 80 / 240)
    assert check_figures("East has 80 orders, 33.3% [E1].", [item]).missing == ()


async def test_the_guard_refuses_inside_what_it_refuses_outside(desk) -> None:
    result = await desk.call(
        "for query in ('DROP TABLE orders', \"SELECT * FROM read_csv('/etc/passwd')\", 'SELECT * FROM people'):\n"
        "    try:\n"
        "        print(sql(query))\n"
        "    except Exception as error:\n"
        "        print(type(error).__name__, error)\n"
    )
    assert not result.is_error, result.text
    assert result.evidence.output.count("SqlError") == 3
    assert "orders" in result.evidence.output  # the near name
    assert {query.error for query in result.evidence.queries} <= {
        "sql_not_allowed",
        "function_not_allowed",
        "sql_unknown_table",
    }


async def test_an_exception_is_a_failed_call_with_its_traceback(desk) -> None:
    result = await desk.call("print(1234)\nrows = sql('SELECT id FROM orders')\nrows[0]['nope']\n")
    error = result.evidence.error
    assert error["code"] == "python_failed"
    assert "KeyError" in error["message"]
    assert "line 3" in error["details"]["traceback"]
    assert result.evidence.output is None
    assert result.evidence.code.startswith("print(1234)")
    assert [query.row_count for query in result.evidence.queries] == [240]
    assert check_figures("It is 1234 [E1].", [result.evidence]).missing == ("1234",)


async def test_a_missing_module_says_what_exists(desk) -> None:
    error = await desk.error("import pandas")
    assert error["code"] == "python_failed"
    assert "sql" in error["message"].lower()


async def test_limits_end_a_program_and_name_the_bound(desk) -> None:
    fuel = await desk.error("while True: pass", limits={"python_fuel": 1_000_000_000})
    assert (fuel["code"], "1 G of fuel" in fuel["message"]) == ("python_limit", True)
    memory = await desk.error("x = [bytearray(10**7) for _ in range(100)]")
    assert memory["code"] in ("python_limit", "python_failed") and "emory" in memory["message"]
    calls = await desk.error(
        "while True:\n    try: sql('SELECT 1 AS one')\n    except Exception: pass\n",
    )
    assert (calls["code"], "25 calls" in calls["message"]) == ("python_limit", True)
    assert (await desk.data("print('still here')"))["output"] == "still here\n"


async def test_more_rows_than_one_query_may_give_are_refused_whole(desk) -> None:
    error = await desk.error("print(len(sql('SELECT a.id FROM orders a, orders b')))")
    assert error["code"] == "python_failed"
    assert "57,600 rows" in error["message"] or "57,600 rows" in error["details"]["traceback"]
    data = await desk.data("print(len(sql('SELECT a.id FROM orders a, orders b LIMIT 10000')))")
    assert data["output"] == "10000\n"


async def test_a_source_that_closes_between_two_queries_ends_the_call(desk) -> None:
    desk.open_for = 2  # stage 3 of the call, and its first query
    error = await desk.error(
        "first = sql('SELECT 1 AS one')\n"
        "try:\n    sql('SELECT 2 AS two')\nexcept Exception:\n    print('caught', len(first))\n"
    )
    assert (error["code"], error["message"]) == ("admission_changed", "Closed now.")


async def test_a_replay_draws_the_same_numbers_and_another_run_others(desk) -> None:
    code = "import random\nprint(random.random(), random.choice(range(10**6)))"
    first, again, other = [await desk.data(code, run_id=run) for run in ("a", "a", "b")]
    assert first["output"] == again["output"] != other["output"]
    assert first["fuel_used"] == again["fuel_used"]


async def test_programs_run_side_by_side_with_their_own_rows(desk) -> None:
    codes = [f"print(sql('SELECT max(id) AS m FROM orders WHERE id <= {n}')[0]['m'])" for n in range(1, 9)]
    found = await asyncio.gather(*(desk.data(code, run_id=f"r{n}") for n, code in enumerate(codes)))
    assert [data["output"] for data in found] == [f"{n}\n" for n in range(1, 9)]


async def test_a_stopped_run_stops_its_program_and_the_next_one_is_clean(desk) -> None:
    began = asyncio.Event()
    desk.on_admission = began.set
    code = "sql('SELECT 1 AS one')\nwhile True: pass"
    task = asyncio.create_task(desk.call(code, limits={"python_fuel": 10**15}))
    await began.wait()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert (await desk.data("print(2)", run_id="r2"))["output"] == "2\n"


async def test_in_process_gives_the_same(tmp_path) -> None:
    code = "print(sum(row['id'] for row in sql('SELECT id FROM orders')))"
    async with desk_over(tmp_path, isolated=False) as desk:
        assert (await desk.data(code))["output"] == "28920\n"
