"""Lives of the bot as processes, forked from one that has read the product already, so that each starts soon."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.acceptance.change_drill.dying import ARM, live

_START_S = _END_S = 180.0
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        live.__module__,
        "runtime.durable.engine",
        "runtime.engines.postgresql.updates",
        "runtime.state.migrations",
        "guest.host.pool",
        "anthropic.resources.messages",
        "runtime.models.anthropic.adapter",
    ]
)


class Life:
    """One process that serves until it dies at its moment."""

    def __init__(self, process: Any, line: Connection) -> None:
        self._process, self._line = process, line

    @classmethod
    def begin(cls, environment: Mapping[str, str], moment: str, log: Path, *, armed: bool) -> Life:
        """Starts it; it is not ready yet. `armed`: it may die on what it finds."""
        here, there = _FORKS.Pipe()
        process = _FORKS.Process(target=live, args=(dict(environment), moment, armed, there, str(log)))
        process.start()
        there.close()
        return cls(process, here)

    async def ready(self) -> None:
        """Until it serves."""
        await self._says("ready")

    async def arm(self) -> None:
        """From now on it dies where its moment comes."""
        self._line.send(ARM)
        await self._says(ARM)

    async def died(self) -> int:
        """Its exit code, once it has ended."""
        await _readable(self._process.sentinel)
        self._process.join()
        return int(self._process.exitcode)

    async def end(self) -> int:
        """SIGTERM, and its exit code."""
        os.kill(self._process.pid, signal.SIGTERM)
        return await asyncio.wait_for(self.died(), _END_S)

    async def gone(self) -> None:
        """Whatever happened, nothing of it is left."""
        if self._process.is_alive():
            self._process.kill()
            await self.died()
        self._line.close()

    async def _says(self, word: str) -> None:
        """Waits for the word; for ever where the process is dead, which whoever waits beside it sees."""
        async with asyncio.timeout(_START_S):
            await _readable(self._line.fileno())
        with suppress(EOFError, ConnectionError):
            assert self._line.recv() == word
            return
        await asyncio.Event().wait()


async def _readable(fd: int) -> None:
    came, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.add_reader(fd, came.set)
    try:
        await came.wait()
    finally:
        loop.remove_reader(fd)
