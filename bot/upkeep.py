"""Work that a serving process repeats for as long as it lives."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from runtime.errors import StateError


async def repeated(
    work: Callable[[], Awaitable[object]],
    every_s: float,
    sleep: Callable[[float], Awaitable[None]],
    failed: Callable[[StateError], object],
) -> None:
    """Does `work` after every `every_s` seconds of `sleep`. A state that fails is told to `failed`, and the next turn
    does the work again; anything else ends it."""
    while True:
        await sleep(every_s)
        try:
            await work()
        except StateError as error:
            failed(error)
