"""The workspace survives a restart of its server."""

from __future__ import annotations

import json

import pytest

from bot.local import LocalSlack, snapshot
from tests.integration.local.bolt_bots import web_client


async def test_a_snapshot_brings_everything_back(slack, client, clock, tmp_path):
    root = await slack.say("sales", "U0MIA", "root", files={"a.csv": b"x\n1\n"})
    await client.chat_postMessage(
        channel="C0SALES", thread_ts=root, text="answer", metadata={"event_type": "t", "event_payload": {"run": "1"}}
    )
    gone = await client.chat_postMessage(channel="C0SALES", text="gone")
    await client.chat_delete(channel="C0SALES", ts=gone["ts"])
    await client.views_publish(user_id="U0MIA", view={"type": "home", "blocks": []})
    await slack.archive("random")
    path = tmp_path / "workspace.json"
    snapshot.save(slack.workspace, path)

    async with LocalSlack(clock=clock) as again:
        snapshot.load(again.workspace, json.loads(path.read_text()))
        assert again.messages("sales", root) == slack.messages("sales", root)
        assert again.file(again.messages("sales", root)[0]["files"][0]["id"]) == b"x\n1\n"
        assert again.home("U0MIA") == slack.home("U0MIA")
        assert again.bot_token == slack.bot_token
        assert again.workspace.channel("C0OTHER").archived
        assert await again.say("sales", "U0MIA", "later") > gone["ts"]
        async with web_client(again) as fresh:
            await fresh.auth_test()


async def test_another_version_is_refused(slack):
    with pytest.raises(ValueError, match="version 99"):
        snapshot.load(slack.workspace, {"version": 99})
