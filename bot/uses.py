"""How much work stands on what is open now, so that it is closed only after the last of it."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager


class Uses:
    """A count of running work, and the moment when there is none."""

    def __init__(self) -> None:
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()

    @contextmanager
    def one(self) -> Generator[None]:
        """Counts as running for as long as the block does."""
        self._count += 1
        self._none.clear()
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self._none.set()

    async def ended(self) -> None:
        """Returns when nothing runs."""
        await self._none.wait()
