"""The byte routes: uploads by secret address, downloads by token, answers by response url."""

from __future__ import annotations

import json
from urllib.parse import quote

from aiohttp import BodyPartReader, web

from . import file_store
from .hub import Hub
from .responses import respond
from .wire import Json, SlackError
from .workspace import StoredFile

_LOGIN_PAGE = "<!DOCTYPE html><html><head><title>Slack</title></head><body>Sign in to your workspace</body></html>"
#: Types that a browser may show; anything else is offered as a download.
_SHOWN = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class Transfer:
    """Handlers over one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def upload(self, request: web.Request) -> web.Response:
        """`POST /upload/v1/SECRET`: raw bytes or one multipart part."""
        content = await _content(request)
        try:
            stored = file_store.receive(self._hub.workspace, request.match_info["secret"], content)
        except LookupError:
            return web.Response(status=404, text="unknown upload address")
        except ValueError as error:
            return web.Response(status=400, text=str(error))
        return web.Response(text=f"OK - {len(stored.content or b'')}")

    async def download(self, request: web.Request) -> web.Response:
        """`GET /files-pri/TEAM-FILE/…`: bytes for a token with `files:read`, else a login page with HTTP 200."""
        file_id = request.match_info["reference"].partition("-")[2]
        stored = self._hub.workspace.files.get(file_id)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        readers = [app for app in self._hub.workspace.world.apps if app.bot_token == token and not app.revoked]
        if not any("files:read" in app.scopes for app in readers):
            return web.Response(text=_LOGIN_PAGE, content_type="text/html")
        if stored is None or stored.content is None:
            return web.Response(status=404, text="file not found")
        return file_response(stored)

    async def response_url(self, request: web.Request) -> web.Response:
        """`POST /response/APP/SECRET`."""
        try:
            body = json.loads(await request.read() or b"{}")
        except json.JSONDecodeError:
            return web.Response(status=400, text="invalid_payload")
        try:
            respond(self._hub, request.match_info["secret"], body if isinstance(body, dict) else {})
        except SlackError as error:
            reply: Json = error.body()
            return web.json_response(reply, status=error.status)
        return web.Response(text="ok")


def file_response(stored: StoredFile) -> web.Response:
    """The bytes with headers under which no browser runs them."""
    mimetype = stored.info.get("mimetype", "application/octet-stream")
    name = quote(stored.info["name"])
    shown = mimetype in _SHOWN
    return web.Response(
        body=stored.content,
        content_type=mimetype,
        headers={
            "Content-Disposition": f"{'inline' if shown else 'attachment'}; filename*=UTF-8''{name}",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'",
        },
    )


async def _content(request: web.Request) -> bytes:
    if not request.content_type.startswith("multipart/"):
        return await request.read()
    reader = await request.multipart()
    async for part in reader:
        if isinstance(part, BodyPartReader):
            return bytes(await part.read())
    return b""
