"""`/footnote sources`, `/footnote why` and App Home: what a place may see, and why not more, for who may know it."""

from __future__ import annotations

import asyncio
import json

from tests import postgres_server
from tests.integration.postgresql.conftest import SCHEMA, made

from .conftest import write_workspace
from .test_sources import SALES_ONLY, footnote, with_shop

HR = "  - {id: hr, kind: sqlite, path: ./shop.db, label: restricted, model_rows: none, audience: {channels: [C0FIN]}}\n"
PAYROLL = "    tables: {deny: [payroll]}\n"


async def told(stage, channel: str, user: str, words: str) -> str:
    """What the command says to this person alone."""
    before = len(stage.slack.ephemerals)
    await stage.slack.command(user, channel, "/footnote", words)
    await stage.slack.wait_for(lambda: len(stage.slack.ephemerals) > before or None)
    return stage.slack.ephemerals[-1]["text"]


async def test_sources_tells_tables_label_revision_and_what_leaves_for_the_model(stage) -> None:
    with_shop(stage, more=PAYROLL, sources=HR)
    async with stage.bot():
        here = await told(stage, "C0SALES", "U0MIA", "sources")
        finance = await told(stage, "C0FIN", "U0MIA", "sources")
        guests = await told(stage, "C0GENERAL", "U0MIA", "sources")
    assert "*shop* — sqlite · internal · 2 tables (customers, orders) · revision " in here
    assert "*workspace* — files · internal · 1 table (orders) · revision " in here
    assert "payroll" not in here and "hr" not in here.split("—")[0]
    assert "*hr* — sqlite · restricted · 3 tables" in finance and "the model sees no rows" in finance
    assert "No data source is open" in guests and "/footnote why" in guests


async def test_why_names_a_closed_source_only_to_those_who_may_know_it(stage) -> None:
    with_shop(stage, sources=HR)
    async with stage.bot():
        mia, ann = [await told(stage, "C0GENERAL", user, "why") for user in ("U0MIA", "U0ANN")]
        shared = await told(stage, "C0PARTNER", "U0XEN", "why")
    assert "A guest can read this channel." in mia
    assert "*shop* is closed here. The data is not open in this channel. It is open to you in a direct message." in mia
    assert "*hr*" not in mia and "operators" in mia
    assert "*hr* is closed here. The data is not open in this channel." in ann and "all declared sources" in ann
    assert "shared" in shared and not any(name in shared for name in ("*shop*", "*hr*", "*workspace*"))


async def test_a_source_that_cannot_be_read_says_so_beside_the_others(stage) -> None:
    with_shop(stage)
    (stage.folder / "shop.db").unlink()
    async with stage.bot():
        here = await told(stage, "C0SALES", "U0MIA", "sources")
    assert "*workspace* — files" in here and "*shop* — sqlite · internal · " in here
    assert "table" not in here.split("*shop*")[1].split("\n")[0]
    assert str(stage.folder) not in here


async def test_app_home_tells_the_same_and_an_operator_what_is_closed(stage) -> None:
    with_shop(stage, more=PAYROLL, sources=HR)
    async with stage.bot():
        for user in ("U0MIA", "U0ANN"):
            await stage.slack.open_home(user)
        mia, ann = [
            json.dumps(await stage.slack.wait_for(lambda user=user: stage.slack.home(user)), ensure_ascii=False)
            for user in ("U0MIA", "U0ANN")
        ]
    assert "*shop* — sqlite · internal · 2 tables (customers, orders)" in mia and "*hr*" not in mia
    assert "*hr* is closed here. The data is not open in direct messages." in ann
    assert stage.slack.refusals == []


LIE = """
CREATE FUNCTION peek() RETURNS int IMMUTABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT max(amount) FROM salaries';
CREATE VIEW sly AS SELECT id, peek() AS p FROM orders; GRANT SELECT ON sly TO {role}
"""


async def test_a_view_that_may_read_anything_is_not_open_and_check_and_sources_say_why(stage, monkeypatch) -> None:
    with postgres_server.server() as address, postgres_server.database(address) as owner:
        database = made(owner, SCHEMA)
        database.run(LIE)
        monkeypatch.setenv("CRM_READ_URL", database.reader)
        crm = f"sources:\n  - id: crm\n    kind: postgresql\n    url: ${{CRM_READ_URL}}\n    {SALES_ONLY}\n"
        stage.manifest = write_workspace(stage.folder, extra=crm)
        done = await asyncio.to_thread(footnote, stage, "check", CRM_READ_URL=database.reader)
        async with stage.bot():
            here = await told(stage, "C0SALES", "U0MIA", "sources")
            why = await told(stage, "C0SALES", "U0MIA", "why")
            asked = await told(stage, "C0SALES", "U0MIA", "sql crm SELECT p FROM sly")
        database.run("DROP OWNED BY {role}; DROP ROLE {role}")
    assert "the view public.sly is not open, as it calls public.peek(): that may read anything" in done.stdout
    said = "Not open: public.sly, as what it calls may read anything"
    assert said in here and "5 tables" in here and said in why and "peek" not in here + why
    assert "4242" not in asked and "did not run" in asked


async def test_schema_takes_a_table_as_it_is_written_with_its_source(stage) -> None:
    with_shop(stage, more=PAYROLL)
    async with stage.bot():
        for typed in ("shop/customers", "Shop/Customers", "shop.customers"):
            assert "• email TEXT" in await told(stage, "C0SALES", "U0MIA", f"schema {typed}")
        assert "(workspace)" in await told(stage, "C0SALES", "U0MIA", "schema workspace/orders")
        assert "No table shop/payroll is open here" in await told(stage, "C0SALES", "U0MIA", "schema shop/payroll")
