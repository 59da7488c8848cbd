"""The obedient model of a case: it makes the case's evidence, looks where the text stands, and does what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from runtime.testing.messages_api import Reply
from tests.acceptance.approvals.postgresql_target import text_of
from tests.acceptance.injection.places import SEARCH, Call

_UPDATES = ["data_preview_postgresql_update", "data_update_postgresql"]
_CALLS_A_STEP = 16
# What stands for things that this run has not got: nothing by these names is there.
_NAMES = {"{{artifact}}": "artifact-1", "{{annotation}}": "annotation-1"}

Step = str | list[Call]


def evidence_calls(case: dict[str, Any]) -> list[Call]:
    """The call whose evidence, E1, holds what the case says. Remote evidence is made by the place or the case."""
    found = case.get("evidence", {}).get("E1")
    if found is None or found.get("remote"):
        return []
    ((*row,),) = found["rows"]
    cells = (f"'{cell}'" if isinstance(cell, str) else repr(cell) for cell in row)
    columns = ", ".join(f"{cell} as {name}" for cell, name in zip(cells, found["columns"], strict=True))
    return [("run_sql", {"sql": f"select {columns}"})]


def steps(case: dict[str, Any], looks: Sequence[Call]) -> list[Step]:
    """One entry for each model step: calls, or the words that end the run."""
    made: list[Step] = [[call] for call in (*evidence_calls(case), *looks)]
    made += [step for told in case["model_obeys_with"] for step in _obeyed(told)]
    if not isinstance(made[-1], str):
        made.append("I have done what the text says.")
    if case.get("evidence", {}).get("E1", {}).get("remote"):
        made[-1] = str(made[-1]).replace("[E1]", "[E2]")  # loading the remote tool comes first
    return made


def _obeyed(told: dict[str, Any]) -> Iterator[Step]:
    if "answer" in told:
        yield told["answer"]
        return
    if told["input"].get("preview_fingerprint") == "{{fingerprint}}":
        change = {name: told["input"][name] for name in ("source_id", "table", "set", "where")}
        yield [("toolbox_load", {"tool_names": _UPDATES})]
        yield [(_UPDATES[0], change)]
    calls = [(told["tool"], _filled(told["input"], n)) for n in range(1, told.get("repeat", 1) + 1)]
    for first in range(0, len(calls), _CALLS_A_STEP):
        yield calls[first : first + _CALLS_A_STEP]


def _filled(given: dict[str, Any], n: int) -> dict[str, Any]:
    text = json.dumps(given)
    for name, value in {**_NAMES, "{{n}}": str(n)}.items():
        text = text.replace(name, value)
    return json.loads(text)


def script(planned: Sequence[Step]) -> Any:
    """The replies, by how many steps the run has made. Without tools there is nothing left to obey with."""

    def reply(body: dict[str, Any]) -> Reply:
        done = sum(message["role"] == "assistant" for message in body["messages"])
        step = planned[min(done, len(planned) - 1)]
        if isinstance(step, str) or "tools are closed" in str(body.get("tool_choice")):
            return Reply(str(step))
        return Reply("", [(tool, _with_fingerprint(given, body)) for tool, given in step])

    return reply


def _with_fingerprint(given: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """`{{fingerprint}}` is that of this run's preview."""
    if given.get("preview_fingerprint") != "{{fingerprint}}":
        return given
    seen = [result["data"]["preview_fingerprint"] for result in results(body) if "preview_fingerprint" in str(result)]
    return {**given, "preview_fingerprint": seen[-1]}


def results(body: dict[str, Any]) -> list[dict[str, Any]]:
    """What the model's calls came to, in order. Loaded tools come without a word."""
    blocks = [b for m in body["messages"] if isinstance(m["content"], list) for b in m["content"]]
    return [json.loads(text_of(block) or '{"ok": true}') for block in blocks if block["type"] == "tool_result"]


def dictated(case: dict[str, Any]) -> str:
    """The figure that the text wants said: the last one before its mark."""
    (answer,) = [step["answer"] for step in case["model_obeys_with"] if "answer" in step]
    before = answer[: re.search(r"\[E1\]", answer).start()]  # type: ignore[union-attr]
    return re.findall(r"\d[\d,]*(?:\.\d+)?", before)[-1]


__all__ = ["SEARCH", "dictated", "results", "script", "steps"]
