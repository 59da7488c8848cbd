"""One remote server: what of it was admitted, what is known of it now, and calls that trust neither."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import structlog

from runtime.admission.manifest import McpSource
from runtime.clock import Clock
from runtime.engines.mcp.offer import Listing
from runtime.engines.mcp.result import RemoteResult
from runtime.engines.mcp.tool import RemoteTool
from runtime.errors import CallError
from runtime.limits import Limits

if TYPE_CHECKING:
    from runtime.engines.mcp.conversation import Heard, Network

log = structlog.get_logger(__name__)

Changed = Callable[[str, str, str], None]
"""Hears once of a tool that is not what was admitted any more: the source's id, the tool's name, and why."""


class RemoteServer:
    """An admitted MCP source. Made without a connection; nothing that the server does can stop a start."""

    def __init__(
        self, source: McpSource, token: str | None, limits: Limits, clock: Clock, changed: Changed | None = None
    ) -> None:
        self.source = source
        self.tools = {name: RemoteTool(name, digest, limits) for name, digest in source.tools.items()}
        self.unreachable = ""
        self._token, self._limits, self._clock, self._changed = token, limits, clock, changed
        self._network: Network | None = None
        self._look: asyncio.Task[None] | None = None
        self._looked_at = 0.0

    def begin(self) -> None:
        """Starts a first look in the background."""
        if self._look is None:
            self._looked_at = self._clock.monotonic()
            self._look = asyncio.create_task(self._look_once(), name=f"look at {self.source.id}")

    async def ready(self) -> None:
        """Waits for the look that is under way. When the last one failed and some time has passed, makes another; a
        call needs none before it, since it compares by itself."""
        if self._look is not None and self._look.done() and self.standing and self._due():
            self._look = None
        self.begin()
        if self._look is not None:
            await asyncio.shield(self._look)

    @property
    def standing(self) -> str:
        """Why some or all of its tools can't be used now, in our words; '' when all can."""
        if self.unreachable:
            return self.unreachable
        return "; ".join(
            f"{name} is unavailable: {tool.reason}" for name, tool in self.tools.items() if not tool.offered
        )

    async def listing(self) -> Listing:
        """What the server offers now, admitted or not. Raises CallError `source_unavailable`, `timeout`."""
        return (await self._in_time(lambda _: None)).listing

    async def call(self, name: str, arguments: Mapping[str, Any]) -> RemoteResult:
        """Calls an admitted tool, after the server's identity and the tool's contract were compared once more in the
        same conversation; the caller keeps the time. Raises CallError `invalid_arguments`, `remote_changed`,
        `remote_failed`, `output_invalid`, `source_unavailable`."""
        tool = self.tools[name]
        if tool.changed:
            tool.require()
        if len(json.dumps(arguments)) > self._limits.mcp_request_bytes:
            raise CallError("invalid_arguments", f"The arguments exceed {self._limits.mcp_request_bytes:,} bytes.")

        def choose(listing: Listing) -> tuple[str, Mapping[str, Any]]:
            self.settle(listing)
            tool.require()
            return name, arguments

        heard = await (await self._connected()).converse(choose)
        return RemoteResult.of(heard.result or {}, self._limits)

    def _due(self) -> bool:
        return self._clock.monotonic() - self._looked_at >= self._limits.mcp_retry_seconds

    def settle(self, listing: Listing) -> None:
        """Compares every admitted tool with what is offered."""
        self.unreachable = ""
        for tool in self.tools.values():
            before = tool.changed
            tool.settle(listing)
            if tool.changed and not before:
                log.warning("remote tool changed", source=self.source.id, tool=tool.name, reason=tool.changed)
                if self._changed is not None:
                    self._changed(self.source.id, tool.name, tool.changed)

    async def _look_once(self) -> None:
        try:
            await self._in_time(self.settle)
        except CallError as error:
            self.unreachable = error.message
            log.warning("remote source unavailable", source=self.source.id, reason=error.message)

    async def _in_time(self, choose: Callable[[Listing], None]) -> Heard:
        network = await self._connected()  # loading a package is not the server's time
        try:
            async with asyncio.timeout(self._limits.mcp_seconds):
                return await network.converse(choose)
        except TimeoutError as error:
            raise CallError("timeout", f"It did not answer within {self._limits.mcp_seconds} s.") from error

    async def _connected(self) -> Network:
        if self._network is not None:
            return self._network
        # the package takes a second to load: not on the loop, and only where a remote source is declared
        module = await asyncio.to_thread(import_module, "runtime.engines.mcp.conversation")
        made: Network = await asyncio.to_thread(module.Network, self.source.url, self._token, self._limits)
        self._network = self._network or made
        return self._network

    async def close(self) -> None:
        """Ends the look that is under way and closes the connections."""
        if self._look is not None:
            self._look.cancel()
            await asyncio.gather(self._look, return_exceptions=True)
        if self._network is not None:
            await self._network.close()
