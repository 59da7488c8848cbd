"""The shared client: its own machine directly, posts never repeated blindly, paced per channel."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from aiohttp import web
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.pacing import ChannelPacer
from bot.slack_client import loopback, open_slack_client, retry_after


@pytest.mark.parametrize(
    ("host", "mine"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("slack.com", False), ("10.0.0.1", False), (None, False)],
)
def test_loopback(host, mine):
    assert loopback(host) is mine


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry-After": "3"}, 3.0), ({"retry-after": ["7"]}, 7.0), ({}, None), ({"Retry-After": "soon"}, None)],
)
def test_retry_after(headers, seconds):
    assert retry_after(headers) == seconds


@pytest.fixture
async def server():
    """Counts calls per method and answers with what `replies` holds for it, then with yes."""
    calls, replies = [], {}

    async def handle(request):
        method = request.match_info["method"]
        calls.append(method)
        queue = replies.get(method, [])
        answer = queue.pop(0) if queue else web.json_response({"ok": True})
        if answer is None:
            request.transport.close()
            return web.Response()
        return answer

    app = web.Application()
    app.router.add_route("*", "/api/{method}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/api/", calls, replies
    await runner.cleanup()


async def test_a_proxy_of_the_environment_is_not_used_for_this_machine(server, monkeypatch):
    url, calls, _ = server
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    async with open_slack_client("xoxb-1", url) as slack:
        await slack.client.api_test()
        copied = AsyncWebClient(token="xoxb-1", base_url=url, session=slack.session)
        assert copied.proxy is not None
        await copied.api_test()
    assert calls == ["api.test", "api.test"]


async def test_posts_are_not_repeated_after_a_broken_connection_but_other_calls_are(server):
    url, calls, replies = server
    async with open_slack_client("xoxb-1", url) as slack:
        replies["chat.postMessage"] = [None]
        with pytest.raises(aiohttp.ClientError):
            await slack.client.chat_postMessage(channel="C1", text="x")
        replies["users.info"] = [None]
        await slack.client.users_info(user="U1")
    assert calls.count("chat.postMessage") == 1 and calls.count("users.info") == 2


async def test_rate_limits_are_waited_for_a_bounded_number_of_times(server):
    url, calls, replies = server

    def limited(seconds):
        return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": seconds})

    async with open_slack_client("xoxb-1", url) as slack:
        replies["chat.update"] = [limited("0"), limited("0")]
        await slack.client.chat_update(channel="C1", ts="1", text="x")
        replies["chat.delete"] = [limited("600")]
        with pytest.raises(SlackApiError):
            await slack.client.chat_delete(channel="C1", ts="1")
    assert calls.count("chat.update") == 3 and calls.count("chat.delete") == 1


async def test_pacing_is_per_channel():
    pacer = ChannelPacer(per_second=1_000_000, at_once=1)
    await asyncio.gather(*(pacer.wait(f"C{n % 3}") for n in range(30)))
    slow = ChannelPacer(per_second=0.0001, at_once=1)
    await slow.wait("C1")
    waiting = asyncio.create_task(slow.wait("C1"))
    await slow.wait("C2")
    assert not waiting.done()
    waiting.cancel()
