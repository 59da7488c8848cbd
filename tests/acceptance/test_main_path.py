"""The main path: a question in Slack gets an answer with footnotes, over real sockets, on real files."""

from __future__ import annotations

import json

import pytest

from runtime.testing.messages_api import Reply

SUM = "select region, sum(amount) as total, count(*) as n from orders group by region order by region"


def texts(messages) -> str:
    return json.dumps([[message["text"], message.get("blocks", [])] for message in messages], ensure_ascii=False)


def containers(messages):
    return [block for message in messages for block in message.get("blocks", []) if block["type"] == "container"]


def answering(body) -> Reply:
    """Looks, queries twice side by side, then answers with marks."""
    results = [block for message in body["messages"] for block in message["content"] if block["type"] == "tool_result"]
    if not results:
        return Reply("", [("list_files", {"note": "looks at the files"})])
    if len(results) == 1:
        return Reply("", [("run_sql", {"sql": SUM}), ("run_sql", {"sql": "select count(*) as n from orders"})])
    return Reply("There are 60 orders [E3]. The north has 20 of them [E2].")


@pytest.mark.smoke
@pytest.mark.parametrize("way", ["socket", "http"])
async def test_a_mention_is_answered_with_figures_marks_folds_and_a_csv(stage, scripted, way) -> None:
    async with scripted(answering):
        if way == "http":
            stage.over_http()
        async with stage.bot() as running:
            if way == "http":
                assert await stage.slack.use_http(f"http://127.0.0.1:{running.port}/slack/events")
            ts = await stage.slack.ask("C0SALES", "U0MIA", "how many orders are there, and in the north?")
            answers = await stage.slack.wait_for_answers("C0SALES", ts, 3)
    said = texts(answers)
    assert "60 orders [E3]" in said
    assert "3 of 3 figures found in evidence; queries not re-run." in said or "2 of 2 figures" in said
    folds = containers(answers)
    assert [fold["title"]["text"].split(" · ")[0] for fold in folds] == ["E2", "E3"]
    assert "orders.csv" in json.dumps(folds)
    assert "sum(amount)" in json.dumps(folds).lower()
    files = [file for message in answers for file in message.get("files", [])]
    assert [file["name"] for file in files] == ["E2-orders.csv"]
    body = stage.slack.file(files[0]["id"]).decode()
    assert body.splitlines()[0] == "region,total,n"
    assert stage.slack.refusals == []
    assert stage.slack.statuses[0].status
    assert stage.slack.status("C0SALES", ts) == ""


async def test_a_direct_message_needs_no_mention_and_a_thread_remembers(stage, scripted) -> None:
    def script(body) -> Reply:
        said = json.dumps(body["messages"])
        return Reply("Again." if "First answer." in said else "First answer.")

    async with scripted(script) as endpoint, stage.bot():
        ts = await stage.slack.tell("U0MIA", "hello?")
        channel = stage.slack.dm("U0MIA")
        await stage.slack.wait_for_answers(channel, ts, 1)
        await stage.slack.tell("U0MIA", "and again?", thread_ts=ts)
        answers = await stage.slack.wait_for_answers(channel, ts, 2)
    assert "First answer." in texts(answers[:1])
    assert "Again." in texts(answers[1:])
    assert "hello?" in json.dumps(endpoint.requests[1]["messages"])


async def test_a_reply_in_our_thread_needs_no_mention_but_other_talk_is_left_alone(stage, scripted) -> None:
    async with scripted(lambda body: Reply("Yes.")) as endpoint, stage.bot():
        await stage.slack.say("C0SALES", "U0LEO", "morning all")
        ts = await stage.slack.ask("C0SALES", "U0MIA", "are you there?")
        await stage.slack.wait_for_answers("C0SALES", ts, 1)
        await stage.slack.say("C0SALES", "U0LEO", "<@U0ANN> did you see this?", thread_ts=ts)
        await stage.slack.say("C0SALES", "U0LEO", "and now?", thread_ts=ts)
        await stage.slack.wait_for_answers("C0SALES", ts, 2)
    assert len(endpoint.requests) == 2


async def test_where_the_channel_says_so_a_reply_needs_a_mention(stage, scripted) -> None:
    stage.manifest.write_text(stage.manifest.read_text() + "channels: {C0SALES: {follow_up: mention}}\n")
    async with scripted(lambda body: Reply("Yes.")) as endpoint, stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "are you there?")
        await stage.slack.wait_for_answers("C0SALES", ts, 1)
        await stage.slack.say("C0SALES", "U0LEO", "and now?", thread_ts=ts)
        await stage.slack.ask("C0SALES", "U0LEO", "and with a mention?", thread_ts=ts)
        await stage.slack.wait_for_answers("C0SALES", ts, 2)
    assert len(endpoint.requests) == 2


async def test_on_demand_tools_are_loaded_on_the_wire(stage, scripted) -> None:
    script = [
        Reply("", [("toolbox_search", {"query": "query many files"})]),
        Reply("", [("toolbox_load", {"tool_names": ["file_query"]})]),
        Reply("", [("file_query", {"path_pattern": "*.csv", "sql": "select count(*) as n from data"})]),
        Reply("The files hold 60 rows [E3]."),
    ]
    async with scripted(script) as endpoint, stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "count the rows of all files")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 2)
    assert "1 of 1 figure found in evidence" in texts(answers)
    deferred = [tool["name"] for tool in endpoint.requests[0]["tools"] if tool.get("defer_loading")]
    assert "file_query" in deferred and "run_sql" not in deferred
    reference = endpoint.requests[2]["messages"][-1]["content"][0]["content"]
    assert reference == [{"type": "tool_reference", "tool_name": "file_query"}]
    assert len({json.dumps(request["tools"]) for request in endpoint.requests}) == 1


async def test_a_place_that_a_guest_can_read_gets_no_tools_and_is_told_why(stage, scripted) -> None:
    async with scripted(lambda body: Reply("I see nothing here.")) as endpoint, stage.bot():
        ts = await stage.slack.ask("C0GENERAL", "U0MIA", "how many orders are there?")
        answers = await stage.slack.wait_for_answers("C0GENERAL", ts, 1)
    assert [tool["name"] for tool in endpoint.requests[0]["tools"]] == ["toolbox_search", "toolbox_load"]
    assert "A guest can read this channel" in texts(answers)
    assert "direct message" in texts(answers)


async def test_the_offline_analyst_answers_without_a_key(stage) -> None:
    async with stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "How many orders are there?")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 2)
    assert "60" in answers[0]["blocks"][0]["text"]["text"]
    assert "[E" in answers[0]["blocks"][0]["text"]["text"]
    assert containers(answers)


async def test_the_slash_command_answers_privately_through_the_same_guard(stage) -> None:
    async with stage.bot():
        await stage.slack.command("U0MIA", "C0SALES", "/footnote", "sql select count(*) as n from orders")
        await stage.slack.wait_for(lambda: stage.slack.ephemerals or None)
        await stage.slack.command("U0MIA", "C0SALES", "/footnote", "sql drop table orders")
        await stage.slack.wait_for(lambda: len(stage.slack.ephemerals) > 1 or None)
        await stage.slack.command("U0MIA", "C0SALES", "/footnote", "files")
        await stage.slack.wait_for(lambda: len(stage.slack.ephemerals) > 2 or None)
    first, second, third = (json.dumps(message) for message in stage.slack.ephemerals)
    assert "60" in first
    assert "did not run" in second
    assert "orders.csv" in third
