"""The guest's own process: reads programs from standard input, runs them, asks its parent for SQL.

It starts with an empty environment, imports only wasmtime and this package, and ends when its parent does.
"""

import dataclasses
import os
import queue
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, BinaryIO

from guest.host.frames import HEAD, pack, sizes, unpack
from guest.host.job import Job, Outcome
from guest.host.meter import Answer
from guest.host.pool import Pool
from guest.limits import GuestLimits
from guest.port import GuestUnavailable


class Server:
    """Jobs by the parent's number, and one writer at a time on standard output."""

    def __init__(self, pool: Pool, out: BinaryIO) -> None:
        """Nothing runs yet."""
        self.pool, self.out = pool, out
        self.writing = threading.Lock()
        self.jobs: dict[int, tuple[Job, queue.SimpleQueue[Answer]]] = {}

    def send(self, head: dict[str, Any], body: str = "") -> None:
        """Write one message."""
        with self.writing:
            deliver(self.out, head, body)

    def handle(self, head: dict[str, Any], body: str) -> None:
        """Act on one message of the parent."""
        number = head["id"]
        if head["do"] == "run":
            answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
            job = Job(body, head["options"], GuestLimits(**head["limits"]), self.asker(number, answers))
            self.jobs[number] = job, answers
            self.pool.submit(job).add_done_callback(self.reporter(number))
        elif number in self.jobs:
            job, answers = self.jobs[number]
            if head["do"] == "answer":
                answers.put(Answer(head["kind"], body))
            elif head["do"] == "stop":
                self.pool.stop(job, head["status"])
                answers.put(Answer("err", "cancelled"))  # wakes a job that waits for its query

    def asker(self, number: int, answers: "queue.SimpleQueue[Answer]") -> Callable[[str, str | None], Answer]:
        """The blocking SQL function of a job."""

        def ask(query: str, source: str | None) -> Answer:
            self.send({"id": number, "is": "sql", "source": source}, query)
            return answers.get()

        return ask

    def reporter(self, number: int) -> Callable[["Future[Outcome]"], None]:
        """Sends the outcome of a job when its thread is done."""

        def report(done: "Future[Outcome]") -> None:
            self.jobs.pop(number, None)
            if done.cancelled():
                return
            failure = done.exception()
            if failure is not None:
                self.send({"id": number, "is": "failed"}, f"{type(failure).__name__}: {failure}")
                return
            outcome = dataclasses.asdict(done.result())
            self.send({"id": number, "is": "done", "outcome": outcome})

        return report


def deliver(out: BinaryIO, head: dict[str, Any], body: str = "") -> None:
    """Write one message to the parent. Where it is gone this process has no business left, and ends."""
    try:
        out.write(pack(head, body))
        out.flush()
    except BrokenPipeError:
        os._exit(0)


def read(stream: BinaryIO) -> tuple[dict[str, Any], str] | None:
    """The next message, or None at the end."""
    start = stream.read(HEAD.size)
    if len(start) < HEAD.size:
        return None
    first, second = sizes(start)
    return unpack(stream.read(first), stream.read(second))


def main() -> None:
    """Serve until standard input ends. Arguments: artifact folder, cache folder, limits as key=value."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing but messages may reach the parent's pipe
    artifact, cache, *pairs = sys.argv[1:]
    values = {name: float(value) if name == "wall_s" else int(value) for name, value in (p.split("=") for p in pairs)}
    try:
        pool = Pool(Path(artifact), Path(cache), GuestLimits(**values))  # type: ignore[arg-type]
    except GuestUnavailable as error:
        deliver(out, {"id": 0, "is": "unavailable"}, str(error))
        return
    server = Server(pool, out)
    server.send({"id": 0, "is": "ready"})
    while message := read(sys.stdin.buffer):
        server.handle(*message)
    os._exit(0)  # the parent is gone or has closed us; no program may go on


START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from guest.host.process import main; main()"
