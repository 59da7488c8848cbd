"""The HTTP side: requests that Slack signed, and two health addresses. Nothing of any other request is parsed."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import hmac
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.envelope import missing_in
from bot.identity import CLOCK_SECONDS
from runtime.clock import Clock
from runtime.errors import ConfigurationError

log = structlog.get_logger(__name__)

SLACK_PATH = "/slack/events"
_BODY_BYTES = 4 * 1024 * 1024
BODY_SECONDS = 10.0  # Slack itself gives up after three (facts/SLACK.md 1.3)
_TIMESTAMP, _SIGNATURE = "X-Slack-Request-Timestamp", "X-Slack-Signature"
_TIMESTAMP_DIGITS = 12
# Bolt reads who and where out of a body as it takes it, and trusts it to be an object with the usual parts.
_NOT_A_PAYLOAD = (AttributeError, TypeError, LookupError)


class _ServerLog(logging.LoggerAdapter[logging.Logger]):
    """The server's own log, where a request that is no proper HTTP is one line and no traceback."""

    def exception(self, msg: object, *args: object, exc_info: Any = True, **kwargs: Any) -> None:
        if isinstance(exc_info, HttpProcessingError):
            log.warning("a request that is not as HTTP wants it was refused", reason=type(exc_info).__name__)
        else:
            super().exception(msg, *args, exc_info=exc_info, **kwargs)


class HttpServer:
    """Serves `POST /slack/events` (events, interactions and commands), `/livez` and `/readyz` on one port."""

    def __init__(
        self,
        app: AsyncApp,
        signing_secret: str,
        *,
        port: int,
        clock: Clock,
        ready: Callable[[], Awaitable[bool]],
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self._app = app
        self._secret = signing_secret.encode()
        self._port = port
        self._clock = clock
        self._ready = ready
        self._body_seconds = body_seconds
        web_app = web.Application(client_max_size=_BODY_BYTES)
        web_app.router.add_post(SLACK_PATH, self._slack)
        web_app.router.add_get("/livez", self._live)
        web_app.router.add_get("/readyz", self._readiness)
        self._runner = web.AppRunner(web_app, access_log=None, logger=_ServerLog(logging.getLogger(__name__)))

    async def start(self) -> int:
        """Listens, and returns the port. Raises ConfigurationError when the port cannot be had."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, "0.0.0.0", self._port).start()
        except OSError as error:
            await self._runner.cleanup()
            why = "is used by another program" if error.errno == errno.EADDRINUSE else f"cannot be opened: {error}"
            raise ConfigurationError(f"Port {self._port} {why}. Set FOOTNOTE_HTTP_PORT to a free one.") from error
        return int(self._runner.addresses[0][1])

    async def close(self) -> None:
        """Stops listening."""
        await self._runner.cleanup()

    async def _slack(self, request: web.Request) -> web.StreamResponse:
        timestamp = request.headers.get(_TIMESTAMP, "")
        if not self._timely(timestamp):
            return web.Response(status=401, text="the request's timestamp is missing or too far off")
        try:
            async with asyncio.timeout(self._body_seconds):
                body = await request.read()
        except TimeoutError:
            return web.Response(status=408, text="the request's body did not come in time")
        except web.RequestPayloadError:
            return web.Response(status=400, text="the request's body is not what its headers say")
        if not self._signed(timestamp, body, request.headers.get(_SIGNATURE, "")):
            return web.Response(status=401, text="the request's signature is missing or wrong")
        try:
            asked = AsyncBoltRequest(
                body=body.decode("utf-8"),
                query=request.query_string,
                headers=request.headers,  # pyright: ignore[reportArgumentType] - Bolt takes any mapping
            )
        except (ValueError, RecursionError, *_NOT_A_PAYLOAD) as error:
            log.warning("a body that Slack signed cannot be read; nothing was done", reason=type(error).__name__)
            return web.Response(status=400, text="the request's body cannot be read")
        if (reason := missing_in(asked.body)) is not None:
            log.warning("a body that Slack signed is nothing that is taken here; nothing was done", reason=reason)
            return web.Response(status=200)  # another delivery would bring the same
        return await to_aiohttp_response(await self._app.async_dispatch(asked))

    def _signed(self, timestamp: str, body: bytes, signature: str) -> bool:
        """Whether Slack signed these very bytes."""
        digest = hmac.new(self._secret, b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(f"v0={digest}".encode(), signature.encode(errors="surrogateescape"))

    def _timely(self, timestamp: str) -> bool:
        """A signature is good for minutes; a clock that is off is said to the operator."""
        if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= _TIMESTAMP_DIGITS):
            return False
        skew = self._clock.now().timestamp() - int(timestamp)
        if abs(skew) > CLOCK_SECONDS:
            log.error(
                "request refused: its timestamp and our clock are too far apart; check the clock", skew_s=round(skew)
            )
            return False
        return True

    async def _live(self, _: web.Request) -> web.Response:
        return web.Response(text="ok")

    async def _readiness(self, _: web.Request) -> web.Response:
        ready = await self._ready()
        return web.Response(text="ready" if ready else "not ready", status=200 if ready else 503)
