"""data_query_sqlite, make_chart and the model's view through the boundary, over a real file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from runtime.admission import AdmissionByPolicy, Asker, Conversation, Manifest, Policy
from runtime.boundary import Call, CallResult
from runtime.capability import ModelRows, Scope, Services, SourceKind, SourceTerms
from runtime.clock import SystemClock
from runtime.engines.port import ReadEngines
from runtime.engines.sqlite.engine import SqliteEngine
from runtime.evidence import Evidence, Truncation
from runtime.limits import DEFAULT
from runtime.projection import project
from runtime.registry import Registry
from runtime.run import boundary_of
from runtime.testing.wiring import wiring_over

AUDIENCE = {"channels": ["C0SALES"]}
SHOP = {"id": "shop", "kind": "sqlite", "path": "./shop.db", "audience": AUDIENCE}
OTHER = {"id": "other", "kind": "sqlite", "path": "./other.db", "audience": AUDIENCE}


class Place:
    async def look(self, scope: Scope) -> tuple[Conversation, Asker | None]:
        return Conversation("channel", "C0SALES"), Asker("U0ANN")


def policy(*sources: Mapping[str, Any]) -> Policy:
    return Policy.of(Manifest.model_validate({"version": 1, "sources": sources}))


class Bench:
    """A run with one SQLite source; `policy` is the one in force and may change in the middle."""

    def __init__(self, engine: SqliteEngine, model_rows: ModelRows = "full") -> None:
        self.policy = policy(SHOP)
        services = Services(ReadEngines({"shop": engine}, {"shop": engine}))

        async def revision(source: str) -> str:
            return (await engine.structure()).revision

        wiring = wiring_over(services, AdmissionByPolicy(lambda: self.policy, Place(), revision))
        self.scope = Scope(
            "r1",
            "T:C0SALES:1",
            "person",
            "U0ANN",
            "UTC",
            self.policy.revision,
            frozenset({"shop"}),
            terms={"shop": SourceTerms(SourceKind.SQLITE, model_rows)},
        )
        self.evidence: dict[str, Any] = {}
        self.boundary = boundary_of(wiring, self.scope, evidence=self.evidence.get)
        self.made = 0

    async def call(self, tool: str, **arguments: Any) -> CallResult:
        self.made += 1
        call = Call(f"c{self.made}", tool, arguments)
        deadline = SystemClock().monotonic() + 300
        (result,) = await self.boundary.batch([call], first=self.made, loaded=frozenset(), allowed=1, deadline=deadline)
        self.evidence[result.evidence.id] = result.evidence
        return result

    async def query(self, sql: str, *parameters: Any, source: str = "shop") -> CallResult:
        return await self.call("data_query_sqlite", source_id=source, sql=sql, parameters=list(parameters))


@pytest.fixture
async def bench(owner, open_source) -> Bench:
    return Bench(await open_source(columns={"mask": ["customers.email"]}))


def body(result: CallResult) -> dict[str, Any]:
    return json.loads(result.text)


async def test_a_query_gives_rows_evidence_and_its_source(bench) -> None:
    result = await bench.query("SELECT name FROM customers WHERE id = ?", 2)
    assert body(result)["data"]["rows"] == [["name 2"]]
    assert "Values of the placeholders, in order: 2" in body(result)["notes"]
    assert [(s.source, s.object) for s in result.evidence.sources] == [("shop", "customers")]
    assert result.evidence.rows == (("name 2",),)


async def test_many_rows_are_cut_with_their_true_count(bench) -> None:
    result = await bench.query("SELECT id FROM orders ORDER BY id")
    told = body(result)
    assert result.evidence.truncated == Truncation("rows_kept", 1000, 2000)
    assert (told["data"]["row_count"], told["data"]["shown"]) == (2000, DEFAULT.sql_rows_head)
    assert told["truncated"] == {"reason": "rows_kept", "shown": DEFAULT.sql_rows_head, "total": 2000}


async def test_a_source_that_is_not_open_is_not_found_whether_it_exists_or_not(bench) -> None:
    told = [body(await bench.query("SELECT 1 AS one", source=name))["error"] for name in ("secret", "nowhere")]
    assert {error["code"] for error in told} == {"not_found"}
    assert {error["hint"] for error in told} == {"Open here: shop."}
    assert all(error["details"] == {"near": ["shop"]} for error in told)


async def test_too_many_values_are_out_of_range(bench) -> None:
    result = await bench.query("SELECT 1 AS one", *range(DEFAULT.sql_parameters + 1))
    assert body(result)["error"]["code"] == "invalid_arguments"


async def test_a_source_removed_from_the_manifest_stops_at_the_next_call(bench) -> None:
    assert not (await bench.query("SELECT 1 AS one")).is_error
    bench.policy = policy(OTHER)
    assert body(await bench.query("SELECT 2 AS two"))["error"]["code"] == "admission_changed"


async def test_the_tools_are_offered_by_the_kinds_that_are_open(bench) -> None:
    names = set(project(Registry.of(), bench.scope).by_tool)
    assert {"data_query_sqlite", "make_chart"} <= names
    assert not names & {"data_query_postgresql", "run_sql", "list_files"}


async def test_people_see_masked_cells_and_the_model_does_not(bench) -> None:
    result = await bench.query("SELECT name, email FROM customers ORDER BY id")
    assert body(result)["data"]["rows"][0] == ["name 1", "[masked]"]
    assert "email is masked: people see the values, the model does not." in body(result)["notes"]
    assert result.evidence.rows[0] == ("name 1", "mail1@example.com")
    assert "@example.com" not in result.text


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT upper(email) AS e FROM customers",
        "SELECT email || '' AS e FROM customers",
        "SELECT max(email) AS e FROM customers",
        "SELECT * FROM customers",
        "WITH c AS (SELECT email AS e FROM customers) SELECT e FROM c",
        "SELECT (SELECT email FROM customers WHERE id = 1) AS e",
        "SELECT id FROM customers WHERE email LIKE 'mail1%'",
        "SELECT id, email FROM customers ORDER BY email",
        "SELECT json_group_array(email) AS e FROM customers",
    ],
)
async def test_no_way_of_writing_it_shows_the_model_a_masked_value(bench, sql) -> None:
    assert "mail1@" not in (await bench.query(sql)).text.replace(json.dumps(sql), "")


async def test_a_sample_is_thirty_rows_and_none_is_none(owner, open_source) -> None:
    sample = Bench(await open_source(), "sample")
    told = await sample.query("SELECT note FROM orders WHERE id <= 40 ORDER BY id")
    assert "note 30" in told.text and "note 31" not in told.text
    assert len(told.evidence.rows) == 40
    closed = Bench(await open_source(), "none")
    told = await closed.query("SELECT note FROM orders WHERE id <= 40 ORDER BY id")
    assert body(told)["data"]["rows"] == [] and body(told)["data"]["row_count"] == 40
    assert "note" not in told.text.replace('"name":"note"', "").replace('"notes"', "")
    assert len(told.evidence.rows) == 40


async def test_an_error_quotes_no_value_where_none_may_leave(owner, open_source) -> None:
    closed = Bench(await open_source(), "none")
    drawn = await closed.call(
        "make_chart",
        source="shop",
        kind="bar",
        title="t",
        sql="SELECT note, amount FROM orders WHERE id = 9 UNION ALL SELECT note, 1 FROM orders WHERE id = 9",
    )
    assert body(drawn)["error"]["code"] == "chart_refused"
    assert "note 9" not in drawn.text


async def test_a_chart_is_drawn_from_a_source_or_from_its_evidence(bench) -> None:
    sql = "SELECT name, id FROM customers ORDER BY id"
    drawn = await bench.call("make_chart", source="shop", kind="bar", title="Ids", sql=sql)
    assert body(drawn)["data"]["series"] == [{"name": "id", "values": 5, "lowest": 1, "highest": 5}]
    found = await bench.query(sql)
    again = await bench.call("make_chart", source="shop", kind="bar", title="Ids", evidence=found.evidence.id)
    assert again.evidence.chart == drawn.evidence.chart


async def test_a_query_with_values_is_drawn_again_with_the_same_values(bench) -> None:
    found = await bench.query("SELECT name, id FROM customers WHERE id > ? ORDER BY id", 2)
    drawn = await bench.call("make_chart", source="shop", kind="bar", title="Ids", evidence=found.evidence.id)
    assert drawn.evidence.rows == found.evidence.rows != ()
    assert drawn.evidence.parameters == (2,)
    assert "Values of the placeholders, in order: 2" in drawn.evidence.notes
    again = await bench.call("make_chart", source="shop", kind="line", title="Ids", evidence=drawn.evidence.id)
    assert again.evidence.rows == found.evidence.rows
    assert Evidence.from_json(json.loads(json.dumps(again.evidence.as_json()))).parameters == (2,)


async def test_the_model_is_told_no_extremes_of_rows_that_it_may_not_see(owner, open_source) -> None:
    closed = Bench(await open_source(), "none")
    sql = "SELECT name, id * 4711 AS n FROM customers ORDER BY id"
    drawn = await closed.call("make_chart", source="shop", kind="bar", title="t", sql=sql)
    assert not drawn.is_error and drawn.evidence.chart is not None
    assert "4711" not in drawn.text and "23555" not in drawn.text


async def test_a_masked_column_is_not_drawn(bench) -> None:
    drawn = await bench.call(
        "make_chart", source="shop", kind="bar", title="t", sql="SELECT email, id FROM customers ORDER BY id"
    )
    assert body(drawn)["error"]["code"] == "chart_refused"
    assert "@example.com" not in drawn.text
