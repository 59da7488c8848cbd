"""A PostgreSQL source that leaves the manifest in the middle of a run stops at that run's next call, whichever tool
makes it; test_reload.py has the same for SQLite."""

from __future__ import annotations

import json
from typing import Any

from bot.service import Running
from runtime.testing.messages_api import Reply
from tests import postgres_server
from tests.integration.postgresql.conftest import SCHEMA, made

from .conftest import write_workspace
from .test_main_path import texts
from .test_sources import SALES_ONLY, results_of

COUNT = "SELECT count(*) AS n FROM orders"
FIRST = [("data_query_postgresql", {"source_id": "crm", "sql": COUNT})]
LATER = [
    ("data_query_postgresql", {"source_id": "crm", "sql": f"{COUNT} WHERE id > 0"}),
    ("make_chart", {"kind": "bar", "title": "t", "source": "crm", "sql": "SELECT id, amount FROM orders LIMIT 5"}),
    ("make_chart", {"kind": "bar", "title": "t", "source": "crm", "evidence": "E1"}),
    ("run_python", {"code": f"print(sql({COUNT!r}, source='crm'))"}),
    ("catalog_inspect", {"resource_id": "crm/public.orders"}),
]  # fmt: skip


async def test_a_postgresql_source_removed_in_the_middle_of_a_run_stops_at_its_next_call(
    stage, scripted, monkeypatch
) -> None:
    serving: list[Running] = []

    async def script(body: dict[str, Any]) -> Reply:
        done = len(results_of(body))
        if done == len(FIRST):
            write_workspace(stage.folder)
            await serving[0].reloading.asked()
        return (
            Reply("", FIRST) if not done else Reply("", LATER) if done == len(FIRST) else Reply("There are 240 [E1].")
        )

    with postgres_server.server() as address, postgres_server.database(address) as owner:
        database = made(owner, SCHEMA)
        monkeypatch.setenv("CRM_READ_URL", database.reader)
        crm = f"sources:\n  - id: crm\n    kind: postgresql\n    url: ${{CRM_READ_URL}}\n    {SALES_ONLY}\n"
        stage.manifest = write_workspace(stage.folder, extra=crm)
        async with scripted(script) as endpoint, stage.bot() as running:
            serving.append(running)
            ts = await stage.slack.ask("C0SALES", "U0MIA", "how many orders?")
            messages = await stage.slack.wait_for_answers("C0SALES", ts, 2)
        database.run("DROP OWNED BY {role}; DROP ROLE {role}")
    first, *later = [json.dumps(result) for result in results_of(endpoint.requests[-1])]
    assert "240" in first
    assert len(later) == len(LATER)
    assert [result for result in later if "admission_changed" not in result or "240" in result] == []
    assert "1 of 1 figure found in evidence" in texts(messages)
    assert stage.slack.refusals == []
