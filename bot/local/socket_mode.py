"""Socket Mode: tickets, hello, envelopes, acknowledgements, refresh and disconnect."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from .delivery import Ack, Packet
from .wire import Json
from .workspace import Workspace
from .world import AppInstall

#: Slack allows this many open sockets per app.
MAX_SOCKETS = 10


@dataclass(slots=True, eq=False)
class Socket:
    """One live connection of one app."""

    app_id: str
    stream: web.WebSocketResponse
    pending: dict[str, asyncio.Future[Ack]] = field(default_factory=dict)


@dataclass(slots=True)
class SocketMode:
    """All sockets of all apps; each packet goes to any one of them, in turn."""

    workspace: Workspace
    sockets: list[Socket] = field(default_factory=list)
    _tickets: dict[str, str] = field(default_factory=dict)
    _turn: int = 0

    def issue_url(self, app: AppInstall) -> str:
        """A single-use address for one new socket."""
        ticket = self.workspace.new_secret()
        self._tickets[ticket] = app.app_id
        base = self.workspace.url.replace("http", "ws", 1)
        return f"{base}/link?ticket={ticket}&app_id={app.app_id}"

    def live(self, app_id: str) -> list[Socket]:
        """Open sockets of one app."""
        return [socket for socket in self.sockets if socket.app_id == app_id and not socket.stream.closed]

    @property
    def waiting(self) -> int:
        """How many packets were sent and wait for their acknowledgement."""
        return sum(len(socket.pending) for socket in self.sockets)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """`GET /link`: one socket, from hello to its end."""
        app_id = self._tickets.pop(request.query.get("ticket", ""), None)
        if app_id is None:
            return web.Response(status=403, text="invalid or used ticket")
        stream = web.WebSocketResponse(heartbeat=None)
        await stream.prepare(request)
        if len(self.live(app_id)) >= MAX_SOCKETS:
            await stream.send_json({"type": "disconnect", "reason": "too_many_websockets"})
            await stream.close()
            return stream
        socket = Socket(app_id, stream)
        self.sockets.append(socket)
        try:
            await stream.send_json(self._hello(app_id))
            self.workspace.changes.notify("socket", app_id=app_id)
            await self._listen(socket)
        finally:
            self._gone(socket)
        return stream

    async def send(self, app: AppInstall, packet: Packet, ack_seconds: float) -> Ack:
        """Bring a packet to any one live socket and wait for its acknowledgement."""
        envelope_id = self.workspace.numbering.new("env-")
        answer: asyncio.Future[Ack] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ack_seconds):
                socket = await self.workspace.changes.wait_for(lambda: self._next(app.app_id), ack_seconds)
                socket.pending[envelope_id] = answer
                await socket.stream.send_str(json.dumps(_envelope(envelope_id, packet)))
                self.workspace.changes.notify("sent", envelope_id=envelope_id)
                return await answer
        except TimeoutError:
            return Ack(False, reason="timeout")
        except ConnectionError:
            return Ack(False, reason="connection_failed")

    async def disconnect(self, reason: str = "refresh_requested", app_id: str | None = None) -> int:
        """Ask sockets to go (`warning`, `refresh_requested`, `link_disabled`); the number asked."""
        chosen = [socket for socket in self.sockets if app_id in (None, socket.app_id)]
        for socket in chosen:
            # A client that is already leaving needs no notice.
            with contextlib.suppress(ConnectionError):
                await socket.stream.send_json({"type": "disconnect", "reason": reason})
        return len(chosen)

    async def drop(self, app_id: str | None = None) -> int:
        """Close sockets without a word, as a broken network does; the number closed."""
        chosen = [socket for socket in self.sockets if app_id in (None, socket.app_id)]
        await asyncio.gather(*(socket.stream.close() for socket in chosen))
        return len(chosen)

    def _next(self, app_id: str) -> Socket | None:
        live = self.live(app_id)
        self._turn += 1
        return live[self._turn % len(live)] if live else None

    def _hello(self, app_id: str) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self.live(app_id)),
            "connection_info": {"app_id": app_id},
            "debug_info": {"host": "local", "build_number": 1, "approximate_connection_time": 18060},
        }

    async def _listen(self, socket: Socket) -> None:
        async for frame in socket.stream:
            if frame.type is WSMsgType.TEXT and frame.data.startswith("{"):
                reply = json.loads(frame.data)
                answer = socket.pending.pop(reply.get("envelope_id", ""), None)
                if answer is not None and not answer.done():
                    answer.set_result(Ack(True, reply.get("payload")))

    def _gone(self, socket: Socket) -> None:
        self.sockets.remove(socket)
        for answer in socket.pending.values():
            if not answer.done():
                answer.set_result(Ack(False, reason="connection_failed"))
        self.workspace.changes.notify("socket", app_id=socket.app_id)


def _envelope(envelope_id: str, packet: Packet) -> Json:
    body: Json = {
        "envelope_id": envelope_id,
        "payload": packet.payload,
        "type": packet.kind,
        "accepts_response_payload": packet.accepts_response,
    }
    if packet.kind == "events_api":
        body["retry_attempt"] = packet.attempt
        body["retry_reason"] = packet.retry_reason or ""
    return body
