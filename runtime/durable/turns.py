"""Runs turns durably: starts them, serialises them inside a conversation, resumes them, gives up on poisonous ones."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sqlalchemy.engine import URL

from runtime.durable.steps import Steps
from runtime.errors import ConfigurationError
from runtime.evidence import Json
from runtime.state import Inbox, InboxItem, check_file, is_sqlite, parse_url, sqlite_path

if TYPE_CHECKING:
    from runtime.durable.engine import Engine, Standing

Turn = Callable[[Steps, str], Awaitable[None]]
OnDead = Callable[[str], Awaitable[None]]
Cancelled = Literal["running", "waiting", "elsewhere", "not_found"]

ENGINE_FILE = "dbos.db"
# A turn that takes the process down each time must not do so for ever (facts/DURABLE.md 2).
MAX_RESUMPTIONS = 5
_WATCH_S = 0.25
# An interrupted turn that goes on regardless does not hold up the shutdown for longer.
_INTERRUPT_S = 5.0

log = logging.getLogger(__name__)


class Durable:
    """The durable runner of one process.

    `turn(steps, turn_id)` does one turn on the loop that `launch` was called on. It ends by marking its inbox row; when
    it raises, or was resumed more than `max_resumptions` times, `on_dead(turn_id)` is awaited and must mark the row and
    tell the person (a crash meanwhile repeats it). `application_version` changes only when turns begun by older code
    cannot be resumed by this one: those begin anew, on what the journals hold. `executor_id` names this process: where
    several share the state, a new one with every start, so that nobody takes its turns for those of an earlier life.
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
        max_resumptions: int = MAX_RESUMPTIONS,
    ) -> None:
        self._url = engine_url(database_url)
        self._version = application_version
        self._executor_id = executor_id
        self._shared = sqlite_path(self._url) is None
        self._turn = turn
        self._on_dead = on_dead
        self._concurrency = concurrency
        self._max_resumptions = max_resumptions
        self._engine: Engine | None = None
        # Turns that this process knows to be unfinished, with their conversations.
        self._open: dict[str, str] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        # Running turns that wait for a person: they hold their conversation, but no worker slot.
        self._parked: set[str] = set()
        self._stopping: set[str] = set()
        # Taken out of the queue: should the engine have claimed one at that moment, it ends before it begins.
        self._withdrawn: set[str] = set()
        # Until `recover` has listed what a crash left, no conversation counts as idle.
        self._recovered = False
        self._ended_early: set[str] = set()
        # Turns that a crash left, until somebody begins them again: each with the executor that it was left by.
        self._unbegun: dict[str, str] = {}
        self._watch: asyncio.Task[None] | None = None
        self._closing = False

    async def launch(self) -> None:
        """Starts the engine; turns that a crash interrupted resume at once, so everything they use must be open. Raises
        StateUnavailable when the engine's tables cannot be used."""
        # Imported here: half a second that only a serving process needs.
        from runtime.durable.engine import Engine

        path = sqlite_path(self._url)
        if path is not None and path.exists() and path.stat().st_size:
            check_file(path, f"Move {path.name} away: turns that are open then begin anew, on what state.db holds.")
        self._engine = Engine(
            self._url,
            version=self._version,
            executor_id=self._executor_id,
            concurrency=self._concurrency,
            max_resumptions=self._max_resumptions,
        )
        await self._engine.launch(self._run)

    async def enqueue(self, turn_id: str, conversation: str) -> None:
        """Makes a turn durable and starts it when its conversation is free. Enqueueing it again changes nothing."""
        busy = len(self._open) - len(self._parked)
        idle = self._recovered and busy < self._concurrency and conversation not in self._open.values()
        self._open[turn_id] = conversation
        stage = await self._launched.enqueue(_workflow_id(turn_id), conversation, turn_id, idle=idle)
        if stage not in ("waiting", "running"):
            self._open.pop(turn_id, None)

    @contextmanager
    def parked(self, turn_id: str) -> Generator[None]:
        """While it is open, the running turn waits for a person: another conversation's turn may have its worker slot.
        It goes on at once when the wait ends. A shutdown does not wait for parked turns."""
        self._parked.add(turn_id)
        self._launched.park(+1)
        try:
            yield
        finally:
            self._parked.discard(turn_id)
            if self._engine is not None:
                self._engine.park(-1)

    async def cancel(self, turn_id: str) -> Cancelled:
        """Stops a turn. `running`: its task got `CancelledError` and ends on its own terms (`Steps.stop_requested`).
        `waiting`: it will never begin, and the caller marks its inbox row. `elsewhere`: another executor of the state
        has it, which nobody here can interrupt. `not_found`: it has ended."""
        if self._interrupt(turn_id):
            return "running"
        workflow_id = _workflow_id(turn_id)
        standing = (await self._launched.standings([workflow_id])).get(workflow_id)
        if standing is None or standing.stage not in ("waiting", "running"):
            return "not_found"
        if standing.stage == "running" and standing.executor_id != self._executor_id and self._shared:
            return "elsewhere"
        if standing.stage == "running":
            # Begun while we looked, or about to begin: then it is stopped as its first act.
            if not self._interrupt(turn_id):
                self._stopping.add(turn_id)
            return "running"
        self._withdrawn.add(turn_id)
        await self._launched.cancel(workflow_id)
        self._settled(turn_id)
        return "waiting"

    def _interrupt(self, turn_id: str) -> bool:
        task = self._running.get(turn_id)
        if task is None:
            return False
        if turn_id not in self._stopping:  # its last words are not interrupted again
            self._stopping.add(turn_id)
            task.cancel()
        return True

    @property
    def running(self) -> frozenset[str]:
        """The turns that this process is at."""
        return frozenset(self._running)

    async def recover(self, inbox: Inbox, living: Collection[str] | None = None) -> int:
        """After `launch`, and again when another process of the state is gone: makes sure that every message that has
        not ended is being worked on, whatever a crash fell between. `living` are the executors that share the state
        now and whose turns are left to them; None when nobody does. Returns how many messages there are."""
        others = set(living or ()) - {self._executor_id}
        pending = await inbox.pending()
        found = await self._launched.standings([_workflow_id(item.turn_id) for item in pending])
        resuming: list[Standing] = []
        for item in pending:
            standing = found.get(_workflow_id(item.turn_id))
            if standing is not None and standing.stage == "running" and standing.executor_id in others:
                continue
            if standing is not None and standing.stage in ("waiting", "running") and standing.version == self._version:
                resuming.append(standing)
                self._resuming(item, standing)
            else:
                await self._restart(item, standing)
        await self.take_over({each.executor_id for each in resuming if each.stage == "running"} - others)
        self._recovered = True
        self._ended_early.clear()
        if self._unbegun and (self._watch is None or self._watch.done()):
            self._watch = asyncio.create_task(self._watch_resumed(), name="durable-watch")
        return len(pending)

    async def take_over(self, executors: Collection[str]) -> None:
        """Puts the turns of executors that are gone back in the queue, where one of the living claims each. Repeating
        it is harmless."""
        gone = set(executors) - {self._executor_id}
        if gone:
            await self._launched.take_over(sorted(gone))

    async def close(self, grace_s: float = 10.0) -> None:
        """Lets running turns end for up to `grace_s` seconds, then interrupts them; they resume at the next launch."""
        if self._engine is None:
            return
        self._closing = True
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait([self._watch])
        running = list(self._running.values())
        for turn_id in self._parked & self._running.keys():
            self._running[turn_id].cancel()
        if running:
            _, late = await asyncio.wait(running, timeout=grace_s)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=_INTERRUPT_S)
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
        if turn_id in self._withdrawn:
            return
        self._running[turn_id] = task
        self._unbegun.pop(turn_id, None)
        # The task ends only after the engine has written the outcome, which is what frees the conversation.
        task.add_done_callback(lambda _: self._settled(turn_id))
        if turn_id in self._stopping:
            task.cancel()
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
            self._stopping.discard(turn_id)

    def _settled(self, turn_id: str) -> None:
        self._running.pop(turn_id, None)
        self._open.pop(turn_id, None)
        if not self._recovered:
            self._ended_early.add(turn_id)
        if self._engine is not None and len(self._open) > len(self._running):
            self._engine.look()

    async def _give_up(self, turn_id: str) -> None:
        try:
            await self._on_dead(turn_id)
        except Exception:
            # The inbox row is still open, so the next boot tries again.
            log.exception("a turn could not be given up", extra={"turn_id": turn_id})

    def _resuming(self, item: InboxItem, standing: Standing) -> None:
        if item.turn_id in self._ended_early:
            return
        self._open[item.turn_id] = item.conversation
        if item.turn_id not in self._running:
            self._unbegun[item.turn_id] = standing.executor_id if standing.stage == "running" else ""

    async def _restart(self, item: InboxItem, standing: Standing | None) -> None:
        """A message whose turn the engine will not resume: never enqueued, of another version, or ended without an
        answer."""
        if standing is not None and standing.stage not in ("waiting", "running"):
            await self._give_up(item.turn_id)
            return
        if standing is not None:
            await self._launched.delete(standing.workflow_id)
        await self.enqueue(item.turn_id, item.conversation)

    async def _watch_resumed(self) -> None:
        """The engine gives up on a turn that was resumed too often without telling anybody: look until each turn has
        either begun, here or elsewhere, or been given up."""
        while self._unbegun:
            self._launched.look()
            found = await self._launched.standings([_workflow_id(turn_id) for turn_id in self._unbegun])
            for turn_id, left_by in tuple(self._unbegun.items()):
                standing = found.get(_workflow_id(turn_id))
                if standing is not None and self._still_to_begin(standing, left_by):
                    continue
                self._unbegun.pop(turn_id, None)
                if standing is not None and standing.stage == "given_up":
                    log.error("turn was resumed too often", extra={"turn_id": turn_id})
                    await self._give_up(turn_id)
                self._settled(turn_id)
            await asyncio.sleep(_WATCH_S)

    def _still_to_begin(self, standing: Standing, left_by: str) -> bool:
        if standing.stage == "running":
            # Claimed here, it is about to begin; by another replica, it has begun.
            return standing.executor_id in (left_by, self._executor_id)
        return standing.stage == "waiting"


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
    database (its schema `dbos`). Raises ConfigurationError for a state in memory, which nothing durable can use."""
    url = parse_url(database_url)
    path = sqlite_path(url)
    if path is None:
        if is_sqlite(url):
            raise ConfigurationError("durable turns need a state in a file or in PostgreSQL, not in memory")
        return url
    return url.set(database=str(Path(path).with_name(ENGINE_FILE)))


def _workflow_id(turn_id: str) -> str:
    return f"turn:{turn_id}"
