"""A durable runner on a fresh state, on SQLite and, where it can be had, on PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from runtime.clock import SystemClock, random_id
from runtime.durable import Durable, Steps
from runtime.state import State, open_state

TurnBody = Callable[[Steps, str], Awaitable[None]]


class House:
    """One installation: its state, what happened in it, and its runner, which can be restarted."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.state: State = open_state(url, clock=SystemClock(), new_id=random_id)
        self.dead: list[str] = []
        self.died = asyncio.Event()
        self.runner: Durable | None = None

    async def start(
        self, turn: TurnBody, *, version: str = "1", executor: str = "here", recover: bool = True, concurrency: int = 8
    ) -> Durable:
        async def on_dead(turn_id: str) -> None:
            await self.state.inbox.finish(turn_id, "failed")
            self.dead.append(turn_id)
            self.died.set()

        self.runner = Durable(
            database_url=self.url,
            application_version=version,
            executor_id=executor,
            turn=turn,
            on_dead=on_dead,
            concurrency=concurrency,
        )
        await self.runner.launch()
        if recover:
            await self.runner.recover(self.state.inbox)
        return self.runner

    async def stop(self, grace_s: float = 0.0) -> None:
        if self.runner is not None:
            await self.runner.close(grace_s)
            self.runner = None

    async def accept(self, name: str, conversation: str = "T:C:1") -> str:
        return (await self.state.inbox.accept(name, None, conversation, "mention", {})).turn_id


@pytest.fixture
async def house(state_url: str) -> AsyncIterator[House]:
    made = House(state_url)
    yield made
    await made.stop()
    made.state.close()
