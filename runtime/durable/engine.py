"""The adapter to DBOS Transact, which beside `direct` and `wake` nothing imports (facts/DURABLE.md 2 and 9 say why)."""

from __future__ import annotations

import asyncio
import contextvars
import importlib
import logging
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, PortableWorkflowError, SetEnqueueOptions, SetWorkflowID
from sqlalchemy import event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from runtime.durable.direct import DirectStart
from runtime.durable.steps import StepFailed
from runtime.durable.wake import QueueWake
from runtime.errors import StateUnavailable
from runtime.evidence import Json
from runtime.state import write_ahead

QUEUE = "turns"
WORKFLOW = "turn"
# A backstop: local work is announced (wake.py). On PostgreSQL another replica may have enqueued it.
POLL_S = {"sqlite": 1.0, "postgresql": 0.25}
SCHEMA = "dbos"

_CONNECTIONS = 8
_BUSY_TIMEOUT_MS = 30_000

Stage = Literal["waiting", "running", "ended", "given_up"]
_STAGES: dict[str, Stage] = {
    "ENQUEUED": "waiting",
    "DELAYED": "waiting",
    "PENDING": "running",
    "MAX_RECOVERY_ATTEMPTS_EXCEEDED": "given_up",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a workflow stands: its stage, who has it, and the version it was begun under."""

    workflow_id: str
    stage: Stage
    executor_id: str
    version: str


class Engine:
    """One running DBOS. There can be one in a process, as DBOS itself allows no more."""

    def __init__(self, url: URL, *, version: str, executor_id: str, concurrency: int, max_resumptions: int) -> None:
        self._url = url
        self._version = version
        self._executor_id = executor_id
        self._concurrency = concurrency
        self._max_resumptions = max_resumptions
        self._wake = QueueWake(QUEUE)
        self._direct = DirectStart()
        self._workflow: Any = None
        self._parked = 0

    async def launch(self, run: Callable[[str], Awaitable[None]]) -> None:
        """Starts the engine and takes up this executor's interrupted workflows. Called on the loop that the workflows
        will run on: the engine adopts the loop that it is launched from."""
        _quiet_vendor()

        async def turn(turn_id: str) -> None:
            await run(turn_id)

        self._workflow = DBOS.workflow(name=WORKFLOW, max_recovery_attempts=self._max_resumptions)(turn)
        self._wake.install()
        self._direct.install()
        DBOS(config=self._config())
        with _typed():
            DBOS.launch()
        self._leave_out_the_parked()
        await DBOS.register_queue_async(
            QUEUE,
            partition_concurrency=1,
            worker_concurrency=self._concurrency,
            polling_interval_sec=POLL_S[self._url.get_backend_name()],
            on_conflict="always_update",
        )
        self._wake.new_queue()

    async def enqueue(self, workflow_id: str, partition: str, turn_id: str, *, idle: bool) -> Stage:
        """Durable when it returns; the same id twice is one workflow. Returns where it stands then. `idle`: nothing
        else of this partition is open, so it may start at once (which only SQLite's single process can know)."""
        # In a context of its own: to the engine, whoever enqueues (a turn, say) is not a parent to be recorded.
        work = self._enqueue(workflow_id, partition, turn_id, idle=idle)
        return await asyncio.create_task(work, context=contextvars.Context())

    async def _enqueue(self, workflow_id: str, partition: str, turn_id: str, *, idle: bool) -> Stage:
        if idle and self._url.get_backend_name() == "sqlite":
            new = await self._direct.start(
                self._workflow, queue=QUEUE, workflow_id=workflow_id, partition=partition, argument=turn_id
            )
            if new:
                return "running"
        with SetWorkflowID(workflow_id), SetEnqueueOptions(queue_partition_key=partition):
            handle = await DBOS.enqueue_workflow_async(QUEUE, self._workflow, turn_id)
        self._wake.new_work()
        return _STAGES.get((await handle.get_status()).status, "ended")

    def look(self) -> None:
        """Makes the queue look for work now: a partition has just become free, or work was put back."""
        self._wake.new_work()

    def park(self, by: int) -> None:
        """A turn waits for a person (+1) and needs no worker slot meanwhile, or goes on (-1). Its conversation stays
        its own: the next turn of it still waits."""
        self._parked += by
        if by > 0:
            self._wake.new_work()

    def _leave_out_the_parked(self) -> None:
        """The engine counts what this process is running before it takes more from the queue."""
        core: Any = importlib.import_module("dbos._dbos")
        active = core._get_dbos_instance()._active_workflows_set
        counted = active.count_for_queue

        def working(name: str) -> int:
            return max(counted(name) - (self._parked if name == QUEUE else 0), 0)

        active.count_for_queue = working

    async def standings(self, workflow_ids: Sequence[str]) -> dict[str, Standing]:
        """Where each known workflow stands, by id. Raises StateUnavailable."""
        if not workflow_ids:
            return {}
        with _typed():
            found = await DBOS.list_workflows_async(
                workflow_ids=list(workflow_ids), load_input=False, load_output=False
            )
        return {
            each.workflow_id: Standing(
                each.workflow_id, _STAGES.get(each.status, "ended"), each.executor_id or "", each.app_version or ""
            )
            for each in found
        }

    async def cancel(self, workflow_id: str) -> None:
        """Takes a workflow that has not begun out of the queue for good."""
        await DBOS.cancel_workflow_async(workflow_id)

    async def delete(self, workflow_id: str) -> None:
        """Forgets a workflow and its steps."""
        await DBOS.delete_workflow_async(workflow_id)

    async def take_over(self, executor_ids: Sequence[str]) -> None:
        """Puts the interrupted workflows of dead executors back in their queue. The public `resume_workflow` would move
        them to another queue and so lose the order inside a conversation. One that can't be put back now is only
        logged, so it is asked for again later. Raises StateUnavailable."""
        recovery: Any = importlib.import_module("dbos._recovery")
        core: Any = importlib.import_module("dbos._dbos")
        with _typed():
            await asyncio.to_thread(recovery.recover_pending_workflows, core._get_dbos_instance(), list(executor_ids))
        self._wake.new_work()

    async def step(self, name: str, work: Callable[[], Awaitable[Json]]) -> Json:
        """One recorded step of the workflow that the calling task is in."""

        async def recorded() -> Json:
            return await work()

        try:
            return await DBOS.run_step_async({"name": name}, recorded)
        except PortableWorkflowError as error:
            raise StepFailed(error.message) from error

    async def destroy(self) -> None:
        """Ends the engine's threads. Not on the loop: it would block, and the drain needs the loop."""
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)
        self._wake.remove()
        self._direct.remove()
        # The engine made its own pool the loop's default; it is gone now, and later `to_thread`s need one.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(thread_name_prefix="asyncio"))

    def _config(self) -> DBOSConfig:
        config: DBOSConfig = {
            "name": "footnote",
            "application_version": self._version,
            "executor_id": self._executor_id,
            "serializer": DBOSPortableJSONSerializer(),
            "dbos_system_schema": SCHEMA,
            "log_level": "WARNING",
            "enable_otlp": False,
            # Nothing here waits for its notifications; the interval only bounds how long the thread takes to end.
            "notification_listener_polling_interval_sec": 0.2,
        }
        if self._url.get_backend_name() == "sqlite":
            config["system_database_url"] = self._url.render_as_string(hide_password=False)
            config["system_database_engine"] = sqlite_engine(self._url)
        else:
            plain = self._url.set(drivername="postgresql+psycopg")
            config["system_database_url"] = plain.render_as_string(hide_password=False)
        return config


@contextmanager
def _typed() -> Generator[None]:
    try:
        yield
    except DBAPIError as error:
        raise StateUnavailable(f"the workflow engine's tables cannot be used: {error.orig}") from error


def sqlite_engine(url: URL) -> sa.Engine:
    """The engine's own SQLite settings, plus write-ahead logging, which it forgets, and a clock for its statements."""
    engine = sa.create_engine(url, pool_size=_CONNECTIONS, max_overflow=0, pool_timeout=30)
    event.listen(engine, "connect", _prepare)
    return engine


def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = "IMMEDIATE"
    write_ahead(connection, _BUSY_TIMEOUT_MS)
    # The engine orders a conversation's turns by `unixepoch('subsec')`, which SQLite has only from 3.42 on, or, on
    # Python before 3.12, by whole seconds of `strftime('%s', 'now')`. Both become milliseconds that never repeat.
    connection.create_function("unixepoch", 1, _unixepoch)
    connection.create_function("strftime", 2, _strftime)


class _Ticks:
    """Milliseconds since 1970 that grow with every reading."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self) -> int:
        with self._lock:
            self._last = max(self._last + 1, time.time_ns() // 1_000_000)
            return self._last


_ticks = _Ticks()


def _unixepoch(modifier: str) -> float | None:
    return _ticks.next() / 1000 if modifier == "subsec" else None


def _strftime(form: str, _moment: str) -> float | None:
    return _ticks.next() / 1000 if form == "%s" else None


def _quiet_vendor() -> None:
    # With a handler of its own the engine does not add one that writes to the console; its warnings reach our log.
    log = logging.getLogger("dbos")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    log.propagate = True
    if not any(isinstance(each, _WithoutCancellations) for each in log.filters):
        log.addFilter(_WithoutCancellations())


class _WithoutCancellations(logging.Filter):
    """A stop and a shutdown cancel turns on purpose: nothing to warn of."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith("Asyncio task cancelled")
