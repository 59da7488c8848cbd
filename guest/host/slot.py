"""Place for one running guest: an engine of its own, so that stopping one program never touches another.

An engine's epoch is raised by one to stop its guest; nothing else raises it. So no ticker runs, a deadline is exact,
and time spent waiting for SQL is simply not counted.
"""

import json
import threading
import time
from pathlib import Path
from typing import Any

import wasmtime
from wasmtime.component import Component, Linker, Variant

from guest.host.compiled import load, new_engine
from guest.host.job import Job, Outcome, shortened
from guest.limits import PAGE_BYTES, GuestLimits
from guest.port import Status

# wasmtime-py gives component traps as text only.
TRAPS: tuple[tuple[str, Status, str], ...] = (
    ("all fuel consumed", "fuel", "the program ran too long (its budget of operations is used up)"),
    ("call stack exhausted", "stack", "the program nests too deeply"),
    ("interrupt", "timeout", "the program ran too long"),
)
STOPPED: dict[Status, str] = {
    "timeout": "the program ran too long",
    "cancelled": "the program was cancelled",
    "sql_flood": "the program was ended: far too many SQL calls",
    "output": "the program was ended: it kept sending output beyond the limit",
}


class Slot:
    """Runs one job after the other on the thread that calls `run`; `stop` may come from any thread."""

    def __init__(self, compiled: Path, limits: GuestLimits) -> None:
        """Map the compiled component; raises WasmtimeError or GuestUnavailable."""
        self.engine = new_engine(limits.stack_bytes)
        self.component: Component = load(self.engine, compiled)
        self.linker = Linker(self.engine)
        self._lock = threading.Lock()
        self._job: Job | None = None
        self._started = 0.0
        with self.linker.root() as root:
            root.add_func("sql", self._sql)
            root.add_func("emit", self._emit)

    def run(self, job: Job) -> Outcome:
        """Run a job to its end in a fresh instance; never raises for anything the guest does."""
        if len(job.source.encode("utf-8", "replace")) > job.limits.source_bytes:
            message = f"the program is longer than {job.limits.source_bytes:,} bytes"
            return Outcome("source_too_large", "", message, False, None, 0, 0.0)
        try:
            job.source.encode()
        except UnicodeEncodeError:
            return Outcome("error", "", "the program holds a lone surrogate, which is no text", False, None, 0, 0.0)
        store = wasmtime.Store(self.engine)
        store.set_limits(memory_size=job.limits.memory_bytes, instances=100, memories=10, tables=100)
        store.set_fuel(job.limits.fuel)
        with self._lock:
            # Under the lock: a stop meant for this job comes after the deadline is set, one for the last came before.
            store.set_epoch_deadline(1)
            self._job, self._started = job, time.perf_counter()
            if job.stopped:
                self.engine.increment_epoch()
        try:
            status, error, memory = self._call(store, job)
        finally:
            with self._lock:
                self._job = None
        elapsed = time.perf_counter() - self._started - job.waited_s
        used = job.limits.fuel - store.get_fuel()
        store.close()
        error = shortened(error, job.limits.error_chars)
        return Outcome(status, job.stdout, error, job.truncated, job.table, used, round(elapsed * 1000, 2), memory)

    def _call(self, store: wasmtime.Store, job: Job) -> tuple[Status, str, int | None]:
        try:
            instance = self.linker.instantiate(store, self.component)
            function = instance.get_func(store, "run")
            assert function is not None, "checked when the component was built"
            outcome: Any = function(store, job.source, job.options)
            function.post_return(store)
        except wasmtime.WasmtimeError as error:
            return *reason(job, str(error)), None
        if job.stopped:
            return job.stopped, STOPPED[job.stopped], None
        # A record's field keeps the hyphen of its WIT name. A program may forge all three; figures stay within bounds.
        memory = min(getattr(outcome, "memory-pages") * PAGE_BYTES, job.limits.memory_bytes)
        return outcome.status if outcome.status in ("ok", "error", "memory") else "trap", outcome.error, memory

    def stop(self, job: Job, status: Status) -> None:
        """End a job, running here or waiting; the first reason stays. Does nothing to a job that has ended."""
        with self._lock:
            job.stopped = job.stopped or status
            if self._job is job:
                self.engine.increment_epoch()

    def overdue(self, now: float) -> float | None:
        """Stop the running job when its own time is over, else seconds until then (None when nothing runs)."""
        with self._lock:
            job, started = self._job, self._started
        if job is None:
            return None
        left = job.limits.wall_s - (now - started - job.waiting(now))
        if left <= 0:
            self.stop(job, "timeout")
            return None
        return left

    # Called by the guest. Only WasmtimeError may be raised: others are kept in one variable of the whole process.

    def _sql(self, store: Any, query: str, source: str | None) -> Variant:
        job = self._running()
        with job.pause():
            answer = job.ask(query, source)
        if answer.kind == "stop":
            job.stopped = job.stopped or "sql_flood"
        if job.stopped:
            raise wasmtime.WasmtimeError(job.stopped)
        return Variant(answer.kind, answer.text)

    def _emit(self, store: Any, frame: str) -> bool:
        job = self._running()
        kept = job.take(frame)
        if kept is None:
            job.stopped = job.stopped or "output"
        if job.stopped:
            raise wasmtime.WasmtimeError(job.stopped)
        return bool(kept)

    def _running(self) -> Job:
        if self._job is None:
            raise wasmtime.WasmtimeError("no job runs")
        return self._job


def reason(job: Job, message: str) -> tuple[Status, str]:
    """The status and the text of a guest that was ended."""
    if job.stopped:
        return job.stopped, STOPPED[job.stopped]
    for mark, status, text in TRAPS:
        if mark in message:
            return status, text
    return "trap", f"the interpreter was ended: {message.strip().splitlines()[-1] if message.strip() else 'unknown'}"


def options(now: str, seed: int) -> str:
    """The second argument of the guest's `run`."""
    return json.dumps({"now": now, "seed": seed})
