"""Questions answered from databases: over the real wire, with folds that show the SQL and the tables it read, and with
nothing in the model's requests that a source's terms keep back."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from typing import Any

import pytest

from runtime.testing.messages_api import Reply
from tests import postgres_server

from .conftest import ORDERS, ROOT, write_workspace
from .test_main_path import containers, texts

SECRET = "zq"  # begins every value that may not leave
SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, email TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers, amount REAL);
CREATE TABLE payroll (id INTEGER PRIMARY KEY, salary INTEGER);
INSERT INTO customers SELECT value, 'Customer ' || value, 'zq' || value || '@example.com' FROM json_each('[1,2,3]');
INSERT INTO orders SELECT value, value % 3 + 1, value * 10.5 FROM json_each('[1,2,3,4,5,6,7,8]');
INSERT INTO payroll VALUES (1, 4242);
"""
SALES_ONLY = "audience: {channels: [C0SALES], im: true}"
EVERY_ROUTE: list[tuple[str, dict[str, Any]]] = [
    ("data_query_sqlite", {"source_id": "shop", "sql": "SELECT name, email FROM customers"}),
    ("data_query_sqlite", {"source_id": "shop", "sql": "SELECT * FROM customers"}),
    ("data_query_sqlite", {"source_id": "shop", "sql": "SELECT upper(email) AS u, max(email) AS m FROM customers"}),
    ("data_query_sqlite", {"source_id": "shop", "sql": "SELECT email + 1 AS n FROM customers GROUP BY email"}),
    ("data_query_sqlite", {"source_id": "shop", "sql": "SELECT emial FROM customers"}),
    ("make_chart", {"kind": "bar", "title": "t", "source": "shop", "sql": "SELECT email, id FROM customers"}),
    ("run_python", {"code": "print(sql('SELECT email FROM customers', source='shop'))"}),
    ("catalog_search", {"query": "email"}),
    ("catalog_schema", {"resource_ids": ["shop/customers"]}),
    ("catalog_inspect", {"resource_id": "shop/customers.email"}),
]
FILES_ROUTE: list[tuple[str, dict[str, Any]]] = [
    ("list_files", {}),
    ("inspect_table", {"name": "people", "rows": 50}),
    ("run_sql", {"sql": "SELECT * FROM people"}),
    ("run_sql", {"sql": "SELECT count(*) AS n FROM people WHERE name = 'Zq0'"}),
    ("run_sql", {"sql": "SELECT CAST(name AS INTEGER) AS n FROM people"}),
    ("run_sql", {"sql": "PIVOT people ON name USING count(*) GROUP BY born"}),
    ("run_sql", {"sql": "SELECT * FROM (PIVOT people ON name USING count(*))"}),
    ("make_chart", {"kind": "bar", "title": "t", "sql": "PIVOT people ON name USING count(*) GROUP BY born"}),
    ("make_chart", {"kind": "bar", "title": "t", "sql": "SELECT name, count(*) AS n FROM people GROUP BY name"}),
    ("make_chart", {"kind": "bar", "title": "t", "sql": "SELECT 'a' || min(name), name FROM people GROUP BY name"}),
    ("run_python", {"code": "print(sql('SELECT name FROM people'))"}),
    ("file_read", {"path": "people.csv"}),
    ("read_file", {"name": "people.csv"}),
    ("file_search", {"query": "zq", "mode": "content"}),
    ("grep_files", {"pattern": "zq"}),
]


def results_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for message in body["messages"] for block in message["content"] if block["type"] == "tool_result"]


def scripted_calls(calls: list[tuple[str, dict[str, Any]]], answer: str):
    """Makes the calls of one step, then answers."""
    return lambda body: Reply(answer) if results_of(body) else Reply("", calls)


def with_shop(stage, *, more: str = "", sources: str = "", files: dict[str, str] | None = None) -> None:
    """A SQLite source `shop` beside the workspace; `more` are further lines of its part of the manifest."""
    connection = sqlite3.connect(stage.folder / "shop.db")
    connection.executescript(SHOP)
    connection.close()
    shop = f"  - id: shop\n    kind: sqlite\n    path: ./shop.db\n    {SALES_ONLY}\n{more}"
    stage.manifest = write_workspace(stage.folder, files, extra=f"sources:\n{shop}{sources}")


async def answers_of(stage, scripted, script, question: str, count: int, channel: str = "C0SALES"):
    async with scripted(script) as endpoint, stage.bot():
        ts = await stage.slack.ask(channel, "U0MIA", question)
        messages = await stage.slack.wait_for_answers(channel, ts, count)
    assert stage.slack.refusals == []
    return endpoint, messages


def asked(endpoint) -> str:
    """Every word that the model's endpoint was sent, but for the calls that it made itself."""
    sent: list[Any] = []
    for body in endpoint.requests:
        for message in body["messages"]:
            sent += [block for block in message["content"] if block["type"] != "tool_use"]
        sent += [body.get("system"), body.get("tools")]
    return json.dumps(sent, ensure_ascii=False)


async def test_a_question_is_answered_from_a_sqlite_source(stage, scripted) -> None:
    with_shop(stage)
    sql = (
        "SELECT c.name, sum(o.amount) AS spent FROM orders o JOIN customers c ON c.id = o.customer_id"
        " GROUP BY c.name ORDER BY spent DESC"
    )
    script = scripted_calls([("data_query_sqlite", {"source_id": "shop", "sql": sql})], "The most is 157.5 [E1].")
    endpoint, messages = await answers_of(stage, scripted, script, "who spent most?", 2)
    assert "data_query_sqlite" in [tool["name"] for tool in endpoint.requests[0]["tools"]]
    assert "Open here: shop (sqlite), workspace." in asked(endpoint)
    assert "1 of 1 figure found in evidence" in texts(messages)
    (fold,) = containers(messages)
    shown = json.dumps(fold, ensure_ascii=False)
    assert fold["title"]["text"].startswith("E1 · data_query_sqlite")
    assert "JOIN customers" in shown and "customers" in shown and "orders" in shown and "157.5" in shown


async def test_a_question_is_answered_from_sqlite_and_postgresql_together(stage, scripted) -> None:
    from tests.integration.postgresql.conftest import SCHEMA, made

    with postgres_server.server() as address, postgres_server.database(address) as owner:
        database = made(owner, SCHEMA)
        crm = (
            f"  - id: crm\n    kind: postgresql\n    url: ${{CRM_READ_URL}}\n    {SALES_ONLY}\n"
            "    tables: {deny: [public.salaries]}\n"
        )
        with_shop(stage, sources=crm)
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("CRM_READ_URL", database.reader)
            calls = [
                ("data_query_sqlite", {"source_id": "shop", "sql": "SELECT count(*) AS n FROM orders"}),
                (
                    "data_query_postgresql",
                    {
                        "source_id": "crm",
                        "sql": "SELECT count(*) AS n FROM customers WHERE region = $1",
                        "parameters": ["North"],
                    },
                ),
                ("data_query_postgresql", {"source_id": "crm", "sql": "SELECT * FROM salaries"}),
            ]
            answer = "The shop has 8 orders [E1]; the CRM has 10 customers in the north [E2]."
            endpoint, messages = await answers_of(stage, scripted, scripted_calls(calls, answer), "how many?", 2)
        database.run("DROP OWNED BY {role}; DROP ROLE {role}")
    assert "2 of 2 figures found in evidence" in texts(messages)
    shown = json.dumps(containers(messages), ensure_ascii=False)
    assert "public.customers" in shown and "orders" in shown
    assert "4242" not in asked(endpoint)


async def test_a_masked_value_reaches_the_model_by_no_route(stage, scripted) -> None:
    rules = "    columns: {mask: [customers.email]}\n    tables: {deny: [payroll]}\n"
    with_shop(stage, more=rules)
    script = scripted_calls(EVERY_ROUTE, "The addresses are listed below [E1].")
    endpoint, messages = await answers_of(stage, scripted, script, "what are the addresses?", 2)
    told = asked(endpoint)
    assert len(results_of(endpoint.requests[-1])) == len(EVERY_ROUTE)
    assert SECRET not in told.lower()
    assert "[masked]" in told
    assert "payroll" not in told and "salary" not in told and "4242" not in told
    assert "zq1@example.com" in texts(messages)  # people see it


@pytest.mark.parametrize("model_rows", ["none", "sample"])
async def test_rows_beyond_the_terms_reach_the_model_by_no_route(stage, scripted, model_rows) -> None:
    people = "name,born\n" + "".join(f"zq{n:03d},19{n % 90 + 10}-01-01\n" for n in range(200))
    stage.manifest = write_workspace(stage.folder, {"people.csv": people, "orders.csv": ORDERS})
    text = stage.manifest.read_text().replace("root: ./data,", f"root: ./data, model_rows: {model_rows},")
    stage.manifest.write_text(text)
    script = scripted_calls(FILES_ROUTE, "They are listed below [E3].")
    endpoint, messages = await answers_of(stage, scripted, script, "who is in the list?", 2)
    assert len(results_of(endpoint.requests[-1])) == len(FILES_ROUTE)
    for result in results_of(endpoint.requests[-1]):
        seen = json.dumps(result, ensure_ascii=False).lower().replace("zq0'", "")
        assert seen.count(SECRET) <= (0 if model_rows == "none" else 2 * 30)
    assert "zq001" in texts(messages)


async def test_the_same_person_sees_four_tool_sets_in_four_kinds_of_channel(stage, scripted, monkeypatch) -> None:
    monkeypatch.setenv("CRM_READ_URL", "postgresql://nobody@127.0.0.1:1/none")
    crm = "  - {id: crm, kind: postgresql, url: '${CRM_READ_URL}', audience: {channels: [C0FIN]}}\n"
    with_shop(stage, sources=crm)
    shared = "audience: {channels: [C0SALES, C0PARTNER], external: true}"
    stage.manifest.write_text(stage.manifest.read_text().replace(SALES_ONLY, shared))
    offered: dict[str, set[str]] = {}
    async with scripted(lambda body: Reply("Nothing to say.")) as endpoint, stage.bot():
        for channel in ("C0SALES", "C0FIN", "C0PARTNER", "C0GENERAL"):
            ts = await stage.slack.ask(channel, "U0MIA", "what can you read?")
            await stage.slack.wait_for_answers(channel, ts, 1)
            offered[channel] = {tool["name"] for tool in endpoint.requests[-1]["tools"]}
    telling = {"run_sql", "data_query_sqlite", "data_query_postgresql"}
    assert {channel: names & telling for channel, names in offered.items()} == {
        "C0SALES": {"run_sql", "data_query_sqlite"},
        "C0FIN": {"run_sql", "data_query_postgresql"},  # declared, and offered while its database is down
        "C0PARTNER": {"data_query_sqlite"},  # shared with another organisation: only what is listed for it
        "C0GENERAL": set(),  # a guest reads along
    }


async def test_a_file_that_is_missing_stops_neither_the_start_nor_other_sources(stage, scripted) -> None:
    with_shop(stage)
    os.remove(stage.folder / "shop.db")
    calls = [
        ("data_query_sqlite", {"source_id": "shop", "sql": "SELECT 1 AS one"}),
        ("run_sql", {"sql": "SELECT count(*) AS n FROM orders"}),
        ("run_python", {"code": "print(sql('SELECT count(*) AS n FROM orders', source='workspace'))"}),
    ]
    endpoint, messages = await answers_of(stage, scripted, scripted_calls(calls, "There are 60 [E2]."), "how many?", 2)
    down, *others = results_of(endpoint.requests[-1])
    assert "source_unavailable" in json.dumps(down) and str(stage.folder) not in json.dumps(down)
    assert not any(result.get("is_error") for result in others)
    assert "1 of 1 figure found in evidence" in texts(messages)


async def test_slash_commands_reach_the_source(stage) -> None:
    with_shop(stage, more="    tables: {deny: [payroll]}\n")
    async with stage.bot():
        said: dict[str, str] = {}
        for text in (
            "sql shop SELECT count(*) AS n FROM orders",
            "sql shop SELECT * FROM payroll",
            "sql crm SELECT 1",
            "sql SELECT count(*) FROM customers",
            "schema shop",
            "schema customers",
            "schema payroll",
        ):
            before = len(stage.slack.ephemerals)
            await stage.slack.command("U0MIA", "C0SALES", "/footnote", text)
            await stage.slack.wait_for(lambda before=before: len(stage.slack.ephemerals) > before or None)
            said[text] = texts(stage.slack.ephemerals[before:])
    assert '"8"' in said["sql shop SELECT count(*) AS n FROM orders"]
    assert "4242" not in json.dumps(said)
    assert "No source 'crm' is open here" in said["sql crm SELECT 1"]
    assert "email TEXT" in said["schema customers"] and "(shop)" in said["schema customers"]
    assert "No table payroll is open here" in said["schema payroll"]
    assert "name it first, as in `sql shop …`" in said["sql SELECT count(*) FROM customers"]
    assert "customers (shop)" in said["schema shop"] and "payroll" not in said["schema shop"]


async def test_what_is_kept_from_models_is_not_kept_from_a_person_who_asks_without_one(stage) -> None:
    with_shop(stage, more="    model_rows: none\n")
    async with stage.bot():
        said = ""
        for query in ("SELECT name FROM customers", "SELECT sum(count(*)) FROM orders"):
            before = len(stage.slack.ephemerals)
            await stage.slack.command("U0MIA", "C0SALES", "/footnote", f"sql shop {query}")
            await stage.slack.wait_for(lambda before=before: len(stage.slack.ephemerals) > before or None)
            said += texts(stage.slack.ephemerals[before:])
    assert "Customer 1" in said and "misuse of aggregate" in said
    assert "Aggregate in a subquery first" in said and "not sent to the model" not in said


def footnote(stage, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The command line over the stage's manifest."""
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "bot", *words],
        cwd=ROOT,
        env={**keep, **stage.environment(), **more},
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )


def test_check_says_of_each_source_how_it_stands(stage) -> None:
    missing = f"  - {{id: lost, kind: sqlite, path: ./lost.db, {SALES_ONLY}}}\n"
    crm = f"  - {{id: crm, kind: postgresql, url: '${{CRM_READ_URL}}', {SALES_ONLY}}}\n"
    with_shop(stage, more="    tables: {deny: [payroll]}\n", sources=missing + crm)
    done = footnote(stage, "check", CRM_READ_URL="postgresql://nobody@127.0.0.1:1/none")
    lines = {line.split()[1]: line for line in done.stdout.splitlines() if len(line.split()) > 1}
    assert lines["shop"].startswith("ok") and "2 tables and views are open" in lines["shop"]
    assert lines["lost"].startswith("fail") and "cannot be opened" in lines["lost"]
    assert lines["crm"].startswith("fail") and "cannot be reached" in lines["crm"]
    assert done.returncode == 1


def test_check_prints_the_script_that_mends_a_role_with_too_many_rights(stage) -> None:
    with postgres_server.server() as address, postgres_server.database(address) as owner:
        crm = f"  - {{id: crm, kind: postgresql, url: '${{CRM_READ_URL}}', {SALES_ONLY}}}\n"
        with_shop(stage, sources=crm)
        done = footnote(stage, "check", CRM_READ_URL=owner)
    assert "may do more than read" in done.stdout
    assert "CREATE ROLE" in done.stdout or "REVOKE" in done.stdout or "ALTER ROLE" in done.stdout
    assert done.returncode == 1


def test_the_command_line_takes_a_source(stage) -> None:
    with_shop(stage, more="    columns: {mask: [customers.email]}\n")
    done = footnote(stage, "sql", "shop", "SELECT id, email FROM customers ORDER BY id LIMIT 1")
    assert (done.stdout, done.returncode) == ("id\temail\n1\tzq1@example.com\n", 0)
    wrong = footnote(stage, "sql", "crm", "SELECT 1")
    assert wrong.returncode == 2 and "No source 'crm' is open here. Open here: shop, workspace." in wrong.stderr
