"""A question that its author deletes is answered to nobody: its run ends, with its request and its status line."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from runtime.testing.messages_api import Reply
from tests.acceptance.conftest import ended

SAID = "zebra"  # what only the deleted question says


class Hanging:
    """A model that never comes back to the question that is deleted, and answers every other."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    def __call__(self, body: dict[str, Any]) -> Reply:
        if SAID in json.dumps(body["messages"][-1]):
            self.begun.set()
            return Reply("Never said.", fault="hang")
        return Reply("Done.")


async def test_the_run_of_a_deleted_question_ends_without_a_word(stage, scripted) -> None:
    model = Hanging()
    async with scripted(model), stage.bot() as running:
        ts = await stage.slack.ask("C0SALES", "U0MIA", f"count the {SAID}s")
        await model.begun.wait()
        await stage.slack.wait_for(lambda: stage.slack.status("C0SALES", ts) or None)
        await stage.slack.delete("C0SALES", ts)
        await ended(running)
        await stage.slack.wait_for(lambda: not stage.slack.status("C0SALES", ts) or None)
        assert stage.slack.answers("C0SALES", ts) == []
        assert [call for call in stage.slack.calls_to("chat.postMessage") if call.args.get("thread_ts") == ts] == []


async def test_the_thread_goes_on_without_a_reply_that_was_deleted(stage, scripted) -> None:
    model = Hanging()
    async with scripted(model) as endpoint, stage.bot() as running:
        ts = await stage.slack.ask("C0SALES", "U0MIA", "hello?")
        await stage.slack.wait_for_answers("C0SALES", ts, 1)
        reply = await stage.slack.ask("C0SALES", "U0MIA", f"count the {SAID}s", thread_ts=ts)
        await model.begun.wait()
        await stage.slack.ask("C0SALES", "U0LEO", "and then?", thread_ts=ts)
        await stage.slack.delete("C0SALES", reply)
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 2)
        await ended(running)
        assert [answer["text"] for answer in answers] == ["Done.", "Done."]
        assert SAID not in json.dumps(endpoint.requests[-1])  # nor is it part of the thread that the model is shown


async def test_a_question_that_is_deleted_while_it_waits_its_turn_never_begins(stage, scripted) -> None:
    model = Hanging()
    async with scripted(model) as endpoint, stage.bot() as running:
        ts = await stage.slack.ask("C0SALES", "U0MIA", f"count the {SAID}s")
        await model.begun.wait()
        waiting = await stage.slack.ask("C0SALES", "U0LEO", "and the okapis?", thread_ts=ts)
        await stage.slack.wait_for(lambda: len(asked_by(stage)) == 2 or None)
        await stage.slack.delete("C0SALES", waiting)
        await stage.slack.stop_session("U0MIA", "C0SALES", ts)
        (stopped,) = await stage.slack.wait_for_answers("C0SALES", ts, 1)
        await ended(running)
        assert stopped["text"].startswith("Stopped.") and len(stage.slack.answers("C0SALES", ts)) == 1
        assert "okapis" not in json.dumps([request["messages"] for request in endpoint.requests])


def asked_by(stage) -> list[Any]:
    return [one for one in stage.slack.deliveries if "app_mention" in json.dumps(one.payload)]


@pytest.mark.parametrize("whose", ["another question", "talk"])
async def test_another_message_that_is_deleted_stops_nothing(stage, scripted, whose: str) -> None:
    release = asyncio.Event()
    begun = asyncio.Event()

    async def script(_: dict[str, Any]) -> Reply:
        begun.set()
        await release.wait()
        return Reply("Done.")

    async with scripted(script), stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "count slowly")
        await begun.wait()
        text = "<@U0ANN> look" if whose == "talk" else "hello there"
        other = await stage.slack.say("C0SALES", "U0LEO", text, thread_ts=ts if whose == "talk" else None)
        await stage.slack.delete("C0SALES", other)
        release.set()
        (answer,) = await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert answer["text"] == "Done."
