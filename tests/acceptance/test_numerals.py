"""The asker's Slack language decides how the figures of evidence are written; files keep the exact values."""

from __future__ import annotations

import json
from dataclasses import replace

from runtime.testing.messages_api import Reply

SQL = "select region, sum(amount) * 1000 as revenue from orders group by region order by region"


def speaks(stage, user: str, locale: str) -> None:
    """Sets a person's language in Slack."""
    people = stage.slack.workspace.world.people
    at = next(at for at, person in enumerate(people) if person.id == user)
    people[at] = replace(people[at], locale=locale)


async def test_evidence_is_written_in_the_askers_numerals_and_the_file_is_not(stage, scripted) -> None:
    speaks(stage, "U0MIA", "de-DE")

    def script(body) -> Reply:
        done = any(part["type"] == "tool_result" for message in body["messages"] for part in message["content"])
        return Reply("The east leads [E1].") if done else Reply("", [("run_sql", {"sql": SQL})])

    async with scripted(script), stage.bot():
        shown = {}
        for user in ("U0MIA", "U0LEO"):
            ts = await stage.slack.ask("C0SALES", user, "revenue by region?")
            messages = await stage.slack.wait_for_answers("C0SALES", ts, 3)
            shown[user] = json.dumps([message.get("blocks") for message in messages], ensure_ascii=False)
            files = [file for message in messages for file in message.get("files") or []]
            stored = stage.slack.workspace.files.get(files[0]["id"])
            assert b"6110000" in stored.content
    assert "6.110.000" in shown["U0MIA"] and "6,110,000" not in shown["U0MIA"]
    assert "6,110,000" in shown["U0LEO"] and "6.110.000" not in shown["U0LEO"]
