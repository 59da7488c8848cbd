"""A change of PostgreSQL rows through the real wire: asked for, shown on a card, approved, done once, and undone."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from bot.local.interactions import interactive
from runtime.testing.messages_api import Reply, messages_endpoint
from tests import postgres_server
from tests.acceptance.conftest import Stage, write_workspace
from tests.patient_slack import patient_slack

CHANNEL, MIA, ANN = "C0SALES", "U0MIA", "U0ANN"
PASSWORD = "only-for-tests"
CHANGE = {
    "source_id": "crm",
    "table": "public.customers",
    "set": [{"column": "tier", "value": "gold"}],
    "where": [{"column": "id", "op": "in", "value": [2, 3, 6]}],  # there is no row 6
}
SOURCE = """
sources:
  - id: crm
    kind: postgresql
    url: ${CRM_READ_URL}
    updates_url: ${CRM_WRITE_URL}
    audience: {channels: [C0SALES]}
    updates:
      - {table: public.customers, columns: [tier], approvers: {users: [U0ANN]}}
"""
SCHEMA = """
CREATE TABLE customers (id int PRIMARY KEY, name text, tier text);
INSERT INTO customers SELECT i, 'Customer ' || i, 'silver' FROM generate_series(1, 5) AS i;
CREATE ROLE reader LOGIN PASSWORD 'only-for-tests';
CREATE ROLE writer LOGIN PASSWORD 'only-for-tests';
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO reader, writer;
GRANT SELECT ON customers TO reader, writer;
GRANT UPDATE (tier) ON customers TO writer;
"""


@dataclass
class Crm:
    """The database, with names of roles that no other test has."""

    owner: str
    suffix: str

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.owner, autocommit=True) as connection:
            cursor = connection.execute(self.named(sql).encode())
            return cursor.fetchall() if cursor.description else []

    def named(self, text: str) -> str:
        return text.replace("reader", f"reader_{self.suffix}").replace("writer", f"writer_{self.suffix}")

    def address(self, role: str) -> str:
        parts = urlsplit(self.owner)
        return urlunsplit(parts._replace(netloc=f"{self.named(role)}:{PASSWORD}@{parts.hostname}:{parts.port}"))

    @property
    def tiers(self) -> list[str]:
        return [row[0] for row in self.run("SELECT tier FROM customers ORDER BY id")]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres_server.server() as address:
        yield address


@pytest.fixture
def crm(server: str) -> Iterator[Crm]:
    with postgres_server.database(server) as owner:
        made = Crm(owner, uuid.uuid4().hex[:8])
        made.run(SCHEMA)
        yield made
        made.run("DROP OWNED BY reader, writer; DROP ROLE reader, writer")


def proposing(body: dict[str, Any]) -> Reply:
    """Loads the tools, previews, proposes exactly that, and says what came of it."""
    last = body["messages"][-1]["content"]
    results = [] if isinstance(last, str) else [part for part in last if part.get("type") == "tool_result"]
    said = json.dumps(results)
    if not results:
        tools = ["data_preview_postgresql_update", "data_update_postgresql"]
        return Reply("", [("toolbox_load", {"tool_names": tools})])
    if "preview_fingerprint" in said:
        text = results[-1]["content"] if isinstance(results[-1]["content"], str) else results[-1]["content"][0]["text"]
        seen = json.loads(text)["data"]
        update = {**CHANGE, "expected_rows": 2, "preview_fingerprint": seen["preview_fingerprint"]}
        return Reply("", [("data_update_postgresql", update)])
    if "affected_rows" in said or '\\"error\\"' in said:
        return Reply("That is what came of it.")
    return Reply("", [("data_preview_postgresql_update", CHANGE)])


@pytest.fixture
async def stage(crm: Crm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Stage]:
    monkeypatch.setenv("CRM_READ_URL", crm.address("reader"))
    monkeypatch.setenv("CRM_WRITE_URL", crm.address("writer"))
    async with patient_slack() as slack, messages_endpoint(proposing) as endpoint:
        yield Stage(slack, tmp_path, write_workspace(tmp_path, extra=SOURCE), endpoint)


def cards(stage: Stage, thread: str) -> list[dict[str, Any]]:
    messages = stage.slack.answers(CHANNEL, thread)
    return [m for m in messages if m.get("blocks") and m["blocks"][0]["type"] == "header"]


def title(card: dict[str, Any]) -> str:
    return card["blocks"][0]["text"]["text"]


def buttons(card: dict[str, Any]) -> set[str]:
    return {str(element.get("action_id")) for _, element in interactive(card["blocks"])}


async def card(stage: Stage, thread: str, number: int, *titles: str) -> dict[str, Any]:
    """The card of this number in the thread, once it has one of these titles."""

    def found() -> dict[str, Any] | None:
        shown = cards(stage, thread)
        return shown[number] if len(shown) > number and title(shown[number]) in titles else None

    return await stage.slack.wait_for(found)


async def says(stage: Stage, thread: str, *parts: str) -> None:
    def found() -> bool | None:
        texts = [json.dumps(message, ensure_ascii=False) for message in stage.slack.answers(CHANNEL, thread)]
        return any(all(part in text for part in parts) for text in texts) or None

    await stage.slack.wait_for(found)


async def test_a_change_is_asked_for_approved_done_once_and_undone(stage: Stage, crm: Crm):
    async with stage.bot() as running:
        thread = await stage.slack.ask(CHANNEL, MIA, "make customers 2 and 3 gold")
        asked = await card(stage, thread, 0, "Approval needed")
        shown = json.dumps(asked, ensure_ascii=False)
        assert "silver → gold" in shown
        assert "Set tier to 'gold' in 2 rows of public.customers (crm)" in shown
        assert crm.tiers == ["silver"] * 5
        await stage.slack.click(ANN, asked["ts"], "approval_approve", channel=CHANNEL)
        done = await card(stage, thread, 0, "Done")
        assert crm.tiers == ["silver", "gold", "gold", "silver", "silver"]
        (effect,) = await running.analyst.state.effects.newest(5)
        assert effect.id in json.dumps(done)
        assert "undo_change" in buttons(done)
        await says(stage, thread, "That is what came of it.")
        await stage.slack.click(MIA, done["ts"], "undo_change", channel=CHANNEL)
        asked = await card(stage, thread, 1, "Approval needed")
        assert "gold → silver" in json.dumps(asked, ensure_ascii=False)
        await stage.slack.click(ANN, asked["ts"], "approval_approve", channel=CHANNEL)
        await card(stage, thread, 1, "Done")
        assert crm.tiers == ["silver"] * 5
        await says(stage, thread, "Undone: 2 rows of public.customers changed.")


async def test_what_changed_since_is_not_undone_and_whoever_pressed_hears_it(stage: Stage, crm: Crm):
    async with stage.bot():
        thread = await stage.slack.ask(CHANNEL, MIA, "make customers 2 and 3 gold")
        asked = await card(stage, thread, 0, "Approval needed")
        await stage.slack.click(ANN, asked["ts"], "approval_approve", channel=CHANNEL)
        done = await card(stage, thread, 0, "Done")
        await says(stage, thread, "That is what came of it.")
        crm.run("UPDATE customers SET name = 'x' WHERE id = 2")
        await stage.slack.click(MIA, done["ts"], "undo_change", channel=CHANNEL)
        await says(stage, thread, "Not undone.", "1 row of the change was changed since")
        assert crm.tiers == ["silver", "gold", "gold", "silver", "silver"]
        assert len(cards(stage, thread)) == 1


DRIFTS = {
    "value": ("UPDATE customers SET name = 'x' WHERE id = 2", "1 row (id 2) changed its value (name)"),
    "version": ("UPDATE customers SET tier = tier WHERE id = 3", "1 row (id 3) was written again with the same values"),
    "phantom": ("INSERT INTO customers VALUES (6, 'New', 'silver')", "1 row (id 6) newly fits the conditions"),
    "deleted": ("DELETE FROM customers WHERE id = 3", "1 row (id 3) was deleted or no longer fits the conditions"),
    "schema": ("ALTER TABLE customers ADD COLUMN more int", "public.customers itself changed"),
}


@pytest.mark.parametrize("drift", DRIFTS)
async def test_drift_while_the_card_stands_is_said_on_it(stage: Stage, crm: Crm, drift: str):
    sql, says_what = DRIFTS[drift]
    async with stage.bot():
        thread = await stage.slack.ask(CHANNEL, MIA, "make customers 2 and 3 gold")
        asked = await card(stage, thread, 0, "Approval needed")
        crm.run(sql)
        await stage.slack.click(ANN, asked["ts"], "approval_approve", channel=CHANNEL)
        ended = await card(stage, thread, 0, "Not run, the data changed")
        assert says_what in json.dumps(ended, ensure_ascii=False)
        await says(stage, thread, "The data changed since the preview, not run.", says_what)
        assert set(crm.tiers) == {"silver"}


async def test_another_policy_while_the_card_stands_is_said_on_it(stage: Stage, crm: Crm):
    async with stage.bot() as running:
        thread = await stage.slack.ask(CHANNEL, MIA, "make customers 2 and 3 gold")
        asked = await card(stage, thread, 0, "Approval needed")
        manifest = stage.manifest.read_text()
        stage.manifest.write_text(manifest.replace("approvers: {users: [U0ANN]}", "approvers: {users: [U0LEO]}"))
        running.reload()
        ended = await card(stage, thread, 0, "Not run, no longer valid")
        assert "The admission policy changed" in json.dumps(ended)
        assert "approval_approve" not in buttons(ended) and ended["ts"] == asked["ts"]
        assert set(crm.tiers) == {"silver"}
