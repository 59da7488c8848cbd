"""A place that hands out files as Slack does, and misbehaves as it was seen to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.shared_files.fetching import Fetcher
from bot.slack_client import open_slack_client
from runtime.engines.workspace.byte_store import DirectoryBytes

TOKEN = "xoxb-of-the-test"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Place:
    """The server: `file` answers downloads, `infos` are what files.info says, one after the other (the last for
    good). `asked` are the paths that were asked for with the token that came along."""

    base: str = ""
    file: Handler | None = None
    infos: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def info(self, request: web.Request) -> web.Response:
        self.asked.append(("files.info", ""))
        answer = self.infos.pop(0) if len(self.infos) > 1 else self.infos[0]
        return web.json_response({"ok": True, "file": answer} if "error" not in answer else {"ok": False, **answer})

    async def hand_out(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.path, request.headers.get("Authorization", "")))
        assert self.file is not None
        return await self.file(request)

    def described(self, **more: Any) -> dict[str, Any]:
        """A file object of 12 bytes, as Slack describes one."""
        return {
            "id": "F1",
            "name": "a.csv",
            "size": 12,
            "mimetype": "text/csv",
            "mode": "hosted",
            "url_private_download": f"{self.base}/files-pri/T-F1/download/a.csv",
        } | more


def bytes_of(body: bytes, content_type: str = "text/csv", status: int = 200) -> Handler:
    """A handler that hands these bytes out."""

    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type=content_type, status=status)

    return handler


@contextlib.asynccontextmanager
async def serving(place: Place) -> AsyncGenerator[str]:
    """Serves a place; its address."""
    app = web.Application()
    app.router.add_route("*", "/api/files.info", place.info)
    app.router.add_get("/{path:.*}", place.hand_out)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    place.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield place.base
    finally:
        await runner.cleanup()


@dataclass
class Bench:
    """A fetcher over a place; `naps` are the pauses that it took, which last no time."""

    place: Place
    fetcher: Fetcher
    store: DirectoryBytes
    naps: list[float]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[Bench]:
    """A place and a fetcher that may take a minute for a file."""
    place, naps = Place(), list[float]()

    async def nap(seconds: float) -> None:
        naps.append(seconds)
        await asyncio.sleep(0)

    async with serving(place), open_slack_client(TOKEN, f"{place.base}/api/", rate_limit_retries=0) as slack:
        store = DirectoryBytes(tmp_path / "bytes")
        fetcher = Fetcher(slack.client, slack.session, store, 60, nap)
        yield Bench(place, fetcher, store, naps)
