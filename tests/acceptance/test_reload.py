"""A changed manifest comes into force while the bot serves: at the next call, or not at all."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from bot.service import Running
from runtime.testing.messages_api import Reply

from .test_main_path import texts
from .test_sources import SALES_ONLY, results_of, with_shop

COUNT = ("data_query_sqlite", {"source_id": "shop", "sql": "SELECT count(*) AS n FROM orders"})


async def offered(stage, endpoint, channel: str = "C0SALES") -> set[str]:
    """The tools that a question is offered now."""
    ts = await stage.slack.ask(channel, "U0MIA", "what can you read?")
    await stage.slack.wait_for_answers(channel, ts, 1)
    return {tool["name"] for tool in endpoint.requests[-1]["tools"]}


def without_shop(stage) -> None:
    text = stage.manifest.read_text()
    stage.manifest.write_text(text[: text.index("sources:")])


async def test_a_source_removed_in_the_middle_of_a_run_stops_at_its_next_call(stage, scripted, monkeypatch) -> None:
    with_shop(stage)
    closed = asyncio.Event()
    serving: list[Running] = []

    async def closing() -> None:
        closed.set()
        await close()

    async def script(body: dict[str, Any]) -> Reply:
        done = len(results_of(body))
        if done == 1:
            without_shop(stage)
            await serving[0].reloading.asked()
        assert not closed.is_set()  # an engine outlives the runs that began with it
        return Reply("There are 8 [E1].") if done == 2 else Reply("", [COUNT])

    async with scripted(script) as endpoint, stage.bot() as running:
        serving.append(running)
        shop = running.analyst.opened.databases["shop"]
        close = shop.close
        monkeypatch.setattr(shop, "close", closing)
        ts = await stage.slack.ask("C0SALES", "U0MIA", "how many orders?")
        messages = await stage.slack.wait_for_answers("C0SALES", ts, 2)
        await asyncio.wait_for(closed.wait(), 180)
    first, second = results_of(endpoint.requests[-1])
    assert "admission_changed" not in json.dumps(first) and not first.get("is_error")
    assert "admission_changed" in json.dumps(second)
    assert "1 of 1 figure found in evidence" in texts(messages)
    assert stage.slack.refusals == []


async def test_a_manifest_that_is_refused_changes_nothing_and_the_operators_are_told(stage, scripted) -> None:
    with_shop(stage)
    right = stage.manifest.read_text()
    async with scripted(lambda body: Reply("That is all.")) as endpoint, stage.bot() as running:
        revision = running.analyst.policy.revision
        stage.manifest.write_text(right.replace("audience", "audiense"))
        await running.reloading.asked()
        assert running.analyst.policy.revision == revision
        assert "data_query_sqlite" in await offered(stage, endpoint)
        (told,) = stage.slack.messages(stage.slack.dm("U0ANN"))
    assert "did you mean 'audience'" in told["text"]


async def test_what_stays_as_it_is_stays_open_and_what_changed_is_closed(stage, scripted) -> None:
    with_shop(stage)
    async with scripted(lambda body: Reply("That is all.")) as endpoint, stage.bot() as running:
        shop, files = running.analyst.opened.databases["shop"], running.analyst.workspace
        text = stage.manifest.read_text()
        stage.manifest.write_text(text.replace(SALES_ONLY, "audience: {channels: [C0FIN]}"))
        await running.reloading.asked()
        assert running.analyst.opened.databases["shop"] is shop and running.analyst.workspace is files
        assert "data_query_sqlite" not in await offered(stage, endpoint)
        assert "data_query_sqlite" in await offered(stage, endpoint, "C0FIN")
        stage.manifest.write_text(text.replace("path: ./shop.db", "path: ./shop.db\n    tables: {deny: [payroll]}"))
        await running.reloading.asked()
        assert running.analyst.opened.databases["shop"] is not shop and running.analyst.workspace is files
        assert "data_query_sqlite" in await offered(stage, endpoint)
