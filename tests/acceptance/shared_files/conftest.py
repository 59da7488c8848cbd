"""Files shared with questions, over the real wire."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.testing.messages_api import Reply
from tests.acceptance.conftest import Stage

REFUNDS = b"order_id,refund\n1,10.50\n2,20.25\n3,5.00\n"
ZEBRAFISH = b"stripe_id,fin\n1,61.75\n"


def words(messages: Sequence[Mapping[str, Any]]) -> str:
    """All that a person can read in messages."""
    return json.dumps([[message["text"], message.get("blocks", [])] for message in messages], ensure_ascii=False)


def results(body: Mapping[str, Any]) -> list[Any]:
    """The tool results of a request to the model, as they were sent."""
    return [
        block["content"]
        for message in body["messages"]
        for block in message["content"]
        if block["type"] == "tool_result"
    ]


def told(body: Mapping[str, Any]) -> str:
    """Everything that a request tells the model."""
    return json.dumps([body["messages"], body.get("system", [])], ensure_ascii=False)


def calls(*steps: tuple[str, Mapping[str, Any]]):
    """A model that makes these calls one after the other, then says what came of the last."""

    def script(body: Mapping[str, Any]) -> Reply:
        done = len(results(body))
        if done < len(steps):
            name, arguments = steps[done]
            return Reply("", [(name, dict(arguments))])
        return Reply("Done.")

    return script


async def done(stage: Stage, channel: str, ts: str, times: int) -> None:
    """Waits until so many questions of a thread have been answered by such a model."""

    def answered() -> bool:
        return sum("Done." in message["text"] for message in stage.slack.answers(channel, ts)) >= times

    await stage.slack.wait_for(lambda: answered() or None)
