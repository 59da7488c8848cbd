"""The guest in a process of its own with an empty environment: nothing of the bot's memory is near it.

SQL stays in this process: the child sends a query, this side runs and counts it, and sends rows back.
"""

import asyncio
import dataclasses
import itertools
import sys
from pathlib import Path
from typing import Any

from guest.host.compiled import ROOT
from guest.host.frames import HEAD, BrokenFrame, pack, sizes, unpack
from guest.host.job import Outcome
from guest.host.meter import SqlMeter
from guest.host.process import START
from guest.host.slot import options
from guest.host.threads import result_of
from guest.limits import GuestLimits
from guest.port import GuestResult, GuestUnavailable, SqlFunction

# A child that answers nothing for so long, beyond the guest's own deadline or after a stop, is ended and replaced, and
# whatever else it runs with it.
GRACE_S = 5.0


class Running:
    """A run as the parent follows it."""

    def __init__(self, meter: SqlMeter) -> None:
        """Nothing is answered yet."""
        self.meter = meter
        self.done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self.queries: set[asyncio.Task[None]] = set()

    def end(self, outcome: Outcome) -> None:
        """Settle the run once and drop its queries."""
        for task in self.queries:
            task.cancel()
        if not self.done.done():
            self.done.set_result(outcome)


class Child:
    """One process and the task that reads from it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Takes over a process that has said it is ready."""
        self.process = process
        self.runs: dict[int, Running] = {}
        self.reader = asyncio.create_task(self._read(), name="guest-child")

    @property
    def alive(self) -> bool:
        """Whether it still takes programs."""
        return not self.reader.done() and self.process.returncode is None

    async def send(self, head: dict[str, Any], body: str = "") -> None:
        """Write a message; a child that is gone is noticed by the reader."""
        stream = self.process.stdin
        assert stream is not None, "opened with a pipe"
        try:
            stream.write(pack(head, body))
            await stream.drain()
        except (BrokenPipeError, ConnectionResetError):
            return

    async def _read(self) -> None:
        """Hand on what the child says until it ends; then its runs end as traps."""
        stream = self.process.stdout
        assert stream is not None, "opened with a pipe"
        try:
            while (message := await read(stream)) is not None:
                self._handle(*message)
        finally:
            for run in self.runs.values():
                run.end(ended("trap", "the guest's process ended; the next program gets a new one"))

    def _handle(self, head: dict[str, Any], body: str) -> None:
        run = self.runs.get(head["id"])
        if run is None:
            return
        if head["is"] == "sql":
            task = asyncio.create_task(self._answer(head["id"], run, body, head["source"]))
            run.queries.add(task)
            task.add_done_callback(run.queries.discard)
        elif head["is"] == "done":
            run.end(outcome_of(head["outcome"]))
        else:
            run.end(ended("trap", body))

    async def _answer(self, number: int, run: Running, query: str, source: str | None) -> None:
        answer = await run.meter.answer(query, source)
        await self.send({"id": number, "do": "answer", "kind": answer.kind}, answer.text)

    async def stop(self) -> None:
        """End the process; its runs end as cancelled."""
        for run in self.runs.values():
            run.end(ended("cancelled", "the program was cancelled"))
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        await asyncio.wait([self.reader])


def ended(status: Any, error: str) -> Outcome:
    """An outcome this side makes because the child can't."""
    return Outcome(status, "", error, False, None, 0, 0.0)


def outcome_of(value: dict[str, Any]) -> Outcome:
    """The child's outcome; JSON has turned the table's pair into a list. Raises BrokenFrame when it is none."""
    try:
        table = value.pop("table")
        return Outcome(**value, table=(table[0], table[1]) if table else None)
    except (KeyError, TypeError, IndexError) as error:
        raise BrokenFrame(f"no outcome: {error}") from error


async def read(stream: asyncio.StreamReader) -> tuple[dict[str, Any], str] | None:
    """The next message, or None when the child has closed its side; raises BrokenFrame."""
    try:
        first, second = sizes(await stream.readexactly(HEAD.size))
        return unpack(await stream.readexactly(first), await stream.readexactly(second))
    except asyncio.IncompleteReadError:
        return None


class ChildGuest:
    """See guest.port.Guest."""

    def __init__(self, artifact_dir: Path, cache_dir: Path, limits: GuestLimits) -> None:
        """No process yet."""
        self._artifact_dir, self._cache_dir, self._limits = artifact_dir, cache_dir, limits
        self._child: Child | None = None
        self._starting = asyncio.Lock()
        self._places = asyncio.Semaphore(limits.concurrent)
        self._numbers = itertools.count(1)

    async def start(self) -> None:
        """Start the process and wait until it has loaded the artifact; raises GuestUnavailable."""
        await self._ready()

    async def _ready(self) -> Child:
        async with self._starting:
            if self._child is None or not self._child.alive:
                if self._child is not None:
                    await self._child.stop()
                self._child = await self._spawn()
            return self._child

    async def _spawn(self) -> Child:
        limits = [f"{name}={value}" for name, value in dataclasses.asdict(self._limits).items()]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-c", START, str(ROOT)),
            *(str(self._artifact_dir.resolve()), str(self._cache_dir.resolve()), *limits),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={},
            cwd="/",
            start_new_session=True,  # Ctrl-C in a terminal is the bot's; this process ends when its pipe does
        )
        try:
            assert process.stdout is not None, "opened with a pipe"
            message = await read(process.stdout)
        except BaseException:
            process.kill()
            await process.wait()
            raise
        if message is None or message[0]["is"] != "ready":
            await process.wait()
            raise GuestUnavailable(message[1] if message else "The guest's process ended at its start.")
        return Child(process)

    async def run(
        self, source: str, sql: SqlFunction, *, now: str, seed: int, limits: GuestLimits | None = None
    ) -> GuestResult:
        """See guest.port.Guest.run."""
        limits = limits or self._limits
        if len(source) > limits.source_bytes:  # not worth sending; the child counts bytes
            message = f"the program is longer than {limits.source_bytes:,} bytes"
            return GuestResult(status="source_too_large", error=message)
        try:
            source.encode()
        except UnicodeEncodeError:
            return GuestResult(status="error", error="the program holds a lone surrogate, which is no text")
        async with self._places:
            child = await self._ready()
            number, run = next(self._numbers), Running(SqlMeter(sql, limits))
            child.runs[number] = run
            head = {"do": "run", "options": options(now, seed), "limits": dataclasses.asdict(limits)}
            try:
                await child.send({"id": number, **head}, source)
                return result_of(await self._followed(child, run, limits), run.meter)
            except asyncio.CancelledError:
                await self._cancel(child, number, run)
                raise
            finally:
                child.runs.pop(number, None)

    async def _followed(self, child: Child, run: Running, limits: GuestLimits) -> Outcome:
        """The outcome; a child that is silent far beyond the deadline (not for SQL) is ended."""
        silent = 0.0
        while not run.done.done():
            await asyncio.wait([run.done, child.reader], timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
            if child.reader.done():
                run.end(ended("trap", "the guest's process ended; the next program gets a new one"))
            silent = 0.0 if run.queries else silent + 1.0
            if silent > limits.wall_s + GRACE_S and not run.done.done():
                run.end(ended("timeout", "the guest's process did not answer and was replaced"))
                await child.stop()
        return run.done.result()

    async def _cancel(self, child: Child, number: int, run: Running) -> None:
        for task in list(run.queries):
            task.cancel()
        await child.send({"id": number, "do": "stop", "status": "cancelled"})
        _, late = await asyncio.wait([run.done], timeout=GRACE_S)
        if late:
            await child.stop()

    async def close(self) -> None:
        """End the process; running programs get the status "cancelled"."""
        child, self._child = self._child, None
        if child is not None:
            await child.stop()
