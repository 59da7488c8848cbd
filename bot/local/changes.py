"""Tells whoever waits that something changed: conditions for tests, a feed for the page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from .wire import Json

Found = TypeVar("Found")


class Changes:
    """A wake-up call after every change; nobody polls."""

    def __init__(self) -> None:
        self._waiters: set[asyncio.Event] = set()
        self._feeds: set[asyncio.Queue[Json | None]] = set()
        self.version = 0

    def notify(self, kind: str, **details: object) -> None:
        """Announce a change of `kind` to every waiter and feed."""
        self.version += 1
        for event in self._waiters:
            event.set()
        for feed in self._feeds:
            feed.put_nowait({"kind": kind, "version": self.version, **details})

    async def wait_for(self, predicate: Callable[[], Found | None], timeout: float) -> Found:
        """The predicate's first truthy value; TimeoutError after `timeout` seconds of real time."""
        event = asyncio.Event()
        self._waiters.add(event)
        try:
            async with asyncio.timeout(timeout):
                while not (found := predicate()):
                    await event.wait()
                    event.clear()
                return found
        finally:
            self._waiters.discard(event)

    def end_feeds(self) -> None:
        """Tell every feed that nothing more will come."""
        for feed in self._feeds:
            feed.put_nowait(None)

    @contextmanager
    def feed(self) -> Iterator[asyncio.Queue[Json | None]]:
        """A queue that receives every change until the block ends; None means the end of all changes."""
        queue: asyncio.Queue[Json | None] = asyncio.Queue()
        self._feeds.add(queue)
        try:
            yield queue
        finally:
            self._feeds.discard(queue)
