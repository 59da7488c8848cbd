"""Signed HTTP delivery: Slack's v0 signature, retry headers, and the answer's meaning."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlencode

import aiohttp

from .delivery import Ack, Packet
from .wire import Json
from .workspace import Workspace
from .world import AppInstall


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """The `x-slack-signature` of a body."""
    return "v0=" + hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()


@dataclass(slots=True)
class SignedHttp:
    """Posts packets to an app's request URL. Signatures carry real time (`wall`), since the app checks real time."""

    workspace: Workspace
    wall: Callable[[], float] = time.time
    _session: aiohttp.ClientSession | None = field(default=None)

    async def send(self, app: AppInstall, packet: Packet, ack_seconds: float) -> Ack:
        """One signed request; `ok` for HTTP 200."""
        body, content_type = _encode(packet)
        headers = {"Content-Type": content_type, "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)"}
        headers |= self._signature(app, body)
        if packet.attempt:
            headers["x-slack-retry-num"] = str(packet.attempt)
            headers["x-slack-retry-reason"] = packet.retry_reason or "unknown_error"
        try:
            return await self._post(app.request_url or "", body, headers, ack_seconds)
        except TimeoutError:
            return Ack(False, reason="http_timeout")
        except aiohttp.TooManyRedirects:
            return Ack(False, reason="too_many_redirects")
        except aiohttp.ClientError:
            return Ack(False, reason="connection_failed")

    async def verify_url(self, app: AppInstall) -> bool:
        """Slack's `url_verification`: whether the app echoes the challenge."""
        challenge = self.workspace.new_secret()
        payload: Json = {"type": "url_verification", "token": app.verification_token, "challenge": challenge}
        body = json.dumps(payload).encode()
        headers = {"Content-Type": "application/json", **self._signature(app, body)}
        async with self._client().post(app.request_url or "", data=body, headers=headers) as reply:
            return reply.status == 200 and challenge in await reply.text()

    async def close(self) -> None:
        """Close the client session."""
        if self._session is not None:
            await self._session.close()

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession()
        return self._session

    def _signature(self, app: AppInstall, body: bytes) -> dict[str, str]:
        timestamp = str(int(self.wall() + self.workspace.faults.events.signature_skew))
        return {
            "x-slack-request-timestamp": timestamp,
            "x-slack-signature": sign(app.signing_secret, timestamp, body),
        }

    async def _post(self, url: str, body: bytes, headers: dict[str, str], ack_seconds: float) -> Ack:
        timeout = aiohttp.ClientTimeout(total=ack_seconds)
        async with self._client().post(url, data=body, headers=headers, timeout=timeout, max_redirects=2) as reply:
            text = await reply.text()
            if reply.status != 200:
                return Ack(False, reason="http_error", no_retry=reply.headers.get("x-slack-no-retry") == "1")
            return Ack(True, _answer(text))


def _encode(packet: Packet) -> tuple[bytes, str]:
    form = "application/x-www-form-urlencoded"
    if packet.kind == "events_api":
        return json.dumps(packet.payload).encode(), "application/json"
    if packet.kind == "slash_commands":
        return urlencode(packet.payload).encode(), form
    return urlencode({"payload": json.dumps(packet.payload)}).encode(), form


def _answer(text: str) -> Json | None:
    if not text.strip():
        return None
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return {"text": text}
    return value if isinstance(value, dict) else {"text": text}
