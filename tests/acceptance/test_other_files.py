"""A question that was interrupted goes on only over the files it was begun with."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from runtime.state import Turn, TurnStart
from runtime.state.turns import Turns
from runtime.testing.messages_api import Reply


@pytest.mark.parametrize(("began_elsewhere", "said"), [(True, "not those this question was begun with"), (False, "42")])
async def test_a_turn_begun_over_other_files_ends_with_the_reason(
    stage, scripted, monkeypatch: pytest.MonkeyPatch, began_elsewhere: bool, said: str
) -> None:
    began: list[TurnStart] = []
    begin = Turns.begin

    async def first_begun(self: Turns, start: TurnStart) -> Turn:
        began.append(start)
        first = replace(start, workspace_digest="sha256:other files") if began_elsewhere else start
        return await begin(self, first)

    monkeypatch.setattr(Turns, "begin", first_begun)
    async with scripted(lambda _: Reply("It is 42.")) as endpoint, stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "how many?")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert said in json.dumps(answers)
    assert len(endpoint.requests) == (0 if began_elsewhere else 1)
    assert {start.workspace_digest[:7] for start in began} == {"sha256:"}
