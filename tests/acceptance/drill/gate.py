"""A door between the bot and Slack that can be shut: new connections are refused and those that stand break."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from bot.local.demo.postgresql import quiet_port


class Gate:
    """Forwards a loopback port of its own to another one."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self.port = quiet_port()

    async def open(self) -> None:
        """Takes connections; the port stays the same over all openings."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)

    async def shut(self) -> None:
        """Refuses connections."""
        if self._server is not None:
            self._server.close()
            for writer in list(self._open):
                writer.transport.abort()
            await self._server.wait_closed()
            self._server = None

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward_reader, onward = await asyncio.open_connection("127.0.0.1", self._target)
        ends = {writer, onward}
        self._open |= ends
        try:
            await asyncio.gather(_pump(reader, onward), _pump(onward_reader, writer))
        finally:
            self._open -= ends
            for end in ends:
                end.close()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await source.read(65_536):
            target.write(data)
            await target.drain()
    target.close()


@contextlib.asynccontextmanager
async def gate_to(port: int) -> AsyncGenerator[Gate]:
    """An open gate to a loopback port."""
    gate = Gate(port)
    await gate.open()
    try:
        yield gate
    finally:
        await gate.shut()
