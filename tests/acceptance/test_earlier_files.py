"""An earlier answer of a thread is shown to the model only as long as the files are there that it rests on.
What the model is shown is read from the requests that it got."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa

from bot.conversation import FILE_GONE, NOT_KNOWN, NOT_SHOWN
from runtime.testing.messages_api import Reply
from tests.acceptance.conftest import Stage

from .test_sources import results_of

ZEBRAFISH = b"stripe_id,fin\n1,61.75\n"
READS: dict[str, tuple[str, dict[str, Any]]] = {
    "by query": ("run_sql", {"sql": "SELECT fin FROM zebrafish"}),
    "by listing": ("list_files", {}),
    "by program": ("run_python", {"code": "print(sql('SELECT fin FROM zebrafish'))"}),
    "by pattern": ("file_query", {"path_pattern": "**/zebra*.csv", "sql": "SELECT fin FROM data"}),
    "by failing": ("run_sql", {"sql": "SELECT fins FROM zebrafish"}),
}
ORDERS = ("run_sql", {"sql": "SELECT count(*) AS n FROM orders"})


def reading(*steps: tuple[str, dict[str, Any]]):
    """`read` takes these steps and tells the fin, `orders` counts orders, `remember` is answered from the history
    alone, anything else from nothing."""

    def script(body: dict[str, Any]) -> Reply:
        asked, done = json.dumps(body["messages"][-1]), len(results_of(body))
        questions = [m for m in body["messages"] if m["role"] == "user" and "tool_result" not in json.dumps(m)]
        asked = json.dumps(questions[-1])
        wanted = [ORDERS] if "orders" in asked else [*steps] if "read" in asked else []
        if done < len(wanted):
            return Reply("", [wanted[done]])
        told = {"orders": "Done: three orders.", "read": "Done: the fin is 61.75.", "remember": "Done: sixty-one."}
        return Reply(next((text for word, text in told.items() if word in asked), "Done."))

    return script


def loading(step: tuple[str, dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """The step, and what makes its tool usable before it."""
    return [("toolbox_load", {"tool_names": [step[0]]}), step] if step[0] == "file_query" else [step]


async def asked(stage: Stage, thread: str, words: str, times: int) -> None:
    await stage.slack.ask("C0SALES", "U0MIA", words, thread_ts=thread)
    await answered(stage, thread, times)


async def answered(stage: Stage, thread: str, times: int) -> None:
    def done() -> bool:
        return sum("Done" in message["text"] for message in stage.slack.answers("C0SALES", thread)) >= times

    await stage.slack.wait_for(lambda: done() or None)


def shown(endpoint: Any) -> str:
    return json.dumps(endpoint.requests[-1]["messages"])


async def file_deleted(stage: Stage, thread: str) -> None:
    await stage.slack.delete_file(next(iter(stage.slack.workspace.files)))
    await stage.slack.settled()


@pytest.mark.parametrize("read", READS)
async def test_what_was_told_of_an_attached_file_goes_with_it(stage: Stage, scripted, read: str) -> None:
    async with scripted(reading(*loading(READS[read]))) as endpoint, stage.bot():
        thread = await stage.slack.ask("C0SALES", "U0MIA", "hello")
        await answered(stage, thread, 1)
        await asked(stage, thread, "how many orders?", 2)
        await stage.slack.ask("C0SALES", "U0MIA", "read this", thread_ts=thread, files={"zebrafish.csv": ZEBRAFISH})
        await answered(stage, thread, 3)
        await asked(stage, thread, "do you remember it?", 4)
        assert "61.75" in shown(endpoint) and FILE_GONE not in shown(endpoint)

        await file_deleted(stage, thread)
        await asked(stage, thread, "and now?", 5)
        # Neither what was read of it, nor the answer that only repeated that; but what rests on another file is.
        assert "61.75" not in shown(endpoint) and "sixty-one" not in shown(endpoint)
        assert shown(endpoint).count(FILE_GONE) == 2 and NOT_SHOWN not in shown(endpoint)
        assert "three orders" in shown(endpoint) and "read this" in shown(endpoint)
    assert stage.slack.refusals == []


@pytest.mark.parametrize("read", READS)
async def test_what_was_told_of_a_file_of_the_folder_goes_with_it(stage: Stage, scripted, read: str) -> None:
    file = stage.folder / "data" / "zebrafish.csv"
    file.write_bytes(ZEBRAFISH)
    async with scripted(reading(*loading(READS[read]))) as endpoint, stage.bot():
        thread = await stage.slack.ask("C0SALES", "U0MIA", "how many orders?")
        await answered(stage, thread, 1)
        await asked(stage, thread, "please read it", 2)
        file.write_bytes(ZEBRAFISH + b"2,7.5\n")  # written anew, it is still the file
        await asked(stage, thread, "do you remember it?", 3)
        assert "61.75" in shown(endpoint)

        file.unlink()
        await asked(stage, thread, "and now?", 4)
        assert "61.75" not in shown(endpoint) and shown(endpoint).count(FILE_GONE) == 2
        assert "three orders" in shown(endpoint)


async def test_what_was_told_of_a_file_goes_with_the_message_that_brought_it(stage: Stage, scripted) -> None:
    async with scripted(reading(READS["by query"])) as endpoint, stage.bot():
        thread = await stage.slack.ask("C0SALES", "U0MIA", "hello")
        await answered(stage, thread, 1)
        brought = await stage.slack.ask(
            "C0SALES", "U0MIA", "look at", thread_ts=thread, files={"zebrafish.csv": ZEBRAFISH}
        )
        await answered(stage, thread, 2)
        await asked(stage, thread, "read it", 3)
        await asked(stage, thread, "do you remember it?", 4)
        assert "61.75" in shown(endpoint)
        await stage.slack.delete("C0SALES", brought)
        await stage.slack.settled()
        await asked(stage, thread, "and now?", 5)
        assert "61.75" not in shown(endpoint) and shown(endpoint).count(FILE_GONE) == 2


async def test_an_answer_kept_before_its_grounds_were_is_not_shown_and_the_model_is_told_why(
    stage: Stage, scripted
) -> None:
    async with scripted(reading()) as endpoint:
        async with stage.bot():
            thread = await stage.slack.ask("C0SALES", "U0MIA", "what about orders?")
            await answered(stage, thread, 1)
        with sa.create_engine(f"sqlite:///{stage.folder / 'state.db'}").begin() as connection:
            connection.execute(sa.text("UPDATE turns SET rests_on = NULL"))
        async with stage.bot():
            await asked(stage, thread, "and now?", 2)
        assert "three orders" not in shown(endpoint) and NOT_KNOWN in shown(endpoint)
        assert "what about orders?" in shown(endpoint)
