"""What a PostgreSQL source's terms keep back (masked columns, `model_rows`) is in no request to the model, whichever
tool is asked and whether it works or fails; people see it in the folds. test_sources.py has the same for SQLite and
files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests import postgres_server
from tests.integration.postgresql.conftest import Database, made

from .conftest import write_workspace
from .test_main_path import containers, texts
from .test_sources import SALES_ONLY, SECRET, answers_of, asked, results_of, scripted_calls

PEOPLE = 200
SCHEMA = f"""
CREATE TABLE customers (id int PRIMARY KEY, name text, email text, born date);
CREATE TABLE contacts (id int PRIMARY KEY, customer_id int REFERENCES customers, email text);
CREATE TABLE payroll (id int PRIMARY KEY, salary int);
CREATE VIEW mailing AS SELECT id, lower(email) AS address FROM customers;
INSERT INTO customers SELECT i, 'Name ' || i, '{SECRET}' || i || '@example.com', date '1950-01-01' + i
  FROM generate_series(1, {PEOPLE}) AS i;
INSERT INTO contacts SELECT i, i, '{SECRET}' || i || '@example.com' FROM generate_series(1, 3) AS i;
INSERT INTO payroll VALUES (1, 4242);
CREATE TABLE people (id int PRIMARY KEY, name text);
INSERT INTO people SELECT i, '{SECRET}' || lpad(i::text, 3, '0') FROM generate_series(1, {PEOPLE}) AS i;
CREATE INDEX ON customers (email);
ANALYZE;
"""


def query(sql: str, *parameters: Any) -> tuple[str, dict[str, Any]]:
    return "data_query_postgresql", {"source_id": "crm", "sql": sql, "parameters": list(parameters)}


def chart(sql: str) -> tuple[str, dict[str, Any]]:
    return "make_chart", {"kind": "bar", "title": "t", "source": "crm", "sql": sql}


def program(sql: str) -> tuple[str, dict[str, Any]]:
    return "run_python", {"code": f"print(sql({sql!r}, source='crm'))"}


MASKED = [
    query("SELECT name, email FROM customers ORDER BY id LIMIT 3"),
    query("SELECT * FROM customers ORDER BY id LIMIT 3"),
    query("SELECT c FROM customers AS c LIMIT 3"),
    query("SELECT row_to_json(c) AS j FROM customers AS c LIMIT 3"),
    query("SELECT address FROM mailing LIMIT 3"),
    query("SELECT upper(email) AS u, max(email) AS m FROM customers"),
    query("SELECT CAST(email AS int) AS n FROM customers"),
    query("SELECT k.email AS e FROM contacts AS k JOIN customers AS c ON k.email = c.email"),
    query("SELECT id FROM customers WHERE email = $1", "no such address"),
    query("SELECT emial FROM customers"),
    chart("SELECT email, id FROM customers ORDER BY id LIMIT 3"),
    program("SELECT email FROM customers LIMIT 3"),
    ("catalog_search", {"query": "email"}),
    ("catalog_schema", {"resource_ids": ["crm/public.customers", "crm/public.mailing"]}),
    ("catalog_inspect", {"resource_id": "crm/public.customers.email"}),
]
ROWS = [
    query("SELECT * FROM people ORDER BY id"),
    query("SELECT count(*) AS n FROM people WHERE name = $1", "nobody"),
    query("SELECT string_agg(name, ',') AS n FROM people WHERE id < 3"),
    query("SELECT CAST(name AS int) AS n FROM people"),
    query("SELECT 1 / (id - id) AS n, name FROM people"),
    chart("SELECT name, id FROM people WHERE id < 9 ORDER BY id"),
    chart("SELECT name, id FROM people WHERE id < 3 UNION ALL SELECT name, 1 FROM people WHERE id < 3"),
    program("SELECT name FROM people"),
    ("catalog_schema", {"resource_ids": ["crm/public.people"]}),
    ("catalog_inspect", {"resource_id": "crm/public.people.name"}),
]


@pytest.fixture(scope="module")
def crm() -> Iterator[Database]:
    with postgres_server.server() as address, postgres_server.database(address) as owner:
        database = made(owner, SCHEMA)
        yield database
        database.run("DROP OWNED BY {role}; DROP ROLE {role}")


async def told(stage, scripted, calls, answer: str, rules: str):
    """Makes the calls over the source with these rules: the endpoint, each call's result, and what people see."""
    source = f"sources:\n  - id: crm\n    kind: postgresql\n    url: ${{CRM_READ_URL}}\n    {SALES_ONLY}\n{rules}"
    stage.manifest = write_workspace(stage.folder, extra=source)
    endpoint, messages = await answers_of(stage, scripted, scripted_calls(calls, answer), "who is it?", 2)
    results = results_of(endpoint.requests[-1])
    assert len(results) == len(calls)
    return endpoint, [json.dumps(result, ensure_ascii=False).lower() for result in results], messages


async def test_a_masked_value_of_postgresql_reaches_the_model_by_no_route(stage, scripted, crm, monkeypatch) -> None:
    monkeypatch.setenv("CRM_READ_URL", crm.reader)
    rules = (
        "    columns: {mask: [public.customers.email, public.contacts.email]}\n    tables: {deny: [public.payroll]}\n"
    )
    endpoint, results, messages = await told(stage, scripted, MASKED, "They are listed below [E1].", rules)
    everything = asked(endpoint)
    assert SECRET not in everything.lower()
    assert sum("[masked]" in result for result in results) == 5  # what may be shown was really read
    assert "payroll" not in everything and "salary" not in everything and "4242" not in everything
    assert f"{SECRET}1@example.com" in texts(messages)  # people see it


@pytest.mark.parametrize(("model_rows", "most"), [("none", 0), ("sample", 30)])
async def test_rows_of_postgresql_beyond_the_terms_reach_the_model_by_no_route(
    stage, scripted, crm, monkeypatch, model_rows, most
) -> None:
    monkeypatch.setenv("CRM_READ_URL", crm.reader)
    rules = f"    model_rows: {model_rows}\n"
    _, results, messages = await told(stage, scripted, ROWS, "They are listed below [E1].", rules)
    assert [result.count(SECRET) for result in results if result.count(SECRET) > most] == []
    assert bool(results[0].count(SECRET)) is bool(most)
    assert f'row_count\\":{PEOPLE}' in results[0]
    assert f"{SECRET}001" in json.dumps(containers(messages), ensure_ascii=False)
