"""Signed HTTP over a real port: what Slack signed is taken, and nothing of any other request is read."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from typing import Any

import aiohttp
import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.http import HttpServer
from bot.local.signed_http import sign
from runtime.testing.clock import START, ManualClock

SECRET = "between Slack and us"
CHALLENGE = json.dumps({"type": "url_verification", "challenge": "as sent"}).encode()


class Caller:
    """Sends requests to the port; signed unless told otherwise."""

    def __init__(self, session: aiohttp.ClientSession, port: int) -> None:
        self.session, self.url = session, f"http://127.0.0.1:{port}/slack/events"

    def headers(self, body: bytes) -> dict[str, str]:
        timestamp = str(int(START.timestamp()))
        return {
            "Content-Type": "application/json",
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": sign(SECRET, timestamp, body),
        }

    async def post(self, body: bytes, **headers: str) -> tuple[int, str]:
        """Status and text; `headers` by their names with `_` for `-`."""
        sent = self.headers(body) | {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.session.post(self.url, data=body, headers=sent) as reply:
            return reply.status, await reply.text()


@contextlib.asynccontextmanager
async def calling(**settings: Any) -> AsyncGenerator[Caller]:
    """A caller of the HTTP side over an app that listens to nothing; Slack itself is not asked for a challenge."""

    async def ready() -> bool:
        return True

    client = AsyncWebClient(token="xoxb-none", base_url="http://127.0.0.1:9/api/")
    app = AsyncApp(client=client, request_verification_enabled=False)
    server = HttpServer(app, SECRET, port=0, clock=ManualClock(), ready=ready, **settings)
    port = await server.start()
    async with aiohttp.ClientSession() as session:
        yield Caller(session, port)
    await server.close()


@pytest.fixture
async def caller() -> AsyncGenerator[Caller]:
    async with calling() as caller:
        yield caller


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "application/xml"])
async def test_a_challenge_that_slack_signed_is_sent_back(caller, content_type) -> None:
    status, text = await caller.post(CHALLENGE, Content_Type=content_type)
    assert (status, json.loads(text)) == (200, {"challenge": "as sent"})


@pytest.mark.parametrize(
    "body", [CHALLENGE, b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b"payload=%7B", b""], ids=repr
)
@pytest.mark.parametrize("signature", ["", "v0=" + "0" * 64, "v0=é", "no signature at all"])
async def test_what_slack_did_not_sign_is_refused_unread(caller, capfd, body, signature) -> None:
    status, text = await caller.post(body, X_Slack_Signature=signature)
    assert (status, text) == (401, "the request's signature is missing or wrong")
    assert "Traceback" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("timestamp", ["", "soon", "1.5", "-5", "9" * 12, "9" * 400, "9" * 5_000, "²"])
async def test_a_timestamp_that_is_none_or_far_off_is_refused(caller, capfd, timestamp) -> None:
    status, text = await caller.post(CHALLENGE, X_Slack_Request_Timestamp=timestamp)
    assert (status, text) == (401, "the request's timestamp is missing or too far off")
    assert "Traceback" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 100_000, b"9" * 5_000])
async def test_a_signed_body_that_cannot_be_read_is_a_bad_request(caller, body) -> None:
    assert await caller.post(body) == (400, "the request's body cannot be read")


@pytest.mark.parametrize(
    "body",
    [
        [], None, 5, "text", {"team": 5}, {"authorizations": [None]}, {"authorizations": [5]},
    ],
    ids=json.dumps,
)  # fmt: skip
async def test_a_signed_body_that_is_no_payload_is_a_bad_request_in_one_line(caller, capfd, body) -> None:
    assert await caller.post(json.dumps(body).encode()) == (400, "the request's body cannot be read")
    one_line(capfd, "cannot be read")


@pytest.mark.parametrize(
    "body",
    [
        {}, {"type": 5}, {"type": []}, {"type": "news"}, {"event": None}, {"type": "url_verification"},
        {"type": "event_callback"}, {"type": "event_callback", "event": None}, {"type": "event_callback", "event": []},
        {"type": "event_callback", "event": "text"},
        {"type": "event_callback", "event": {}}, {"type": "event_callback", "event": {"type": "app_mention"}},
        {"type": "block_actions"}, {"type": "block_actions", "user": {"id": "U1"}, "actions": []},
        {"type": "block_actions", "user": {"id": "U1"}, "actions": [None]},
        {"type": "view_submission", "user": {"id": "U1"}, "view": None}, {"type": "shortcut", "user": []},
        {"command": 5}, {"command": "/footnote"},
    ],
    ids=json.dumps,
)  # fmt: skip
async def test_a_signed_body_that_is_no_event_is_acked_and_said_in_one_line(caller, capfd, body) -> None:
    assert await caller.post(json.dumps(body).encode()) == (200, "")
    one_line(capfd, "nothing that is taken here")


async def test_a_header_line_that_is_too_long_is_refused_in_one_line(caller, capfd) -> None:
    assert (await caller.post(CHALLENGE, X_Long="a" * 20_000))[0] == 400
    one_line(capfd, "LineTooLong")


def one_line(capfd: pytest.CaptureFixture[str], part: str) -> None:
    """One line was logged, with `part` in it."""
    lines = "".join(capfd.readouterr()).splitlines()
    assert len(lines) == 1, lines
    assert part in lines[0]


async def test_a_body_that_is_not_packed_as_its_headers_say_is_a_bad_request(caller) -> None:
    status, text = await caller.post(CHALLENGE, Content_Encoding="gzip")
    assert (status, text) == (400, "the request's body is not what its headers say")


async def test_a_body_of_more_than_four_megabytes_is_refused(caller) -> None:
    assert (await caller.post(b"x" * (4 * 1024 * 1024 + 1)))[0] == 413


async def test_a_body_that_stays_away_is_not_waited_for() -> None:
    held = asyncio.Event()

    async def half() -> AsyncGenerator[bytes]:
        yield CHALLENGE[:5]
        await held.wait()

    async with (
        calling(body_seconds=0.01) as caller,
        caller.session.post(caller.url, data=half(), headers=caller.headers(CHALLENGE)) as reply,
    ):
        assert (reply.status, await reply.text()) == (408, "the request's body did not come in time")
        held.set()
