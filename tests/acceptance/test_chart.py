"""A chart in Slack: the model draws from a query, the thread gets the native block and the picture."""

from __future__ import annotations

import json

from runtime.testing.messages_api import Reply

SUM = "select region, sum(amount) as total from orders group by region order by region"


def charts(messages):
    blocks = [block for message in messages for block in message.get("blocks", [])]
    return [block for block in blocks if block["type"] == "data_visualization"]


def files(messages):
    return [file for message in messages for file in message.get("files", [])]


def drawing(body) -> Reply:
    """Queries, draws from that evidence, draws what is refused, then answers."""
    results = [block for message in body["messages"] for block in message["content"] if block["type"] == "tool_result"]
    if not results:
        return Reply("", [("run_sql", {"sql": SUM})])
    if len(results) == 1:
        chart = {"kind": "bar", "title": "Amount by region", "unit": "EUR"}
        twice = {"kind": "line", "title": "Orders", "sql": "select region, amount from orders"}
        return Reply("", [("make_chart", {**chart, "evidence": "E1"}), ("make_chart", twice)])
    return Reply("The east is the highest of the three regions [E1].")


async def test_a_chart_stands_in_the_thread_natively_and_as_a_picture(stage, scripted) -> None:
    async with scripted(drawing), stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "show the amount by region as a chart")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 4)
    (block,) = charts(answers)
    assert (block["title"], block["chart"]["type"]) == ("Amount by region", "bar")
    assert block["chart"]["axis_config"] == {"categories": ["east", "north", "south"], "y_label": "EUR"}
    (series,) = block["chart"]["series"]
    assert series["name"] == "total"
    assert [point["label"] for point in series["data"]] == ["east", "north", "south"]
    pictures = [file for file in files(answers) if file["name"].endswith(".png")]
    assert [file["name"] for file in pictures] == ["E2-chart.png"]
    assert stage.slack.file(pictures[0]["id"]).startswith(b"\x89PNG")
    assert "Bar chart: Amount by region, in EUR. 3 values of region." in json.dumps(pictures[0])
    said = json.dumps(answers, ensure_ascii=False)
    assert "E3 · make_chart · failed" in said or "chart_refused" in said
    assert stage.slack.refusals == []


async def test_the_offline_analyst_draws_what_it_is_asked_to_plot(stage) -> None:
    async with stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "Plot the total amount by region as a bar chart")
        answers = await stage.slack.wait_for_answers("C0SALES", ts, 4)
    assert "The chart is below." in json.dumps(answers[0])
    (block,) = charts(answers)
    assert block["chart"]["type"] == "bar"
    assert [file["name"].rpartition("-")[2] for file in files(answers) if file["name"].endswith(".png")] == [
        "chart.png"
    ]
    assert stage.slack.refusals == []
