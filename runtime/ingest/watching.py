"""Watches a reader process at a file and tells how far it is, by the bytes that the kernel counts for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from runtime.progress import Progress, tell

EVERY_SECONDS = 1.0
"""Also the time that a reading must take before it is told at all."""
_SCAN_PERCENT = 20  # of the time; the second reading of the bytes, which makes the table, takes the rest
_AHEAD_BYTES = 72 << 20
"""How much the engine reads before its first row is done, as measured with two threads. Such bytes are no work done: a
file of fewer stays at the share of its scan until it is read."""
_MOST = 99


@asynccontextmanager
async def watched(pid: int, what: str, size: int) -> AsyncGenerator[None]:
    """Tells the progress of reading `what`, a file of `size` bytes, for as long as the block runs, and its end."""
    told: list[int] = []
    watcher = asyncio.create_task(_watch(pid, what, size, told), name=f"progress of {what}")
    try:
        yield
    finally:
        watcher.cancel()
        await asyncio.gather(watcher, return_exceptions=True)
        if told:
            await tell(Progress(what, 100))


async def _watch(pid: int, what: str, size: int, told: list[int]) -> None:
    start = bytes_read(pid)
    while start is not None:
        await asyncio.sleep(EVERY_SECONDS)
        now = bytes_read(pid)
        if now is None:
            return
        # A file whose types have to be decided anew is read a third time: what was said is never taken back.
        told.append(max(percent_of(now - start, size), *told[-1:], 0))
        await tell(Progress(what, told[-1]))


def percent_of(read: int, size: int) -> int:
    """The share of the time that reading a file of `size` bytes takes, after `read` bytes: each is read twice, scanned
    and made a table, and the scan is by far the faster of the two even where both go on at once. What the engine reads
    ahead of its rows doesn't count."""
    first, second = min(read, size), max(0, min(read - size - _AHEAD_BYTES, size))
    return min(_MOST, (_SCAN_PERCENT * first + (100 - _SCAN_PERCENT) * second) // max(1, size))


def bytes_read(pid: int) -> int | None:
    """What a process has read from files and pipes so far; None where the kernel doesn't count it or it is gone."""
    try:
        counted = Path(f"/proc/{pid}/io").read_text("ascii")
    except OSError:
        return None
    return next((int(line.split()[1]) for line in counted.splitlines() if line.startswith("rchar:")), None)
