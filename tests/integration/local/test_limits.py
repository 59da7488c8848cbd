"""Every limit of Slack's: the largest payload is accepted, one more is refused by Slack's own error name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from slack_sdk.errors import SlackApiError

import bot.local
from tests.integration.local import payloads as p


async def post(client, **content):
    return await client.chat_postMessage(channel="C0SALES", text="fallback", **content)


async def refusal(call) -> tuple[str, list[str]]:
    with pytest.raises(SlackApiError) as caught:
        await call
    response = caught.value.response
    return response["error"], response.get("response_metadata", {}).get("messages", [])


@pytest.mark.parametrize("limit", p.LIMITS, ids=lambda limit: limit.name)
async def test_the_largest_is_accepted_and_one_more_is_refused(slack, client, limit):
    await post(client, blocks=limit.make(limit.most))
    error, messages = await refusal(post(client, blocks=limit.make(limit.most + 1)))
    assert error == limit.error
    assert messages[0].endswith(f"[json-pointer:{limit.pointer}]")
    assert [r.error for r in slack.refusals] == [limit.error]


@pytest.mark.parametrize("limit", [limit for limit in p.LIMITS if limit.least], ids=lambda limit: limit.name)
async def test_the_smallest_is_accepted_and_one_less_is_refused(client, limit):
    await post(client, blocks=limit.make(limit.least))
    error, _ = await refusal(post(client, blocks=limit.make(limit.least - 1)))
    assert error == "invalid_blocks"


@pytest.mark.parametrize(
    ("why", "blocks"),
    [
        ("unsupported block type: poem", [{"type": "poem"}]),
        ("unsupported block type: alert", [{"type": "alert", "text": p.plain("modals only")}]),
        ("unsupported block type: file", [{"type": "file", "external_id": "x", "source": "remote"}]),
        ("unsupported block type: None", ["just text"]),
        ("invalid additional property: colour", [{"type": "divider", "colour": "red"}]),
        ('`action_id` "a" already exists', p.actions(p.button(action_id="a"), p.button(action_id="a"))),
        ('`block_id` "b" already exists', [{"type": "divider", "block_id": "b"}, {"type": "divider", "block_id": "b"}]),
        ("unsupported child block type: markdown", p.container({"type": "markdown", "text": "x"})),
        ("unsupported child block type: data_table", p.container(p.data_table())),
        ("unsupported child block type: data_visualization", p.container(*p.pie(1))),
        ("unsupported child block type: rich_text", p.container({"type": "rich_text", "elements": []})),
        ("unsupported child block type: container", p.container(*p.container({"type": "divider"}))),
        (
            "cannot be set when is_collapsible",
            p.container({"type": "divider"}, is_collapsible=True, has_header_divider=True),
        ),
        ("requires is_collapsible", p.container({"type": "divider"}, default_collapsed=True)),
        ("all rows must have the same", [{**p.data_table(), "rows": [[p.raw()], [p.raw(), p.raw()]]}]),
        (
            "rich_text is not allowed in the header",
            [{**p.data_table(), "rows": [[{"type": "rich_text", "elements": []}], [p.raw()]]}],
        ),
        ("missing required field: caption", [{"type": "data_table", "rows": [[p.raw()], [p.raw()]]}]),
        ("must be more than 0 characters", [p.data_table(text="")]),
        ("must be more than 0 characters", [p.table(text="")]),
        ("must be a number", [p.table() | {"rows": [[{"type": "raw_number", "value": "1", "text": "1"}]]}]),
        ("unsupported cell type: mrkdwn", [p.table() | {"rows": [[p.mrkdwn("x")]]}]),
        ("must be greater than 0", p.pie(1, value=0)),
        ("must be one of plain_text", [{"type": "header", "text": p.mrkdwn("x")}]),
        (
            "unsupported element type: image",
            p.actions({"type": "image", "alt_text": "a", "image_url": "https://example.com"}),
        ),
        ("exactly one of image_url, slack_file", [{"type": "image", "alt_text": "a"}]),
        ("one of text, fields is required", [{"type": "section"}]),
        ("must be one of primary, danger", p.actions(p.button(style="loud"))),
        ("must be one of pending", [{"type": "task_card", "task_id": "1", "title": "t", "status": "completed"}]),
        (
            "plan and task_card are mutually exclusive",
            [{"type": "plan", "title": "p"}, {"type": "task_card", "task_id": "1", "title": "t", "status": "complete"}],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_is_refused_whatever_its_size(client, why, blocks):
    error, messages = await refusal(post(client, blocks=blocks))
    assert error == "invalid_blocks"
    assert why in messages[0]


async def test_points_must_match_categories(client):
    chart = p.bars(categories=2)
    chart[0]["chart"]["series"][0]["data"].pop()
    error, messages = await refusal(post(client, blocks=chart))
    assert error == "invalid_blocks" and "one data point per category" in messages[0]


async def test_blocks_json_has_a_size_of_its_own(client):
    # Little text, much structure: ids and values count as bytes, not as text.
    def fat(n: int) -> list[dict]:
        return p.actions(*[p.button(action_id=f"{i}", value=p.x(n)) for i in range(10)])

    await post(client, blocks=fat(1_400))
    error, _ = await refusal(post(client, blocks=fat(1_600)))
    assert error == "msg_blocks_too_long"


async def test_an_emoji_counts_twice_and_bytes_count_escaped(client):
    await post(client, blocks=p.section(text=p.plain("🙂" * 1_000)))
    error, _ = await refusal(post(client, blocks=p.section(text=p.plain("🙂" * 1_501))))
    assert error == "invalid_blocks"
    await post(client, blocks=p.section(text=p.plain("字" * 2_500)))
    error, _ = await refusal(post(client, blocks=p.section(text=p.plain("字" * 2_600))))
    assert error == "msg_blocks_too_long"


async def test_the_judge_knows_nothing_of_the_renderer():
    for module in Path(bot.local.__file__).parent.rglob("*.py"):
        assert "bot.render" not in module.read_text(), module


async def test_ten_thousand_characters_over_all_cells(client):
    # Judged alone, without the message's own budget, as blocks.validate does for the table.
    rows = [[p.raw(p.x(5_000)), p.raw(p.x(5_001))]]
    error, messages = await refusal(post(client, blocks=[{"type": "table", "rows": rows}]))
    assert error == "invalid_blocks" and "10001 characters over all cells" in messages[0]
    error, _ = await refusal(post(client, blocks=[p.data_table(text=p.x(2_600)), p.data_table(text=p.x(2_600))]))
    assert error == "invalid_blocks"


async def test_metadata_is_small_and_has_a_type_and_a_payload(client):
    good = {"event_type": "run", "event_payload": {"id": p.x(4_000)}}
    await post(client, metadata=good)
    error, _ = await refusal(post(client, metadata={**good, "event_payload": {"id": p.x(4_096)}}))
    assert error == "metadata_too_large"
    error, _ = await refusal(post(client, metadata={"event_type": "run"}))
    assert error == "invalid_metadata_schema"


async def test_attachments(client):
    one = {"text": "old style", "fallback": "f"}
    await post(client, attachments=[one] * 100)
    assert (await refusal(post(client, attachments=[one] * 101)))[0] == "too_many_attachments"
    crowded = [{"blocks": p.many({"type": "divider"}, 21), "fallback": "f"}]
    assert (await refusal(post(client, attachments=crowded)))[0] == "invalid_attachments"
    assert (await refusal(post(client, attachments=[{"blocks": [{"type": "poem"}]}])))[0] == "invalid_attachments"


async def test_blocks_that_are_not_json(client):
    call = client.api_call("chat.postMessage", data={"channel": "C0SALES", "text": "x", "blocks": "[{"})
    assert (await refusal(call))[0] == "invalid_blocks_format"


def modal(**fields):
    return {"type": "modal", "title": p.plain("t"), "blocks": [{"type": "divider"}], **fields}


@pytest.mark.parametrize(
    ("make", "most", "error"),
    [
        (lambda n: modal(title=p.plain(p.x(n))), 24, "invalid_arguments"),
        (lambda n: modal(submit=p.plain(p.x(n))), 24, "invalid_arguments"),
        (lambda n: modal(close=p.plain(p.x(n))), 24, "invalid_arguments"),
        (lambda n: modal(callback_id=p.x(n)), 255, "invalid_arguments"),
        (lambda n: modal(external_id=p.x(n)), 255, "invalid_arguments"),
        (lambda n: modal(private_metadata=p.x(n)), 3_000, "invalid_arguments"),
        (lambda n: modal(blocks=p.many({"type": "divider"}, n)), 100, "invalid_arguments"),
    ],
    ids=["title", "submit", "close", "callback_id", "external_id", "private_metadata", "blocks"],
)
async def test_views(slack, client, make, most, error):
    slack.app.mode, slack.app.request_url = "http", f"{slack.url}/nobody-listens"
    ts = (await post(client, blocks=p.actions(p.button(action_id="go"))))["ts"]
    trigger = (await slack.click("U0MIA", ts, "go")).trigger_id
    assert (await refusal(client.views_open(trigger_id=trigger, view=make(most + 1))))[0] == error
    await client.views_open(trigger_id=trigger, view=make(most))


async def test_a_view_has_a_size_and_inputs_need_a_submit_button(client):
    big = modal(blocks=[p.section(text=p.plain(p.x(2_900)))[0] for _ in range(90)])
    assert (await refusal(client.views_open(trigger_id="1.x", view=big)))[0] == "view_too_large"
    form = {"type": "input", "label": p.plain("l"), "element": {"type": "plain_text_input", "action_id": "a"}}
    assert (await refusal(client.views_open(trigger_id="1.x", view=modal(blocks=[form]))))[0] == "invalid_arguments"


async def test_app_home(client):
    home = {"type": "home", "blocks": p.many({"type": "divider"}, 100)}
    await client.views_publish(user_id="U0MIA", view=home)
    too_many = {**home, "blocks": p.many({"type": "divider"}, 101)}
    assert (await refusal(client.views_publish(user_id="U0MIA", view=too_many)))[0] == "invalid_arguments"


async def test_blocks_validate_judges_without_posting(slack, client):
    await client.blocks_validate(blocks=[{"type": "divider"}])
    with pytest.raises(SlackApiError) as caught:
        await client.blocks_validate(message=json.dumps({"blocks": p.container({"type": "poem"})}))
    assert caught.value.response["error"] == "invalid_message"
    assert caught.value.response["errors"][0]["pointer"] == "/blocks/0/child_blocks/0/type"
    assert slack.messages("sales") == []
    with pytest.raises(SlackApiError) as caught:
        await client.blocks_validate(view=modal(title=p.plain(p.x(25))))
    assert caught.value.response["error"] == "invalid_view"
