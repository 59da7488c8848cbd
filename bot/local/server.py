"""The running local workspace: HTTP surface, lifetime, and the Python interface for tests and the demo."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Mapping
from copy import deepcopy
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from aiohttp import web

from runtime.clock import Clock, SystemClock

from . import acting, interactions
from .delivery import ACK_SECONDS, RETRY_DELAYS, Delivered, Delivery
from .faults import Faults
from .guard import LOOPBACK_NAMES, host_guard
from .hub import Hub
from .interactions import Interaction
from .responses import answer
from .signed_http import SignedHttp
from .socket_mode import SocketMode
from .transfer import Transfer
from .web_api import WebApi
from .wire import ApiCall, Json
from .workspace import Grant, Refusal, Status, Workspace
from .world import AppInstall, World, demo_world

Found = TypeVar("Found")
_MOST_BYTES = 1024**3
_PORTS_TRIED = 50


class LocalSlack:
    """A Slack-shaped server on this machine. `async with LocalSlack() as slack: …`.

    `strict` enforces every limit; `enforce_rate` also the pace; `ack_seconds` and `retry_delays` may be
    shortened by tests. The port is free to choose (0 = any); it binds to `host`, loopback by default.
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
        retry_delays: tuple[float, ...] = RETRY_DELAYS,
        allowed_hosts: frozenset[str] = LOOPBACK_NAMES,
    ) -> None:
        self.workspace = Workspace(
            world or demo_world(), clock or SystemClock(), strict=strict, enforce_rate=enforce_rate
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
    def app(self) -> AppInstall:
        """The app under test."""
        return self.workspace.app()

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

    @property
    def mention(self) -> str:
        """How a message names the bot."""
        return f"<@{self.app.bot_user}>"

    async def use_http(self, request_url: str) -> bool:
        """Deliver by signed HTTP from now on; whether the app answered Slack's URL verification."""
        self.app.mode, self.app.request_url = "http", request_url
        return await self.hub.signed.verify_url(self.app)

    # -- what people do ------------------------------------------------------------------------------------------

    async def say(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread_ts: str | None = None,
        files: Mapping[str, bytes] | None = None,
        broadcast: bool = False,
        extra: Json | None = None,
    ) -> str:
        """A person writes in a channel (id, name or `#name`) or thread, with files `{name: bytes}`; the timestamp."""
        where = self.workspace.channel_named(channel)
        return acting.say(
            self.hub, where, user, text, thread_ts=thread_ts, files=files, broadcast=broadcast, extra=extra
        )

    async def ask(self, channel: str, user: str, question: str, **options: Any) -> str:
        """A person mentions the bot; the timestamp."""
        return await self.say(channel, user, f"{self.mention} {question}", **options)

    async def tell(self, user: str, text: str, **options: Any) -> str:
        """A person writes to the bot directly; the timestamp. `dm(user)` is the channel."""
        return await self.say(self.dm(user), user, text, **options)

    def dm(self, user: str) -> str:
        """The direct message between this person and the bot."""
        return self.workspace.direct_message(user).id

    async def edit(self, channel: str, ts: str, user: str, text: str) -> None:
        """A person edits their own message."""
        acting.edit(self.hub, self.workspace.channel_named(channel), ts, user, text)

    async def delete(self, channel: str, ts: str) -> None:
        """A message is deleted; a root cannot be replied to any more."""
        acting.delete(self.hub, self.workspace.channel_named(channel), ts)

    async def click(
        self,
        user: str,
        message_ts: str,
        action_id: str,
        *,
        channel: str | None = None,
        block_id: str | None = None,
        **chosen: Any,
    ) -> Interaction:
        """A person uses an element; `chosen` adds e.g. `selected_option=…`. Waits for the acknowledgement (3 s)."""
        channel_id, message = interactions.find_message(self.workspace, message_ts, channel)
        owner, element = interactions.find_element(message.get("blocks"), action_id, block_id)
        visible_to = element.get("visible_to_user_ids")
        if visible_to and user not in visible_to:
            raise PermissionError(f"{action_id} is not shown to {user}")
        if message.get("shown_to", user) != user:
            raise PermissionError(f"message {message_ts} is not shown to {user}")
        return await interactions.click(
            self.hub, self._owner(message), user, channel_id, message, owner, {**element, **chosen}
        )

    async def click_view(self, user: str, view_id: str, action_id: str, **chosen: Any) -> Interaction:
        """A person uses an element of a modal or of App Home."""
        view = self._view(view_id)
        owner, element = interactions.find_element(view.get("blocks"), action_id)
        app = self.workspace.app(view["app_id"])
        return await interactions.click_view(self.hub, app, user, view, owner, {**element, **chosen})

    async def command(self, user: str, channel: str, command: str, text: str = "") -> Interaction:
        """A person uses a slash command; what the acknowledgement says is shown to them."""
        where = self.workspace.channel_named(channel).id
        outcome = await interactions.command(self.hub, self.app, user, where, command, text)
        if outcome.acked and outcome.payload:
            grant = Grant(self.app.app_id, user, where, self.workspace.now())
            answer(self.hub, grant, outcome.payload, method="command_ack")
        return outcome

    async def shortcut(
        self, user: str, message_ts: str, callback_id: str, *, channel: str | None = None
    ) -> Interaction:
        """A person uses a message shortcut."""
        channel_id, message = interactions.find_message(self.workspace, message_ts, channel)
        return await interactions.shortcut(self.hub, self.app, user, channel_id, message, callback_id)

    async def submit(self, user: str, view_id: str, values: Json | None = None) -> Interaction:
        """A person submits a modal: `values` = `{block_id: {action_id: {...}}}`."""
        view = self._view(view_id)
        return await interactions.submit(self.hub, self.workspace.app(view["app_id"]), user, view, values or {})

    async def close_view(self, user: str, view_id: str) -> Interaction | None:
        """A person closes a modal."""
        view = self._view(view_id)
        return await interactions.close(self.hub, self.workspace.app(view["app_id"]), user, view)

    async def open_home(self, user: str, tab: Literal["home", "messages"] = "home") -> None:
        """A person opens the app's page."""
        acting.open_home(self.hub, self.workspace.direct_message(user), user, tab)

    async def stop_session(self, user: str, channel: str, thread_ts: str) -> None:
        """A person presses the native Stop."""
        acting.stop_session(self.hub, self.workspace.channel_named(channel), thread_ts, user)

    async def join(self, channel: str, user: str, inviter: str | None = None) -> None:
        """Somebody joins; the bot itself with `slack.app.bot_user`."""
        acting.join(self.hub, self.workspace.channel_named(channel), user, inviter)

    async def leave(self, channel: str, user: str) -> None:
        """Somebody leaves or is removed."""
        acting.leave(self.hub, self.workspace.channel_named(channel), user)

    async def archive(self, channel: str, user: str = "U0ANN") -> None:
        """A channel is archived."""
        acting.archive(self.hub, self.workspace.channel_named(channel), user)

    async def share_channel(self, channel: str, team: str) -> None:
        """A channel is shared with another organisation."""
        acting.share_channel(self.hub, self.workspace.channel_named(channel), team)

    async def revoke_tokens(self) -> None:
        """The bot token is revoked: every call says so from now on."""
        acting.revoke_tokens(self.hub)

    async def emit(self, event: Json, *, channel: str | None = None, event_id: str | None = None) -> str:
        """Send any event to the app under test; its event id."""
        where = self.workspace.channel_named(channel) if channel else None
        return self.hub.delivery.event(self.app, event, where, event_id=event_id)

    # -- what can be seen ----------------------------------------------------------------------------------------

    @property
    def faults(self) -> Faults:
        """The fault switches."""
        return self.workspace.faults

    @property
    def calls(self) -> list[ApiCall]:
        """Every Web API call so far."""
        return self.workspace.calls

    def calls_to(self, method: str) -> list[ApiCall]:
        """The calls of one method."""
        return [call for call in self.workspace.calls if call.method == method]

    @property
    def refusals(self) -> list[Refusal]:
        """Every payload that a limit refused."""
        return self.workspace.refusals

    @property
    def cautions(self) -> list[str]:
        """What Slack accepts but treats badly: over-long text, unfurled links."""
        return self.workspace.cautions

    @property
    def statuses(self) -> list[Status]:
        """Every status line so far, clearings included."""
        return self.workspace.statuses

    @property
    def deliveries(self) -> list[Delivered]:
        """Every finished delivery attempt."""
        return self.hub.delivery.attempts

    @property
    def ephemerals(self) -> list[Json]:
        """Messages shown to one person (`shown_to`)."""
        return self.workspace.ephemerals

    @property
    def views(self) -> dict[str, Json]:
        """Open modals by id."""
        return self.workspace.views

    @property
    def sockets(self) -> int:
        """How many sockets the app under test holds."""
        return len(self.hub.sockets.live(self.app.app_id))

    def home(self, user: str) -> Json | None:
        """A person's App Home as published."""
        return self.workspace.homes.get((self.app.app_id, user))

    def status(self, channel: str, thread_ts: str) -> str:
        """The status line of a thread now."""
        return self.workspace.status(self.workspace.channel_named(channel).id, thread_ts)

    def messages(self, channel: str, thread_ts: str | None = None) -> list[Json]:
        """Copies of a channel's top-level messages or of a thread (root first), metadata included."""
        where = self.workspace.channel_named(channel).id
        found = self.workspace.history(where) if thread_ts is None else self.workspace.thread(where, thread_ts)
        return deepcopy(found)

    def answers(self, channel: str, thread_ts: str) -> list[Json]:
        """The bot's messages in a thread, oldest first."""
        return [m for m in self.messages(channel, thread_ts) if m.get("bot_id") == self.app.bot_id]

    def file(self, file_id: str) -> bytes:
        """A file's bytes."""
        content = self.workspace.files[file_id].content
        if content is None:
            raise LookupError(f"no bytes for {file_id}")
        return content

    async def wait_for(self, predicate: Callable[[], Found], timeout: float = 10.0) -> Found:
        """Wait until `predicate()` is true, woken by every change; TimeoutError with the last calls."""
        try:
            return await self.workspace.changes.wait_for(predicate, timeout)
        except TimeoutError:
            raise TimeoutError(self._story()) from None

    async def wait_for_answers(self, channel: str, thread_ts: str, count: int = 1, timeout: float = 10.0) -> list[Json]:
        """Wait for at least `count` messages of the bot in a thread."""

        def enough() -> list[Json] | None:
            found = self.answers(channel, thread_ts)
            return found if len(found) >= count else None

        found = await self.wait_for(enough, timeout)
        return found or []

    async def wait_for_socket(self, count: int = 1, timeout: float = 10.0) -> None:
        """Wait until the app holds at least `count` sockets."""
        await self.wait_for(lambda: self.sockets >= count, timeout)

    async def settled(self, timeout: float = 10.0) -> None:
        """Wait until every event was delivered or given up (retries that wait for their minute count as on the way)."""
        await self.wait_for(lambda: self.hub.delivery.idle, timeout)

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

    # -- inside --------------------------------------------------------------------------------------------------

    def _owner(self, message: Json) -> AppInstall:
        return self.workspace.app(message.get("app_id", self.app.app_id))

    def _view(self, view_id: str) -> Json:
        for view in [*self.workspace.views.values(), *self.workspace.homes.values()]:
            if view["id"] == view_id:
                return view
        raise LookupError(f"no view {view_id}")

    def _story(self) -> str:
        lines = [f"  {c.number} {c.method} → {c.error or ('ok' if c.ok else c.status)}" for c in self.calls[-12:]]
        refused = [f"  {r.method}: {r.error} {' '.join(r.messages)}" for r in self.refusals[-5:]]
        parts = ["nothing like it happened; last calls:", *(lines or ["  none"])]
        return "\n".join([*parts, *(["refused:", *refused] if refused else [])])


async def start_local(
    host: str = "127.0.0.1", port: int = 8300, *, world: World | None = None, **options: Any
) -> LocalSlack:
    """A running server on `port`, or on the next free one. OSError when fifty ports are busy."""
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
