"""Lives of the bot as a process of its own: started, killed without a word, and nothing of it left behind."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from contextlib import suppress
from pathlib import Path

from tests.acceptance.conftest import Stage

_START_S = 120.0
_GONE_S = 60.0
_ERROR = re.compile(r"Traceback|\berror\b|\bcritical\b", re.IGNORECASE)


class Life:
    """One `footnote serve`. What it says on standard error is kept for the report of a failure."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.born = time.monotonic()
        self.start_s: float | None = None
        self.said: list[str] = []
        self._more = asyncio.Condition()
        self._listener = asyncio.create_task(self._listen())

    @classmethod
    async def begin(cls, stage: Stage) -> Life:
        """Starts the process; it is not ready yet."""
        return cls(await stage.spawn(PYTHONFAULTHANDLER="1"))

    async def ready(self) -> None:
        """Until it says that it is ready. AssertionError with its words when it ends instead."""
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), _START_S)
        if b"ready" not in line:
            await self._listener
            raise AssertionError(f"footnote serve did not start: {line.decode()}{''.join(self.said[-40:])}")
        self.start_s = time.monotonic() - self.born

    async def says(self, words: str) -> None:
        """Until it has logged these words."""
        async with asyncio.timeout(_START_S), self._more:
            await self._more.wait_for(lambda: any(words in line for line in self.said))

    async def kill(self) -> None:
        """SIGKILL. Its query workers and readers must end by themselves; AssertionError when one stays."""
        watched = [fd for pid in descendants(self.process.pid) if (fd := _watch(pid)) is not None]
        self.process.kill()
        await self.process.wait()
        await self._listener
        async with asyncio.timeout(_GONE_S):
            await asyncio.gather(*(_gone(fd) for fd in watched))

    async def end(self) -> int:
        """SIGTERM, and its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = await asyncio.wait_for(self.process.wait(), 180)
        await self._listener
        return code

    def complaints(self) -> list[str]:
        """What it logged as an error, with what follows. While it is stopping, the socket client complains of events
        that it can acknowledge no more: those come again."""
        stopping = next((n for n, line in enumerate(self.said) if "stopping;" in line), len(self.said))
        return ["".join(self.said[n : n + 60]) for n, line in enumerate(self.said[:stopping]) if _ERROR.search(line)]

    async def _listen(self) -> None:
        assert self.process.stderr is not None
        while line := await self.process.stderr.readline():
            async with self._more:
                self.said.append(line.decode(errors="replace"))
                self._more.notify_all()


def descendants(pid: int) -> list[int]:
    """The processes below `pid`, now."""
    found = list[int]()
    with suppress(OSError):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, children.read_text().split()):
                found += [child, *descendants(child)]
    return found


def _watch(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


async def _gone(fd: int) -> None:
    """Until the process behind a pidfd has ended."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(fd, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(fd)
        os.close(fd)
