"""Tells whoever waits how far long work is; the work doesn't know who listens, and the listener not who works."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Of work on `what` (a file's path), `percent` (0 to 100) is done; at 100 it is over, well or not."""

    what: str
    percent: int


Listener = Callable[[Progress], Awaitable[None]]
_listener: ContextVar[Listener | None] = ContextVar("progress_listener", default=None)


@contextmanager
def told_to(listener: Listener) -> Generator[None]:
    """Work begun inside the block tells this listener, which must be quick and not fail."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


async def tell(progress: Progress) -> None:
    """Says it to the listener of the work around, if there is one."""
    listener = _listener.get()
    if listener is not None:
        await listener(progress)
