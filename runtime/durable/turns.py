"""Runs turns durably: starts them, serialises them inside a conversation, resumes them, gives up on poisonous ones."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sqlalchemy.engine import URL

from runtime.durable.steps import Steps
from runtime.evidence import Json
from runtime.state import Inbox, parse_url, sqlite_path

if TYPE_CHECKING:
    from runtime.durable.engine import Engine

Turn = Callable[[Steps, str], Awaitable[None]]
OnDead = Callable[[str], Awaitable[None]]
Cancelled = Literal["running", "waiting", "not_found"]

ENGINE_FILE = "dbos.db"
_WATCH_S = 0.25

log = logging.getLogger(__name__)


class Durable:
    """The durable runner of one process.

    `turn(steps, turn_id)` does one turn on the loop that `launch` was called on. It ends by marking its inbox row; when
    it raises, or was resumed more than five times, `on_dead(turn_id)` is awaited once and must mark the row and tell
    the person. `application_version` changes only when turns begun by older code cannot be resumed by this one: those
    begin anew, on what the journals hold.
    """

    def __init__(
        self,
        *,
        database_url: str,
        application_version: str,
        executor_id: str,
        turn: Turn,
        on_dead: OnDead,
        concurrency: int = 8,
    ) -> None:
        self._url = engine_url(database_url)
        self._version = application_version
        self._executor_id = executor_id
        self._turn = turn
        self._on_dead = on_dead
        self._concurrency = concurrency
        self._engine: Engine | None = None
        self._running: dict[str, asyncio.Task[None]] = {}
        self._begun: set[str] = set()
        self._stopping: set[str] = set()
        self._closing = False
        self._watch: asyncio.Task[None] | None = None

    async def launch(self) -> None:
        """Starts the engine; turns that a crash interrupted resume at once, so everything they use must be open."""
        # Imported here: half a second that only a serving process needs.
        from runtime.durable.engine import Engine

        self._engine = Engine(
            self._url, version=self._version, executor_id=self._executor_id, concurrency=self._concurrency
        )
        await self._engine.launch(self._run)

    async def enqueue(self, turn_id: str, conversation: str) -> None:
        """Makes a turn durable and starts it when its conversation is free. Enqueueing it again changes nothing."""
        await self._launched.enqueue(_workflow_id(turn_id), conversation, turn_id)

    async def cancel(self, turn_id: str) -> Cancelled:
        """Stops a turn. `running`: its task got `CancelledError` and ends on its own terms (`Steps.stop_requested`).
        `waiting`: it will never begin, and the caller marks its inbox row. `not_found`: it has ended."""
        task = self._running.get(turn_id)
        if task is not None:
            self._stopping.add(turn_id)
            task.cancel()
            return "running"
        workflow_id = _workflow_id(turn_id)
        standing = (await self._launched.standings([workflow_id])).get(workflow_id)
        if standing is None or standing.stage not in ("waiting", "running"):
            return "not_found"
        await self._launched.cancel(workflow_id)
        return "waiting"

    async def recover(self, inbox: Inbox) -> int:
        """Boot: makes sure that every message that has not ended is being worked on, whatever the crash fell between.
        Returns how many such messages there are."""
        pending = await inbox.pending()
        found = await self._launched.standings([_workflow_id(item.turn_id) for item in pending])
        resuming: set[str] = set()
        strangers: set[str] = set()
        for item in pending:
            standing = found.get(_workflow_id(item.turn_id))
            if standing is None:
                await self.enqueue(item.turn_id, item.conversation)
            elif standing.stage not in ("waiting", "running"):
                await self._give_up(item.turn_id)
            elif standing.version != self._version:
                await self._launched.delete(standing.workflow_id)
                await self.enqueue(item.turn_id, item.conversation)
            else:
                resuming.add(item.turn_id)
                strangers |= {standing.executor_id} - {self._executor_id} if standing.stage == "running" else set()
        # SQLite state is held by one process alone, so any other executor in it is dead.
        if strangers and sqlite_path(self._url) is not None:
            await self._launched.take_over(sorted(strangers))
        if resuming:
            self._watch = asyncio.create_task(self._watch_resumed(resuming), name="durable-watch")
        return len(pending)

    async def close(self, grace_s: float = 10.0) -> None:
        """Lets running turns end for up to `grace_s` seconds, then interrupts them; they resume at the next launch."""
        if self._engine is None:
            return
        self._closing = True
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait([self._watch])
        running = list(self._running.values())
        if running:
            _, late = await asyncio.wait(running, timeout=grace_s)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)
        await self._engine.destroy()
        self._engine = None

    @property
    def _launched(self) -> Engine:
        if self._engine is None:
            raise RuntimeError("Durable.launch has not been awaited")
        return self._engine

    async def _run(self, turn_id: str) -> None:
        """The body of the workflow, and the edge where a turn's surprises end."""
        task = asyncio.current_task()
        assert task is not None
        if self._closing:
            # Taken from the queue while the engine was shutting down: left for the next launch.
            raise asyncio.CancelledError
        self._running[turn_id] = task
        self._begun.add(turn_id)
        try:
            await self._turn(_TurnSteps(self._launched, self._stopping, turn_id), turn_id)
        except asyncio.CancelledError:
            if turn_id not in self._stopping:
                raise
            task.uncancel()
            await self._give_up(turn_id)
        except Exception:
            log.exception("turn failed", extra={"turn_id": turn_id})
            await self._give_up(turn_id)
        finally:
            self._running.pop(turn_id, None)
            self._stopping.discard(turn_id)

    async def _give_up(self, turn_id: str) -> None:
        try:
            await self._on_dead(turn_id)
        except Exception:
            # The inbox row is still open, so the next boot tries again.
            log.exception("a turn could not be given up", extra={"turn_id": turn_id})

    async def _watch_resumed(self, resuming: set[str]) -> None:
        """The engine gives up on a turn that was resumed too often without telling anybody: look until each turn has
        either begun or been given up."""
        while waiting := resuming - self._begun:
            found = await self._launched.standings([_workflow_id(turn_id) for turn_id in waiting])
            for turn_id in waiting:
                standing = found.get(_workflow_id(turn_id))
                if standing is None or standing.stage in ("ended", "given_up"):
                    resuming.discard(turn_id)
                if standing is not None and standing.stage == "given_up":
                    log.error("turn was resumed too often", extra={"turn_id": turn_id})
                    await self._give_up(turn_id)
            await asyncio.sleep(_WATCH_S)


class _TurnSteps:
    """The steps of one turn, on the engine."""

    def __init__(self, engine: Engine, stopping: set[str], turn_id: str) -> None:
        self._engine = engine
        self._stopping = stopping
        self._turn_id = turn_id

    @property
    def stop_requested(self) -> bool:
        return self._turn_id in self._stopping

    async def step(self, name: str, work: Callable[[], Awaitable[Json]]) -> Json:
        return await self._engine.step(name, work)


def engine_url(database_url: str) -> URL:
    """Where the workflow engine keeps its own tables: `dbos.db` beside a SQLite state file, else the same PostgreSQL
    database (its schema `dbos`)."""
    url = parse_url(database_url)
    path = sqlite_path(url)
    if path is None:
        return url
    return url.set(database=str(Path(path).with_name(ENGINE_FILE)))


def _workflow_id(turn_id: str) -> str:
    return f"turn:{turn_id}"
