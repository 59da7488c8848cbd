"""What Slack does on a bad day while admission is learned or a command runs: closed, said in words, never silent."""

from __future__ import annotations

import json

import pytest

from runtime.testing.messages_api import Reply


def said(messages) -> str:
    return json.dumps([[message["text"], message.get("blocks", [])] for message in messages], ensure_ascii=False)


@pytest.mark.parametrize("method", ["users.info", "conversations.info", "conversations.members"])
@pytest.mark.parametrize("fault", ["lose_reply", "lose_request", "http_error"])
async def test_what_cannot_be_learned_closes_with_a_sentence(stage, scripted, method, fault) -> None:
    async with scripted(lambda body: Reply("I see nothing here.")) as endpoint, stage.bot():
        getattr(stage.slack.faults, fault)(method, times=None)
        ts = await stage.slack.ask("C0SALES", "U0MIA", "how many?")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 1)
        assert [tool["name"] for tool in endpoint.requests[0]["tools"]] == ["toolbox_search", "toolbox_load"]
        assert "could not be learned" in said(answers)
        shown = len(stage.slack.ephemerals)
        await stage.slack.command("U0MIA", "C0SALES", "/footnote", "sql select count(*) from orders")
        await stage.slack.wait_for(lambda: len(stage.slack.ephemerals) > shown or None)
    assert "60" not in said(stage.slack.ephemerals[shown:])


async def test_a_command_that_fails_inside_is_answered_with_a_reference(stage, monkeypatch) -> None:
    async with stage.bot() as running:

        async def broken(*_: object) -> None:
            raise RuntimeError("secret words")

        monkeypatch.setattr(type(running.analyst.state.audit), "add", broken)
        await stage.slack.command("U0MIA", "C0SALES", "/footnote", "sql select count(*) from orders")
        await stage.slack.wait_for(lambda: stage.slack.ephemerals or None)
    assert "Something failed" in said(stage.slack.ephemerals)
    assert "Reference" in said(stage.slack.ephemerals)
    assert "secret words" not in said(stage.slack.ephemerals)


@pytest.mark.parametrize(
    "typed",
    [
        "sql select count(*) as n from orders where id &gt; 30 and id &lt;&gt; 60",
        "SQL select count(*) as n from orders where id > 30 and id <> 60",
        "sql\nselect count(*) as n from orders\nwhere id &gt;= 32",
    ],
)
async def test_a_command_is_read_as_it_was_typed(stage, typed) -> None:
    async with stage.bot():
        await stage.slack.command("U0MIA", "C0SALES", "/footnote", typed)
        await stage.slack.wait_for(lambda: stage.slack.ephemerals or None)
    assert '"29"' in said(stage.slack.ephemerals)


async def test_half_an_emoji_in_a_question_does_not_stop_the_run(stage, scripted) -> None:
    async with scripted(lambda body: Reply("Yes.")), stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "how many \ud83d are there?")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert "Yes." in said(answers)
