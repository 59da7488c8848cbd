"""Ends a wait of the workflow engine's queue threads early: a turn starts when it is enqueued, not at the next poll.

The engine polls; nothing in it announces new work. Its queue threads wait on their stop event, so they are given one
that can also be poked. A test pins the two names that this relies on; without them turns would still start, by polling.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Any


class Pokable:
    """A stop event whose `wait` also ends at a poke. Each thread sees each poke once, even one between its waits."""

    def __init__(self, stop: Any) -> None:
        self._stop = stop
        self._changed = threading.Condition()
        self._pokes = 0
        self._seen = threading.local()

    def is_set(self) -> bool:
        """True when the threads must end."""
        return bool(self._stop.is_set())

    def wait(self, timeout: float) -> bool:
        """Until poked or `timeout` seconds passed; True when the threads must end."""
        with self._changed:
            if getattr(self._seen, "pokes", 0) == self._pokes:
                self._changed.wait(timeout)
            self._seen.pokes = self._pokes
        return self.is_set()

    def poke(self) -> None:
        """Ends every wait under way and the next wait of every thread that is busy."""
        with self._changed:
            self._pokes += 1
            self._changed.notify_all()


class QueueWake:
    """Pokes the engine's queue manager (to notice a new queue) and the worker of one queue (to take its work)."""

    _installed = False  # for the process: the engine has one set of module names

    def __init__(self, queue_name: str) -> None:
        self._queue_name = queue_name
        self._manager: Pokable | None = None
        self._worker: Pokable | None = None
        self._dbos: Any = importlib.import_module("dbos._dbos")
        self._queue: Any = importlib.import_module("dbos._queue")
        self._originals = (self._dbos.queue_thread, self._queue.queue_worker_thread)

    def install(self) -> None:
        """Before the engine launches. Raises RuntimeError while another engine of this process is open."""
        if QueueWake._installed:
            raise RuntimeError("a process has one workflow engine at a time, and another is open")
        QueueWake._installed = True
        manage, work = self._originals

        def manager(stop: Any, engine: Any) -> None:
            self._manager = Pokable(stop)
            stop.set = self._end_at(stop.set)
            manage(self._manager, engine)

        def worker(stop: Any, engine: Any, queue: Any) -> None:
            if queue.name == self._queue_name:
                stop = self._worker = Pokable(stop)
            work(stop, engine, queue)

        self._dbos.queue_thread = manager
        self._queue.queue_worker_thread = worker

    def _end_at(self, set_stop: Callable[[], None]) -> Callable[[], None]:
        def stop_now() -> None:
            set_stop()
            self.new_queue()
            self.new_work()

        return stop_now

    def remove(self) -> None:
        """After the engine ended."""
        QueueWake._installed = False
        self._dbos.queue_thread, self._queue.queue_worker_thread = self._originals

    def new_queue(self) -> None:
        """The queue has just been registered."""
        if self._manager is not None:
            self._manager.poke()

    def new_work(self) -> None:
        """Something has just been enqueued."""
        if self._worker is not None:
            self._worker.poke()
