"""How many calls of a run may read at the same time, in all and per source."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from runtime.limits import Limits


class Gate:
    """Counts the reads under way: at most `concurrent_reads`, and `concurrent_reads_per_source` on one source."""

    def __init__(self, limits: Limits) -> None:
        self._all = asyncio.Semaphore(limits.concurrent_reads)
        self._per_source = defaultdict[str, asyncio.Semaphore](
            lambda: asyncio.Semaphore(limits.concurrent_reads_per_source)
        )

    @asynccontextmanager
    async def pass_through(self, source: str | None) -> AsyncGenerator[None]:
        """Waits for a free place; the source's own place first, so that a busy source doesn't block the others."""
        if source is None:
            yield
            return
        async with self._per_source[source], self._all:
            yield
