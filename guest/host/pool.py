"""The slots of a process, a thread each, and the watch over their deadlines."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import wasmtime

from guest.host.compiled import compiled_file
from guest.host.job import Job, Outcome
from guest.host.slot import Slot
from guest.limits import GuestLimits
from guest.port import Status

CHECK_S = 0.05  # how often running guests are compared with their deadline


class Pool:
    """Runs up to `limits.concurrent` jobs at a time; more wait. Used from one thread."""

    def __init__(self, artifact_dir: Path, cache_dir: Path, limits: GuestLimits) -> None:
        """Load the first slot, so that a broken artifact shows at once; raises GuestUnavailable."""
        self._artifact_dir, self._cache_dir, self._limits = artifact_dir, cache_dir, limits
        self._compiled = compiled_file(artifact_dir, cache_dir)
        self._lock = threading.Lock()
        self._free = [self._new_slot()]
        self._busy: dict[int, tuple[Job, Slot]] = {}
        self._threads = ThreadPoolExecutor(limits.concurrent, thread_name_prefix="guest")
        self._closing = threading.Event()
        self._work = threading.Event()
        self._watch = threading.Thread(target=self._watch_deadlines, name="guest-deadlines", daemon=True)
        self._watch.start()

    def _new_slot(self) -> Slot:
        try:
            return Slot(self._compiled, self._limits)
        except wasmtime.WasmtimeError:
            # Sound as a file, yet of another wasmtime or configuration: drop it and compile anew.
            self._compiled.unlink(missing_ok=True)
            self._compiled = compiled_file(self._artifact_dir, self._cache_dir)
            return Slot(self._compiled, self._limits)

    def submit(self, job: Job) -> "Future[Outcome]":
        """Start a job on a thread."""
        return self._threads.submit(self._run, job)

    def _run(self, job: Job) -> Outcome:
        with self._lock:
            slot = self._free.pop() if self._free else self._new_slot()
            self._busy[id(job)] = (job, slot)
        self._work.set()
        try:
            return slot.run(job)
        finally:
            with self._lock:
                del self._busy[id(job)]
                self._free.append(slot)

    def stop(self, job: Job, status: Status) -> None:
        """End a job, whether it runs or waits for a thread."""
        with self._lock:
            held = self._busy.get(id(job))
            if held is None:  # under the lock: it can't begin to run between the look and the mark
                job.stopped = job.stopped or status
        if held:
            held[1].stop(job, status)

    def close(self) -> None:
        """End all jobs as cancelled and wait for their threads."""
        self._closing.set()
        self._work.set()
        with self._lock:
            running = list(self._busy.values())
        for job, slot in running:
            slot.stop(job, "cancelled")
        self._threads.shutdown(wait=True, cancel_futures=True)
        self._watch.join()

    def _watch_deadlines(self) -> None:
        while not self._closing.is_set():
            self._work.wait()  # idle until there is a guest to watch
            with self._lock:
                slots = [slot for _, slot in self._busy.values()]
                if not slots and not self._closing.is_set():
                    self._work.clear()
            now = time.perf_counter()
            left = [rest for slot in slots if (rest := slot.overdue(now)) is not None]
            if slots:
                self._closing.wait(min([CHECK_S, *left]))
