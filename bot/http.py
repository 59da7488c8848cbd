"""The HTTP side: Slack's signed requests, and two health addresses."""

from __future__ import annotations

import errno
from collections.abc import Awaitable, Callable

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.app.async_app import AsyncApp

from bot.identity import CLOCK_SECONDS
from runtime.clock import Clock
from runtime.errors import ConfigurationError

log = structlog.get_logger(__name__)

SLACK_PATH = "/slack/events"
_BODY_BYTES = 4 * 1024 * 1024
_TIMESTAMP = "X-Slack-Request-Timestamp"


class HttpServer:
    """Serves `POST /slack/events` (events, interactions and commands), `/livez` and `/readyz` on one port."""

    def __init__(self, app: AsyncApp, *, port: int, clock: Clock, ready: Callable[[], Awaitable[bool]]) -> None:
        self._app = app
        self._port = port
        self._clock = clock
        self._ready = ready
        web_app = web.Application(client_max_size=_BODY_BYTES)
        web_app.router.add_post(SLACK_PATH, self._slack)
        web_app.router.add_get("/livez", self._live)
        web_app.router.add_get("/readyz", self._readiness)
        self._runner = web.AppRunner(web_app, access_log=None)

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
        if not self._timely(request.headers.get(_TIMESTAMP, "")):
            return web.Response(status=401, text="the request's timestamp is missing or too far off")
        return await to_aiohttp_response(await self._app.async_dispatch(await to_bolt_request(request)))

    def _timely(self, timestamp: str) -> bool:
        """Bolt checks this too, but fails on a timestamp that is no number and says nothing to the operator."""
        if not timestamp.isascii() or not timestamp.isdigit():
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
