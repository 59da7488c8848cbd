"""make_chart over a real folder: what is drawn, from which rows, and everything that is refused."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from runtime.capability import Output
from runtime.charts import Chart
from runtime.errors import CallError
from runtime.evidence import Evidence, SourceRef, Truncation
from runtime.toolboxes.files.make_chart import CAPABILITY, MakeChart

from .conftest import Desk, context

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = {"orders.csv": "id,region,amount\n" + "".join(f"{i},r{i % 40},{i}\n" for i in range(1, 1_201))}
SQL = "SELECT region, sum(amount) AS total FROM orders GROUP BY region ORDER BY region"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("charts"))
    await desk.open(FILES)
    yield desk
    await desk.close()


async def draw(desk: Desk, sql: str = SQL, kind: str = "bar", **more) -> Output:
    return await desk.call(CAPABILITY, kind=kind, title="A title", sql=sql, **more)


async def refusal(desk: Desk, sql: str, kind: str = "bar") -> CallError:
    with pytest.raises(CallError) as caught:
        await draw(desk, sql, kind)
    assert caught.value.code == "chart_refused"
    assert caught.value.hint
    return caught.value


async def test_a_chart_holds_the_rows_of_its_query_and_backs_them_as_evidence(desk: Desk):
    output = await draw(desk, unit=" EUR ")
    chart = Chart.from_json(output.chart)
    assert chart.labels == tuple(row[0] for row in output.rows)
    assert chart.series[0].values == tuple(row[1] for row in output.rows)
    assert (chart.unit, chart.additive, output.row_count) == ("EUR", True, 40)
    assert output.sources[0].object == "orders"
    assert output.data["series"] == [{"name": "total", "values": 40, "lowest": min(chart.series[0].values),
                                      "highest": max(chart.series[0].values)}]  # fmt: skip
    assert Chart.from_json(json.loads(json.dumps(output.chart))) == chart


@pytest.mark.parametrize(
    ("figure", "additive"),
    [("sum(amount)", True), ("count(*)", True), ("avg(amount)", False), ("count(DISTINCT id)", False)],
)
async def test_only_sums_and_counts_may_be_added_up_as_others(desk: Desk, figure, additive):
    output = await draw(desk, f"SELECT region, {figure} AS f FROM orders GROUP BY region")
    assert output.chart["additive"] is additive


@pytest.mark.parametrize(
    ("sql", "kind", "said"),
    [
        ("SELECT id, amount FROM orders", "line", "more than 1,000 rows"),
        ("SELECT region, amount FROM orders WHERE id IN (1, 41)", "bar", "more than once"),
        ("SELECT 'a' AS x, 'b' AS s, 1 AS n UNION ALL SELECT 'a', 'b', 2", "bar", "a / b"),
        ("SELECT 'a' AS x, 'nan'::DOUBLE AS n", "bar", "not finite"),
        ("SELECT 'a' AS x, '-inf'::DOUBLE AS n", "line", "not finite"),
        ("SELECT 'a' AS x, 1e200 AS n", "bar", "too large"),
        ("SELECT 'a' AS x, NULL::DOUBLE AS n", "bar", "NULL"),
        ("SELECT id, amount FROM orders WHERE id < 0", "bar", "no rows"),
        ("SELECT id FROM orders LIMIT 3", "bar", "One column"),
        ("SELECT 'a' AS x, 'b' AS y", "bar", "not numeric"),
        ("SELECT 'a' AS x, 1 AS a, 2 AS b, 3 AS c, 4 AS d, 5 AS e, 6 AS f", "bar", "6 series"),
        ("SELECT 'a' AS x, 's' || id AS s, 1 AS n FROM orders LIMIT 6", "line", "at most 5 series"),
        ("SELECT region, amount FROM orders LIMIT 3", "scatter", "numeric columns only"),
        ("SELECT region, amount FROM orders LIMIT 3", "histogram", "exactly one numeric"),
        ("SELECT 'a' AS x, 1 AS n", "stacked_bar", "two series"),
    ],
)
async def test_what_cannot_be_drawn_right_is_refused_with_a_way_out(desk: Desk, sql, kind, said):
    assert said in (await refusal(desk, sql, kind)).message


async def test_a_nearly_flat_series_is_said_in_words(desk: Desk):
    output = await draw(desk, "SELECT 'm' || id AS m, 100 + id / 10 AS price FROM orders WHERE id < 6", "line")
    assert "price is nearly flat: 100.1 to 100.5" in output.data["said"][0]
    assert output.data["said"][0] in output.notes


async def test_markup_stays_text_and_data_only_comes_out(desk: Desk):
    output = await draw(desk, "SELECT '<svg onload=x>' AS x, 1 AS n")
    assert output.chart["labels"] == ("<svg onload=x>",)
    assert set(output.chart) == set(Chart.__dataclass_fields__)


ITEM = Evidence("E1", "c", "run_sql", "t", "ok", sql=SQL, sources=(SourceRef("workspace", "orders"),))


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (None, "no earlier result"),
        (replace(ITEM, status="error"), "failed call"),
        (replace(ITEM, tool="file_query"), "no result of a query tool"),
        (replace(ITEM, sql=None), "no result of a query tool"),
        (replace(ITEM, sources=(SourceRef("shop", "orders"),)), "was read from shop"),
        (replace(ITEM, truncated=Truncation("rows_kept", 30)), "not whole"),
    ],
)
async def test_evidence_that_cannot_be_drawn_is_refused(desk: Desk, item, said):
    known = replace(context(*desk.opened), evidence=lambda _: item)
    with pytest.raises(CallError) as caught:
        await CAPABILITY.execute(MakeChart(kind="bar", title="t", evidence="E1"), known)
    assert said in caught.value.message and ("sql" in caught.value.hint or "source" in caught.value.hint)


async def test_the_sql_of_earlier_evidence_is_run_again(desk: Desk):
    known = replace(context(*desk.opened), evidence=lambda _: ITEM)
    output = await CAPABILITY.execute(MakeChart(kind="bar", title="t", evidence="E1"), known)
    assert output.rows == (await draw(desk)).rows


async def test_another_source_is_not_found(desk: Desk):
    with pytest.raises(CallError) as caught:
        await draw(desk, source="shop")
    assert caught.value.code == "not_found"
