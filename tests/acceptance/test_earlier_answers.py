"""Earlier answers of a thread are shown to the model only while everything they rest on is open to whoever asks now.
What the model is shown is read from the requests that it got."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.conversation import NOT_SHOWN
from runtime.testing.messages_api import Reply

from .test_sources import SALES_ONLY, results_of, with_shop

TOTAL = ("data_query_sqlite", {"source_id": "shop", "sql": "SELECT sum(amount) AS total FROM orders"})


def answering(body: dict[str, Any]) -> Reply:
    """`total` is queried, `remember` is answered from the history alone, anything else from nothing."""
    asked = json.dumps(body["messages"][-1])
    if results_of(body):
        return Reply("The total is 378 [E1].")
    if "total" in asked:
        return Reply("", [TOTAL])
    return Reply("As before: three hundred seventy-eight.") if "remember" in asked else Reply("Ask me about orders.")


def rewritten(stage, old: str, new: str) -> None:
    text = stage.manifest.read_text()
    assert old in text
    stage.manifest.write_text(text.replace(old, new))


def withdrawn_from_the_channel(stage) -> None:
    rewritten(stage, SALES_ONLY, "audience: {channels: [C0OPS], im: true}")


def open_to_some_people_only(stage) -> None:
    rewritten(stage, SALES_ONLY, "audience: {channels: [C0SALES], im: true, users: [U0ANN]}")


def a_column_denied(stage) -> None:
    rewritten(stage, SALES_ONLY, f"{SALES_ONLY}\n    columns: {{deny: [orders.amount]}}")


def rows_kept_from_the_model(stage) -> None:
    rewritten(stage, SALES_ONLY, f"{SALES_ONLY}\n    model_rows: none")


def gone(stage) -> None:
    text = stage.manifest.read_text()
    stage.manifest.write_text(text[: text.index("sources:")])


CLOSINGS = [withdrawn_from_the_channel, open_to_some_people_only, a_column_denied, rows_kept_from_the_model, gone]


async def asked_in(stage, thread: str, words: str, answers: int) -> None:
    await stage.slack.ask("C0SALES", "U0MIA", words, thread_ts=thread)
    await stage.slack.wait_for_answers("C0SALES", thread, answers)


@pytest.mark.parametrize("closing", CLOSINGS)
async def test_an_answer_over_a_source_that_was_closed_is_not_shown_to_the_model(stage, scripted, closing) -> None:
    with_shop(stage)
    async with scripted(answering) as endpoint, stage.bot() as running:
        thread = await stage.slack.ask("C0SALES", "U0MIA", "what can you do?")
        await stage.slack.wait_for_answers("C0SALES", thread, 1)
        await asked_in(stage, thread, "what is the total?", 3)
        await asked_in(stage, thread, "do you remember it?", 4)
        shown = json.dumps(endpoint.requests[-1]["messages"])
        assert "378" in shown and "data_query_sqlite" in shown and NOT_SHOWN not in shown

        closing(stage)
        await running.reloading.asked()
        await asked_in(stage, thread, "and now?", 5)
        shown = json.dumps(endpoint.requests[-1]["messages"])
        # Neither the answer over the source, nor its evidence, nor the one that only repeated it.
        assert "378" not in shown and "seventy-eight" not in shown and "data_query_sqlite" not in shown
        assert shown.count(NOT_SHOWN) == 2
        assert "what is the total?" in shown and "Ask me about orders." in shown
    assert stage.slack.refusals == []


async def test_what_was_answered_to_one_person_is_not_shown_for_another_to_whom_it_is_closed(stage, scripted) -> None:
    with_shop(stage)
    open_to_some_people_only(stage)
    async with scripted(answering) as endpoint, stage.bot():
        thread = await stage.slack.ask("C0SALES", "U0ANN", "what is the total?")
        await stage.slack.wait_for_answers("C0SALES", thread, 2)
        await asked_in(stage, thread, "do you remember it?", 3)
        shown = json.dumps(endpoint.requests[-1]["messages"])
        assert "378" not in shown and NOT_SHOWN in shown
        await stage.slack.ask("C0SALES", "U0ANN", "and for me?", thread_ts=thread)
        await stage.slack.wait_for_answers("C0SALES", thread, 4)
        assert "378" in json.dumps(endpoint.requests[-1]["messages"])


async def test_what_is_open_again_under_the_same_rules_is_shown_again(stage, scripted) -> None:
    with_shop(stage)
    first = stage.manifest.read_text()
    async with scripted(answering) as endpoint, stage.bot() as running:
        thread = await stage.slack.ask("C0SALES", "U0MIA", "what is the total?")
        await stage.slack.wait_for_answers("C0SALES", thread, 2)
        for change, there in ((withdrawn_from_the_channel, False), (lambda _: None, True)):
            stage.manifest.write_text(first)
            change(stage)
            await running.reloading.asked()
            await asked_in(stage, thread, "and now?", 3 if not there else 4)
            assert ("378" in json.dumps(endpoint.requests[-1]["messages"])) is there
