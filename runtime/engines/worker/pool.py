"""A few warm workers: hands out jobs in turn, kills what does not stop, and replaces what was killed."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from runtime.engines.worker.process import WorkerProcess
from runtime.engines.worker.protocol import EngineFailure, Opening, Work, WorkerLost, WorkerSettings

T = TypeVar("T")


class WorkerPool:
    """`size` places, each with a worker or on its way to one. A new revision of a database needs no new pool: every job
    names its database, a worker opens it when it differs from the last, and running queries keep the one they have."""

    def __init__(self, size: int, settings: WorkerSettings, spill: Path, command: Sequence[str]) -> None:
        self._settings = settings
        self._spill = spill.absolute()
        self._command = command
        self._size = size
        self._places: asyncio.Queue[WorkerProcess | None] = asyncio.Queue()
        self._workers: set[WorkerProcess] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def start(self) -> None:
        """Begins to warm up all places in the background; jobs may come at once and wait for the first."""
        _remove_leftovers(self._spill)
        for _ in range(self._size):
            self._spawn(self._fill_place())

    @property
    def pids(self) -> frozenset[int]:
        """The process ids of the workers that live now."""
        return frozenset(worker.pid for worker in self._workers if worker.alive)

    async def run(self, database: Opening, job: Work[T]) -> T:
        """Runs one job on the next free worker. Raises EngineFailure or WorkerLost; cancelling kills the query."""
        worker = await self._take()
        kept = False
        try:
            answer = await worker.run(database, job)
            kept = not worker.retiring
            return answer
        except EngineFailure as failure:
            kept = failure.kind != "memory" and not worker.retiring
            raise
        finally:
            if kept and not self._closed:
                self._places.put_nowait(worker)
            else:
                worker.strike()
                self._spawn(self._replace(worker))

    async def close(self) -> None:
        """Kills all workers, running queries too, and waits until they are gone. Jobs that wait end in WorkerLost."""
        self._closed = True
        for worker in self._workers:
            worker.strike()
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        for worker in list(self._workers):
            await self._bury(worker)

    async def _take(self) -> WorkerProcess:
        """A live worker; a place whose worker did not come up, or died while idle, gets a new one here."""
        worker = await self._places.get()
        if worker is not None and worker.alive:
            return worker
        try:
            if worker is not None:
                await self._bury(worker)
            return await self._start_worker()
        except BaseException:
            self._places.put_nowait(None)
            raise

    async def _start_worker(self) -> WorkerProcess:
        if self._closed:
            raise WorkerLost("the source is closed")
        worker = await WorkerProcess.start(self._settings, self._spill, self._command)
        self._workers.add(worker)
        if self._closed:
            worker.strike()
        return worker

    async def _replace(self, worker: WorkerProcess) -> None:
        await self._bury(worker)
        await self._fill_place()

    async def _bury(self, worker: WorkerProcess) -> None:
        await worker.kill()
        self._workers.discard(worker)

    async def _fill_place(self) -> None:
        """A failed start leaves the place empty; the next job that gets it tries again and tells its caller."""
        worker: WorkerProcess | None = None
        try:
            worker = await self._start_worker()
        except WorkerLost:
            worker = None
        finally:
            self._places.put_nowait(worker)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _remove_leftovers(spill: Path) -> None:
    """Spill folders are named after the process that made them; those of dead ones hold nothing of use."""
    if not spill.is_dir():
        return
    for folder in spill.iterdir():
        owner = folder.name.partition("-")[0]
        if owner.isdigit() and not _runs(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
