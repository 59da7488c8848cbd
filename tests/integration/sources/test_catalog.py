"""The catalog tools over real databases, through the boundary: what is admitted, as it is now, and nothing else."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from runtime.boundary import Boundary, Call
from runtime.capability import AdmissionNow, Closed, Open, Scope, Services, SourceKind, SourceTerms
from runtime.clock import SystemClock
from runtime.engines.port import DatabaseEngine, ReadEngines
from runtime.run import boundary_of
from runtime.testing.wiring import wiring_over
from tests import postgres_server
from tests.integration.postgresql.conftest import Database, made
from tests.integration.sources.conftest import postgresql_engine, sqlite_engine
from tests.integration.sources.twins import FIRST, SECOND, statements

TOOLS = frozenset({"catalog_traverse"})
HIDDEN = ("salaries", "paid", "order_notes", "ssn", "secret", FIRST, "zextra")


class Admission(AdmissionNow):
    """Open, but for the sources that a test closes."""

    def __init__(self) -> None:
        self.closed = set[str]()

    async def source(self, scope: Scope, source_id: str) -> Open | Closed:
        return Closed("Closed now.", "Say so.") if source_id in self.closed else Open("")


class Run:
    """A run over databases by id."""

    def __init__(self, engines: Mapping[str, DatabaseEngine]) -> None:
        kinds = {"sqlite": SourceKind.SQLITE, "postgres": SourceKind.POSTGRESQL}
        terms = {name: SourceTerms(kinds[engine.dialect]) for name, engine in engines.items()}
        services = Services(ReadEngines(engines, engines))
        self.admission = Admission()
        self.scope = Scope("r1", "T:C:1", "person", "U1", "UTC", "p1", frozenset(engines), terms=terms)
        self.wiring = wiring_over(services, self.admission)
        self.texts = list[str]()

    def _boundary(self) -> Boundary:
        return boundary_of(self.wiring, self.scope)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        deadline = SystemClock().monotonic() + 300
        calls = [Call(f"c{len(self.texts)}", tool, arguments)]
        (result,) = await self._boundary().batch(calls, first=1, loaded=TOOLS, allowed=1, deadline=deadline)
        self.texts.append(result.text)
        return json.loads(result.text)


@pytest.fixture
def database(postgres: str):
    with postgres_server.database(postgres) as owner:
        crm = made(owner, ";\n".join(statements(SECOND)))
        yield crm
        crm.run("DROP OWNED BY {role}; DROP ROLE {role}")


@pytest.fixture
async def run(tmp_path: Path, database: Database) -> AsyncIterator[Run]:
    """A run over a SQLite file, `shop`, and a PostgreSQL database, `crm`, of the same tables."""
    async with AsyncExitStack() as stack:
        shop = await stack.enter_async_context(sqlite_engine(tmp_path, FIRST))
        crm = await stack.enter_async_context(postgresql_engine(database, "crm"))
        yield Run({"shop": shop, "crm": crm})


async def test_one_search_over_both_databases(run: Run) -> None:
    answer = (await run.call("catalog_search", query="orders"))["data"]
    assert (answer["match"], answer["candidates"]) == ("ambiguous", ["crm/public.orders", "shop/orders"])
    assert answer["searched"] == ["crm", "shop"]


@pytest.mark.parametrize(("source", "prefix"), [("shop", ""), ("crm", "public.")])
async def test_a_schema_that_sql_can_be_written_from(run: Run, source: str, prefix: str) -> None:
    ids = [f"{source}/{prefix}{name}" for name in ("contacts", "orders", "addresses")]
    answer = await run.call("catalog_schema", resource_ids=ids)
    contacts, orders, addresses = answer["data"]["tables"]
    assert orders["sql"] == f"{prefix}orders"
    assert [column["name"] for column in orders["columns"]] == ["id", "customer_id", "amount", "note"]
    assert [column["name"] for column in contacts["columns"] if column.get("masked")] == ["email"]
    assert all(column["masked"] for column in addresses["columns"])
    assert orders["foreign_keys"][0]["references"] == f"{source}/{prefix}customers"
    (path,) = answer["data"]["join_paths"]
    assert [join["on"] for join in path["joins"]] == [[["customer_id", "id"]], [["id", "customer_id"]]]
    assert any("masked" in note for note in answer["notes"])


@pytest.mark.parametrize(("source", "prefix"), [("shop", ""), ("crm", "public.")])
async def test_ways_and_facets(run: Run, source: str, prefix: str) -> None:
    start, end = f"{source}/{prefix}contacts", f"{source}/{prefix}orders"
    ways = (await run.call("catalog_traverse", from_ids=[start], to_ids=[end]))["data"]
    assert ways["pairs"] == [{"from": start, "to": end, "found": 1, "shortest": 2}]
    facets = (await run.call("catalog_inspect", resource_id=f"{source}/{prefix}contacts"))["data"]
    assert facets["resource"]["read_by"] == [f"{source}/{prefix}addresses"]
    assert [join["right"] for join in facets["relationships"]] == [f"{source}/{prefix}customers"]
    tables = (await run.call("catalog_inspect", resource_id=source))["data"]
    assert tables["tables_total"] == 6


async def test_what_is_not_admitted_is_in_no_answer(run: Run) -> None:
    for source, prefix in (("shop", ""), ("crm", "public.")):
        for name in ("salaries", "paid", "order_notes", "customers.ssn", "orders.secret_note", "salarys"):
            resource = f"{source}/{prefix}{name}"
            for tool, arguments in (
                ("catalog_search", {"query": "pay and the order notes of people"}),
                ("catalog_inspect", {"resource_id": resource}),
                ("catalog_schema", {"resource_ids": [resource, source]}),
                ("catalog_traverse", {"from_ids": [resource], "to_ids": [f"{source}/{prefix}orders"]}),
            ):
                await run.call(tool, **arguments)
                own = json.dumps(arguments)
                assert not [word for word in HIDDEN if word in run.texts[-1] and word not in own], run.texts[-1]


async def test_a_new_table_is_found_at_the_next_call(run: Run, tmp_path: Path) -> None:
    assert (await run.call("catalog_search", query="refunds"))["data"]["match"] == "none"
    with sqlite3.connect(tmp_path / FIRST / "shop.db") as connection:
        connection.execute("CREATE TABLE refunds (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders)")
    connection.close()
    answer = (await run.call("catalog_search", query="refunds"))["data"]
    assert (answer["match"], answer["hits"][0]["id"]) == ("unique", "shop/refunds")


async def test_a_database_that_is_gone_or_closed_fails_no_other(run: Run, tmp_path: Path) -> None:
    (tmp_path / FIRST / "shop.db").unlink()
    answer = (await run.call("catalog_search", query="customers"))["data"]
    assert (answer["searched"], answer["unavailable"][0]["source"]) == (["crm"], "shop")
    assert answer["unavailable"][0]["code"] == "source_unavailable"
    run.admission.closed.add("crm")
    assert (await run.call("catalog_inspect", resource_id="crm"))["error"]["code"] == "admission_changed"
