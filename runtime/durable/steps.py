"""What a turn needs from whatever runs it: named steps whose results survive a crash."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from runtime.errors import FootnoteError
from runtime.evidence import Json


class StepFailed(FootnoteError):
    """A step had failed before a crash: its failure is replayed, not its work. The message is the first failure's."""


class Steps(Protocol):
    """The steps of one turn, numbered in the order in which they begin; a resumed turn must begin the same ones."""

    @property
    def stop_requested(self) -> bool:
        """True once a person stopped the turn. It tells a stop from a shutdown: both arrive as `CancelledError`; on a
        stop the turn may catch it, say so and end; on a shutdown it must let it pass, and is resumed later."""
        ...

    async def step(self, name: str, work: Callable[[], Awaitable[Json]]) -> Json:
        """Runs `work` once and keeps its result; a resumed turn gets that result without running it. Work that a crash
        interrupts runs again. Failures that a turn can go on from are results, not exceptions: an exception ends the
        step for good and a replay raises StepFailed instead."""
        ...


class DirectSteps:
    """Steps without durability, for one question that is asked on the command line: each runs at once and nothing is
    kept. `names` are the steps begun."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.stop_requested = False

    async def step(self, name: str, work: Callable[[], Awaitable[Json]]) -> Json:
        """The result of `work`."""
        self.names.append(name)
        return await work()
