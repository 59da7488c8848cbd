"""A question that SQL answers badly: a program in the sealed interpreter, from the mention to the fold."""

from __future__ import annotations

import json
import os
import re
import signal
from functools import partial

from bot.serving import serve
from runtime.engines.python import PythonEngine
from runtime.testing.messages_api import Reply

from .test_main_path import containers, texts

CODE = (
    "rows = sql('SELECT amount FROM orders')\n"
    "print(f\"median {median([row['amount'] for row in rows]):.2f} of {len(rows)}\")\n"
)
BROKEN = "print(4711)\nraise ValueError('no such measure')\n"


def results_of(body) -> list[dict]:
    return [block for message in body["messages"] for block in message["content"] if block["type"] == "tool_result"]


def answering(body, *, code: str, answer: str) -> Reply:
    return Reply(answer) if results_of(body) else Reply("", [("run_python", {"code": code, "note": "computes"})])


async def asked(stage, scripted, code: str, answer: str):
    async with scripted(partial(answering, code=code, answer=answer)) as endpoint, stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "what is the median amount?")
        messages = await stage.slack.wait_for_answers("C0SALES", ts, 2)
    assert stage.slack.refusals == []
    return endpoint, messages


async def test_a_program_answers_with_its_code_output_and_use_in_the_fold(stage, scripted) -> None:
    answer = "The median amount is 305.50 [E1], over 60 orders [E1]."
    endpoint, messages = await asked(stage, scripted, CODE, answer)
    assert "run_python" in [tool["name"] for tool in endpoint.requests[0]["tools"]]
    (result,) = results_of(endpoint.requests[1])
    data = json.loads(texts_of(result))["data"]
    assert data["output"] == "median 305.50 of 60\n"
    assert data["queries"] == [{"sql": "SELECT amount FROM orders", "row_count": 60}]
    assert "2 of 2 figures found in evidence" in texts(messages)
    (fold,) = containers(messages)
    assert fold["title"]["text"].startswith("E1 · run_python · orders.csv")
    shown = json.dumps(fold, ensure_ascii=False)
    assert "rows = sql(" in shown and "median 305.50 of 60" in shown
    assert (
        "Fuel 0." in shown
        and re.search(r"memory \d+ of 128 MiB", shown)
        and "output 20 of 16,000 characters" in shown
        and "sql() 60 rows" in shown
    )


async def test_a_failed_program_backs_no_figure_and_says_why(stage, scripted) -> None:
    endpoint, messages = await asked(stage, scripted, BROKEN, "The median amount is 4,711 [E1].")
    (result,) = results_of(endpoint.requests[1])
    assert result["is_error"]
    error = json.loads(texts_of(result))["error"]
    assert (error["code"], error["message"]) == ("python_failed", "ValueError: no such measure")
    assert "0 of 1 figure found in evidence" in texts(messages)
    assert "Not found in evidence: 4,711" in texts(messages)
    assert "ValueError: no such measure" in texts(messages)


async def test_serve_says_that_it_is_ready_and_then_warms_up_the_interpreter(stage, monkeypatch) -> None:
    seen = []

    async def warm_up(engine) -> None:
        seen.append("warm up")
        os.kill(os.getpid(), signal.SIGTERM)  # what ends a bot; without a warm-up this test would wait for ever

    monkeypatch.setattr(PythonEngine, "warm_up", warm_up)
    await serve(stage.settings(), on_ready=lambda running: seen.append("ready"))
    assert seen == ["ready", "warm up"]


def texts_of(result) -> str:
    content = result["content"]
    return content if isinstance(content, str) else content[0]["text"]
