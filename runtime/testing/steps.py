"""Steps without durability: for one question asked on the command line, and for tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from runtime.evidence import Json


class DirectSteps:
    """Runs each step at once and keeps nothing; implements `runtime.durable.Steps`. `names` are the steps begun."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.stop_requested = False

    async def step(self, name: str, work: Callable[[], Awaitable[Json]]) -> Json:
        """The result of `work`."""
        self.names.append(name)
        return await work()
