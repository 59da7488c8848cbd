"""Admitted sources over servers on loopback."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.admission.manifest import McpSource
from runtime.engines.mcp import Listing, RemoteServer
from runtime.limits import DEFAULT
from runtime.testing.clock import ManualClock


class Admitting:
    """Makes sources over a server, pinned to what it offers at that moment."""

    def __init__(self) -> None:
        self.opened: list[RemoteServer] = []
        self.clock = ManualClock()

    def source(self, url: str, tools: dict[str, str], *, token: str | None = None, **limits: int) -> RemoteServer:
        declared: dict[str, Any] = {"audience": {"im": True}, "tools": tools, "url": url, "alias": "tracker"}
        source = McpSource(id="tracker", kind="mcp", **declared)
        server = RemoteServer(source, token, DEFAULT.override(limits), self.clock)
        self.opened.append(server)
        return server

    async def listing(self, url: str) -> Listing:
        return await self.source(url, {}).listing()

    async def admit(self, url: str, *names: str, **options: Any) -> RemoteServer:
        """A source with these tools as they are now, looked at once."""
        listing = await self.listing(url)
        digests = {offer.tool["name"]: offer.digest for offer in listing.offers()}
        server = self.source(url, {name: digests[name] for name in names}, **options)
        await server.ready()
        return server


@pytest.fixture
async def admitting():
    made = Admitting()
    yield made
    for server in made.opened:
        await server.close()
