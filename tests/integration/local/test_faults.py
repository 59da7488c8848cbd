"""Every fault does what the real one does, as often as asked, and ends."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler


async def test_a_rate_limit_is_retried_by_the_sdk(slack, client):
    client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=1))
    slack.faults.rate_limit("chat.postMessage", retry_after=0)
    await client.chat_postMessage(channel="C0SALES", text="hi")
    assert [call.status for call in slack.calls] == [429, 200]


async def test_a_lost_reply_was_done_and_the_sdk_doubles_it(slack, client):
    slack.faults.lose_reply("chat.postMessage")
    await client.chat_postMessage(channel="C0SALES", text="hi")
    assert [m["text"] for m in slack.messages("sales")] == ["hi", "hi"]
    assert [call.delivered for call in slack.calls] == [False, True]


async def test_a_lost_reply_without_retries_is_an_error_after_the_deed(slack, client):
    client.retry_handlers.clear()
    slack.faults.lose_reply("chat.*", when=lambda args: args["text"] == "this one")
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel="C0SALES", text="this one")
    await client.chat_postMessage(channel="C0SALES", text="another")
    assert [m["text"] for m in slack.messages("sales")] == ["this one", "another"]


async def test_a_lost_request_was_not_done(slack, client):
    client.retry_handlers.clear()
    slack.faults.lose_request("chat.postMessage")
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel="C0SALES", text="hi")
    assert slack.messages("sales") == []


async def test_http_errors_and_slack_errors(slack, client):
    slack.faults.http_error("chat.postMessage", status=503)
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C0SALES", text="hi")
    assert caught.value.response.status_code == 503
    slack.faults.error("chat.postMessage", "internal_error")
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C0SALES", text="hi")
    assert caught.value.response["error"] == "internal_error"
    await client.chat_postMessage(channel="C0SALES", text="hi")


async def test_a_held_call_waits_until_it_is_released(slack, client):
    rule = slack.faults.hold("chat.postMessage")
    waiting = asyncio.create_task(client.chat_postMessage(channel="C0SALES", text="hi"))
    await rule.reached.wait()
    assert slack.messages("sales") == [] and not waiting.done()
    rule.release()
    await waiting
    slack.faults.error("chat.postMessage", "fatal_error")
    with pytest.raises(SlackApiError, match="fatal_error"):
        await client.chat_postMessage(channel="C0SALES", text="not held, so the next rule applies")
    assert len(slack.messages("sales")) == 1


async def test_a_block_type_can_be_refused_inside_a_container_too(slack, client):
    slack.faults.refuse_blocks("table", times=1)
    table = {"type": "table", "rows": [[{"type": "raw_text", "text": "a"}]]}
    fold = {"type": "container", "title": {"type": "plain_text", "text": "E1"}, "child_blocks": [table]}
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C0SALES", text="hi", blocks=[fold])
    assert caught.value.response["error"] == "invalid_blocks"
    assert "table" in caught.value.response["response_metadata"]["messages"][0]
    await client.chat_postMessage(channel="C0SALES", text="hi", blocks=[fold])


async def test_clear_ends_everything(slack, client):
    slack.faults.rate_limit(times=None)
    slack.faults.refuse_blocks("section")
    slack.faults.duplicate_events(5)
    slack.faults.clear()
    await client.chat_postMessage(
        channel="C0SALES", text="hi", blocks=[{"type": "section", "text": {"type": "mrkdwn", "text": "x"}}]
    )
    assert slack.faults.events.copies == 1
