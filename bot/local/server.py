"""The running local workspace: HTTP surface, lifetime, and the Python interface for tests and the demo."""

from __future__ import annotations

import asyncio
import errno
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from runtime.clock import Clock, SystemClock

from .delivery import ACK_SECONDS, RETRY_DELAYS, Delivery
from .guard import LOOPBACK_NAMES, host_guard
from .hub import Hub
from .page_api import PageApi
from .people import People
from .signed_http import SignedHttp
from .socket_mode import SocketMode
from .transfer import Transfer
from .watching import Watching
from .web_api import WebApi
from .workspace import TRIGGER_SECONDS, Workspace
from .world import World, demo_world

_MOST_BYTES = 1024**3
_PORTS_TRIED = 50


class LocalSlack(People, Watching):
    """A Slack-shaped server on this machine. `async with LocalSlack() as slack: …`.

    `strict` enforces every limit; `enforce_rate` also the pace; tests that are about something else may let Slack wait
    longer (`ack_seconds`, `trigger_seconds`) and try again sooner (`retry_delays`). The port is free to choose (0 =
    any); it binds to `host`, loopback by default.
    """

    def __init__(
        self,
        world: World | None = None,
        *,
        clock: Clock | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        strict: bool = True,
        enforce_rate: bool = False,
        ack_seconds: float = ACK_SECONDS,
        trigger_seconds: float = TRIGGER_SECONDS,
        retry_delays: tuple[float, ...] = RETRY_DELAYS,
        allowed_hosts: frozenset[str] = LOOPBACK_NAMES,
    ) -> None:
        self.workspace = Workspace(
            world or demo_world(),
            clock or SystemClock(),
            strict=strict,
            enforce_rate=enforce_rate,
            trigger_seconds=trigger_seconds,
        )
        delivery = Delivery(self.workspace, ack_seconds=ack_seconds, retry_delays=retry_delays)
        self.hub = Hub(self.workspace, delivery, SocketMode(self.workspace), SignedHttp(self.workspace))
        delivery.transports.update(socket=self.hub.sockets, http=self.hub.signed)
        self._host, self._port = host, port
        self._runner = web.AppRunner(self._routes(allowed_hosts), access_log=None, shutdown_timeout=0.5)

    def _routes(self, allowed_hosts: frozenset[str]) -> web.Application:
        app = web.Application(middlewares=[host_guard(allowed_hosts)], client_max_size=_MOST_BYTES)
        transfer = Transfer(self.hub)
        app.router.add_route("*", "/api/{method}", WebApi(self.hub).handle)
        app.router.add_get("/link", self.hub.sockets.handle)
        app.router.add_post("/upload/v1/{secret}", transfer.upload)
        app.router.add_get("/files-pri/{reference}/{name}", transfer.download)
        app.router.add_get("/files-pri/{reference}/download/{name}", transfer.download)
        app.router.add_post("/response/{app_id}/{secret}", transfer.response_url)
        PageApi(self).add_routes(app)
        return app

    # -- lifetime ----------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Listen. OSError when the port is busy."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self._port).start()
        except OSError:
            await self._runner.cleanup()
            raise
        host, port = self._runner.addresses[0][:2]
        self.workspace.url = f"http://{host}:{port}"

    async def close(self) -> None:
        """Stop listening; sockets close, held requests are let go, deliveries end."""
        self.faults.clear()
        self.workspace.changes.end_feeds()
        await self.hub.delivery.close()
        await self.hub.sockets.drop()
        await self.hub.signed.close()
        await self._runner.cleanup()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # -- addresses and secrets -----------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """Where the page is: `http://127.0.0.1:PORT`."""
        return self.workspace.url

    @property
    def port(self) -> int:
        """The port in use."""
        return int(self.workspace.url.rpartition(":")[2])

    @property
    def api_url(self) -> str:
        """The Web API's base URL, as `SLACK_API_URL` wants it (with the final slash)."""
        return f"{self.workspace.url}/api/"

    @property
    def bot_token(self) -> str:
        """`SLACK_BOT_TOKEN`."""
        return self.app.bot_token

    @property
    def app_token(self) -> str:
        """`SLACK_APP_TOKEN`."""
        return self.app.app_token

    @property
    def signing_secret(self) -> str:
        """`SLACK_SIGNING_SECRET`."""
        return self.app.signing_secret

    async def use_http(self, request_url: str) -> bool:
        """Deliver by signed HTTP from now on; whether the app answered Slack's URL verification."""
        self.app.mode, self.app.request_url = "http", request_url
        return await self.hub.signed.verify_url(self.app)

    # -- the network ---------------------------------------------------------------------------------------------

    async def disconnect(self, reason: str = "refresh_requested") -> int:
        """Slack asks every socket to reconnect."""
        return await self.hub.sockets.disconnect(reason)

    async def drop_sockets(self) -> int:
        """Every socket breaks."""
        return await self.hub.sockets.drop()

    def hurry_retries(self) -> None:
        """Retries that wait for their minute happen now."""
        self.hub.delivery.hurry()


async def start_local(
    host: str = "127.0.0.1", port: int = 8300, *, world: World | None = None, **options: Any
) -> LocalSlack:
    """A running server on `port`, or on the next free one; loopback only.

    Raises ValueError for any other address, OSError when fifty ports are busy.
    """
    if host not in LOOPBACK_NAMES:
        raise ValueError(f"the local workspace listens on loopback only, not on {host!r}")
    for candidate in range(port, port + _PORTS_TRIED):
        slack = LocalSlack(world, host=host, port=candidate, **options)
        try:
            await slack.start()
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return slack
    raise OSError(errno.EADDRINUSE, f"ports {port} to {port + _PORTS_TRIED - 1} are all busy")


async def run_until_cancelled(slack: LocalSlack) -> None:
    """Keep a started server open until the task is cancelled."""
    try:
        await asyncio.Event().wait()
    finally:
        await slack.close()
