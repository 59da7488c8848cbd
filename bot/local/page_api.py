"""The page's own routes: its files, what it shows, what its person does, and a live feed of changes."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiohttp import web

from . import page_view, page_wire
from .interactions import Interaction
from .transfer import file_response
from .typed_text import stored_text
from .wire import Json, SlackError

if TYPE_CHECKING:
    from .server import LocalSlack
    from .world import Person

_FILES = Path(__file__).parent / "page"
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
#: The feed says something at least this often, so that both ends notice a dead connection.
_HEARTBEAT_SECONDS = 15.0
_HOME_SECONDS = 3.0

Act = Callable[[Json], Awaitable[Json]]


class PageApi:
    """Routes over one running server. Every act names its person: the page is one desk with many chairs."""

    def __init__(self, slack: LocalSlack) -> None:
        self._slack = slack
        self._uploads: dict[str, tuple[str, bytes]] = {}
        self._acts: dict[str, Act] = {
            "say": self._say,
            "click": self._click,
            "command": self._command,
            "shortcut": self._shortcut,
            "invite": self._invite,
            "home": self._home,
            "view-click": self._view_click,
            "view-submit": self._view_submit,
            "view-close": self._view_close,
            "stop": self._stop,
            "fault": self._fault,
        }

    def add_routes(self, app: web.Application) -> None:
        """`/` and everything under `/page/`."""
        app.router.add_get("/", self._file)
        app.router.add_get("/page/files/{file_id}", self._download)
        app.router.add_get("/page/api/feed", self._feed)
        app.router.add_get("/page/api/world", self._answer(self._world))
        app.router.add_get("/page/api/channel/{channel}", self._answer(self._channel))
        app.router.add_get("/page/api/thread/{channel}/{ts}", self._answer(self._thread))
        app.router.add_get("/page/api/wire", self._answer(self._wire))
        app.router.add_post("/page/api/upload", self._answer(self._upload))
        app.router.add_post("/page/api/{act}", self._answer(self._act))
        app.router.add_get("/page/{name}", self._file)

    # -- reading -----------------------------------------------------------------------------------------------

    async def _file(self, request: web.Request) -> web.Response:
        path = _FILES / request.match_info.get("name", "index.html")
        if path.suffix not in _TYPES or path.parent != _FILES or not path.is_file():
            return web.Response(status=404, text="no such file")
        text = await asyncio.to_thread(path.read_text, encoding="utf-8")
        return web.Response(text=text, content_type=_TYPES[path.suffix], headers=_HEADERS)

    async def _download(self, request: web.Request) -> web.Response:
        stored = self._slack.workspace.files.get(request.match_info["file_id"])
        if stored is None or stored.content is None:
            return web.Response(status=404, text="no such file")
        return file_response(stored)

    def _answer(self, handler: Callable[[web.Request], Awaitable[Json]]) -> Callable[[web.Request], Any]:
        async def answer(request: web.Request) -> web.Response:
            try:
                return web.json_response({"ok": True, **await handler(request)}, headers=_HEADERS)
            except SlackError as error:
                return web.json_response(error.body(), status=max(error.status, 400), headers=_HEADERS)
            except (LookupError, PermissionError, ValueError) as error:
                return web.json_response({"ok": False, "error": str(error)}, status=400, headers=_HEADERS)

        return answer

    async def _world(self, request: web.Request) -> Json:
        user = request.query.get("user") or _newcomer(self._slack.workspace.world.people)
        return page_view.world(self._slack.workspace, user)

    async def _channel(self, request: web.Request) -> Json:
        return page_view.channel(self._slack.workspace, request.match_info["channel"], request.query["user"])

    async def _thread(self, request: web.Request) -> Json:
        where = request.match_info
        return page_view.thread(self._slack.workspace, where["channel"], where["ts"], request.query["user"])

    async def _wire(self, request: web.Request) -> Json:
        query = request.query
        return page_wire.since(self._slack.hub, int(query.get("calls", 0)), int(query.get("deliveries", 0)))

    async def _feed(self, request: web.Request) -> web.StreamResponse:
        stream = web.StreamResponse(headers={**_HEADERS, "Content-Type": "text/event-stream"})
        await stream.prepare(request)
        # A reader that goes away is no fault.
        with self._slack.workspace.changes.feed() as queue, contextlib.suppress(ConnectionError):
            await _pour(queue, stream)
        return stream

    # -- acting ------------------------------------------------------------------------------------------------

    async def _act(self, request: web.Request) -> Json:
        act = self._acts.get(request.match_info["act"])
        if act is None:
            raise SlackError("unknown_act", status=404)
        # Asking for JSON by its type makes a browser check with us before any cross-site request.
        if request.content_type != "application/json":
            raise SlackError("json_required", status=415)
        body = await request.json()
        if not isinstance(body, dict):
            raise SlackError("invalid_json", status=400)
        page_view.known_person(self._slack.workspace, str(body.get("user")))
        return await act(body)

    async def _upload(self, request: web.Request) -> Json:
        if request.content_type != "application/octet-stream":
            raise SlackError("octet_stream_required", status=415)
        content = await request.read()
        if not content:
            raise SlackError("empty_file", status=400)
        upload_id = self._slack.workspace.new_secret()
        self._uploads[upload_id] = (request.query.get("name") or "file", content)
        return {"upload": upload_id}

    async def _say(self, body: Json) -> Json:
        where = page_view.visible_channel(self._slack.workspace, body["channel"], body["user"])
        if where.archived:
            raise SlackError("is_archived", status=400)
        if body["user"] not in where.members:
            await self._slack.join(where.id, body["user"])
        files = [self._uploads.pop(upload) for upload in body.get("uploads") or []]
        text = stored_text(self._slack.workspace, str(body.get("text", "")))
        if not text.strip() and not files:
            raise SlackError("no_text", status=400)
        thread_ts = body.get("thread_ts")
        if thread_ts and self._slack.workspace.message(where.id, thread_ts) is None:
            raise SlackError("thread_not_found", status=400)
        return {"ts": await self._slack.say(where.id, body["user"], text, thread_ts=thread_ts, files=files)}

    async def _click(self, body: Json) -> Json:
        chosen = body.get("chosen") or {}
        outcome = await self._slack.click(
            body["user"],
            body["ts"],
            body["action_id"],
            channel=body["channel"],
            block_id=body.get("block_id"),
            **chosen,
        )
        return _told(outcome)

    async def _command(self, body: Json) -> Json:
        page_view.visible_channel(self._slack.workspace, body["channel"], body["user"])
        name, _, text = str(body["text"]).strip().partition(" ")
        return _told(await self._slack.command(body["user"], body["channel"], name, text.strip()))

    async def _shortcut(self, body: Json) -> Json:
        outcome = await self._slack.shortcut(body["user"], body["ts"], body["callback_id"], channel=body["channel"])
        return _told(outcome)

    async def _invite(self, body: Json) -> Json:
        where = page_view.visible_channel(self._slack.workspace, body["channel"], body["user"])
        if where.archived:
            raise SlackError("is_archived", status=400)
        for newcomer in (body["user"], self._slack.app.bot_user):
            if newcomer not in where.members:
                await self._slack.join(where.id, newcomer, inviter=body["user"])
        return {}

    async def _home(self, body: Json) -> Json:
        await self._slack.open_home(body["user"], "home")
        # The first time, the app needs a moment to publish; without an answer there is nothing to show.
        with contextlib.suppress(TimeoutError):
            await self._slack.wait_for(lambda: self._slack.home(body["user"]), _HOME_SECONDS)
        return {"view": self._slack.home(body["user"])}

    async def _view_click(self, body: Json) -> Json:
        chosen = body.get("chosen") or {}
        return _told(await self._slack.click_view(body["user"], body["view_id"], body["action_id"], **chosen))

    async def _view_submit(self, body: Json) -> Json:
        outcome = await self._slack.submit(body["user"], body["view_id"], body.get("values") or {})
        return {**_told(outcome), "answer": outcome.payload}

    async def _view_close(self, body: Json) -> Json:
        await self._slack.close_view(body["user"], body["view_id"])
        return {}

    async def _stop(self, body: Json) -> Json:
        await self._slack.stop_session(body["user"], body["channel"], body["thread_ts"])
        return {}

    async def _fault(self, body: Json) -> Json:
        faults, name = self._slack.faults, body.get("name")
        switches: dict[str, Callable[[], Any]] = {
            "clear": faults.clear,
            "rate_limit": lambda: faults.rate_limit("chat.*", retry_after=2),
            "lose_reply": lambda: faults.lose_reply("chat.postMessage"),
            "server_error": lambda: faults.http_error("chat.*"),
            "duplicate": lambda: faults.duplicate_events(2),
            "delay": lambda: faults.delay_events(3),
            "lose_acks": faults.lose_acks,
            "drop_share": faults.drop_file_shares,
            "no_containers": lambda: faults.refuse_blocks("container"),
        }
        if name == "disconnect":
            await self._slack.drop_sockets()
        elif name in switches:
            switches[name]()
        else:
            raise SlackError("unknown_fault", status=400)
        return {}


async def _pour(queue: asyncio.Queue[Json | None], stream: web.StreamResponse) -> None:
    while True:
        try:
            change = await asyncio.wait_for(queue.get(), _HEARTBEAT_SECONDS)
        except TimeoutError:
            await stream.write(b": still here\n\n")
            continue
        if change is None:
            return
        await stream.write(f"data: {json.dumps(change)}\n\n".encode())


def _told(outcome: Interaction) -> Json:
    return {"acked": outcome.acked, "reason": outcome.reason}


def _newcomer(people: Sequence[Person]) -> str:
    """Whose chair a visitor finds: one from which a change can be asked for that somebody else approves."""
    return next((person for person in people if not person.admin), people[0]).id
