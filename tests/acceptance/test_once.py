"""Once: however often, late or out of order an event comes, and whenever the process dies."""

from __future__ import annotations

import json

from runtime.testing.messages_api import Reply


def said(messages) -> str:
    return json.dumps([[message["text"], message.get("blocks", [])] for message in messages])


def echo(body) -> Reply:
    question = body["messages"][-1]["content"][-1]["text"]
    return Reply(f"You asked: {question}")


async def test_three_copies_late_and_out_of_order_are_answered_once_each(stage, scripted) -> None:
    async with scripted(echo) as endpoint, stage.bot():
        stage.slack.faults.hold_events()
        asked = [await stage.slack.ask("C0SALES", "U0MIA", f"question {n}") for n in range(4)]
        stage.slack.faults.release_events("shuffled", times=3)
        for ts in asked:
            await stage.slack.wait_for_answers("C0SALES", ts, 1)
        stage.slack.faults.hold_events()
        late = await stage.slack.ask("C0SALES", "U0MIA", "one more")
        stage.slack.faults.release_events("reversed", times=3)
        await stage.slack.wait_for_answers("C0SALES", late, 1)
        for ts in (*asked, late):
            assert len(stage.slack.answers("C0SALES", ts)) == 1
    assert len(endpoint.requests) == 5


async def test_an_ack_that_got_lost_does_not_answer_twice(stage, scripted) -> None:
    async with scripted(echo) as endpoint, stage.bot():
        stage.slack.faults.lose_acks(2)
        ts = await stage.slack.ask("C0SALES", "U0MIA", "once?")
        await stage.slack.wait_for_answers("C0SALES", ts, 1)
        other = await stage.slack.ask("C0SALES", "U0MIA", "and again?")
        await stage.slack.wait_for_answers("C0SALES", other, 1)
    assert len(stage.slack.answers("C0SALES", ts)) == 1
    assert len(endpoint.requests) == 2


async def test_a_lost_reply_to_a_posting_does_not_post_twice(stage, scripted) -> None:
    async with scripted(echo), stage.bot():
        stage.slack.faults.lose_reply("chat.postMessage", times=1)
        ts = await stage.slack.ask("C0SALES", "U0MIA", "once?")
        await stage.slack.wait_for_answers("C0SALES", ts, 1)
        other = await stage.slack.ask("C0SALES", "U0MIA", "next?")
        await stage.slack.wait_for_answers("C0SALES", other, 1)
        assert len(stage.slack.answers("C0SALES", ts)) == 1


async def test_rate_limits_delay_and_lose_nothing(stage, scripted) -> None:
    async with scripted(echo), stage.bot():
        stage.slack.faults.rate_limit("chat.postMessage", times=2, retry_after=0)
        ts = await stage.slack.ask("C0SALES", "U0MIA", "slowly?")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 1)
    assert "slowly?" in said(answers)


async def test_sockets_that_are_renewed_lose_no_question(stage, scripted) -> None:
    async with scripted(echo), stage.bot():
        await stage.slack.wait_for_socket(2)
        await stage.slack.disconnect()
        ts = await stage.slack.ask("C0SALES", "U0MIA", "still there?")
        await stage.slack.wait_for_answers("C0SALES", ts, 1)


async def test_a_vote_is_kept_and_answered_privately(stage, scripted) -> None:
    async with scripted(echo) as endpoint, stage.bot() as running:
        ts = await stage.slack.ask("C0SALES", "U0MIA", "vote?")
        (answer,) = await stage.slack.wait_for_answers("C0SALES", ts, 1)
        await stage.slack.click("U0LEO", answer["ts"], "feedback")
        await stage.slack.wait_for(lambda: stage.slack.ephemerals or None)
        votes = await running.analyst.state.audit.newest(10, "feedback")
    assert len(votes) == 1
    assert len(endpoint.requests) == 1
