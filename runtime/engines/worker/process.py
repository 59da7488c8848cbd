"""The parent's handle on one worker process: start it, ask it, kill it."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from runtime.engines.worker.frames import HEADER, body_length, decode, encode
from runtime.engines.worker.protocol import EngineFailure, Opening, Work, WorkerLost, WorkerSettings

_CODE_ROOT = Path(__file__).resolve().parents[3]
_START_SECONDS = 30.0
_READ_AHEAD_BYTES = 1024 * 1024

T = TypeVar("T")


def child_command(module: str) -> tuple[str, ...]:
    """The command that starts `module` as a worker. -E and -s: neither the environment nor a user's site folder
    changes what the child loads."""
    return (sys.executable, "-E", "-s", "-m", module)


class WorkerProcess:
    """One child. Not safe for concurrent use: the pool hands it to one job at a time."""

    def __init__(self, process: asyncio.subprocess.Process, settings: WorkerSettings, temp_folder: Path) -> None:
        self._process = process
        self._settings = settings
        self._temp_folder = temp_folder
        self._numbers = itertools.count(1)
        self._opened: Opening | None = None
        self.retiring = False

    @classmethod
    async def start(cls, settings: WorkerSettings, spill: Path, command: Sequence[str]) -> WorkerProcess:
        """Spawns a child in a process group of its own, with an empty environment, and waits until it is ready.
        Raises WorkerLost when it does not come up."""
        folder: Path | None = None
        try:
            folder = await asyncio.to_thread(_new_folder, spill)
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd=_CODE_ROOT,
                env={},
                start_new_session=True,
                limit=_READ_AHEAD_BYTES,
            )
        except OSError as error:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            raise WorkerLost(f"no query worker could be started ({error.strerror})") from error
        worker = cls(process, settings, folder)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await worker._send(worker._envelope())
                await worker._receive()
        except (TimeoutError, WorkerLost) as error:
            await worker.kill()
            raise WorkerLost("a query worker did not become ready") from error
        except asyncio.CancelledError:
            await worker.kill()
            raise
        return worker

    @property
    def pid(self) -> int:
        """The child's process id, which is its process group too."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the child runs at this moment: asked of the system, since asyncio hears of an end a little later."""
        if self._process.returncode is not None:
            return False
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        except ChildProcessError:
            return False

    async def run(self, database: Opening, job: Work[T]) -> T:
        """Runs one job. Raises EngineFailure when the engine says no, WorkerLost when the child died, overran
        `job.seconds` plus the grace, or spoke nonsense; after WorkerLost the child must be killed."""
        try:
            async with asyncio.timeout(job.seconds + self._settings.grace_s):
                if database != self._opened:
                    self._opened = None
                    await self._ask({"open": database.as_json()})
                    self._opened = database
                return job.result(await self._ask({"job": job.as_json()}))
        except TimeoutError as error:
            raise WorkerLost(f"it did not stop within {job.seconds:g} s") from error
        except (KeyError, TypeError, ValueError) as error:
            raise WorkerLost("the query worker sent what is no answer") from error

    def strike(self) -> None:
        """Ends the child and everything it started, at once, without waiting."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def kill(self) -> None:
        """Ends the child, waits until it is gone, and removes what it spilled."""
        self.strike()
        await self._process.wait()
        await asyncio.to_thread(shutil.rmtree, self._temp_folder, ignore_errors=True)

    def _envelope(self) -> dict[str, Any]:
        return {
            "parent": os.getpid(),
            "memory_bytes": self._settings.memory_bytes,
            "address_space_bytes": self._settings.address_space_bytes,
            "temp_bytes": self._settings.temp_bytes,
            "open_files": self._settings.open_files,
            "temp_folder": str(self._temp_folder),
        }

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        number = next(self._numbers)
        await self._send({"id": number, **request})
        reply = await self._receive()
        if reply.get("id") != number:
            raise WorkerLost("the query worker answered another question")
        self.retiring = bool(reply.get("retire"))
        if "error" in reply:
            raise EngineFailure(**reply["error"])
        return reply["answer"]

    async def _send(self, body: dict[str, Any]) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            pipe.write(encode(body))
            await pipe.drain()
        except (ConnectionError, ValueError) as error:
            raise WorkerLost("the query worker is gone") from error

    async def _receive(self) -> dict[str, Any]:
        pipe = self._process.stdout
        assert pipe is not None
        try:
            length = body_length(await pipe.readexactly(HEADER.size))
            return decode(await pipe.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise WorkerLost("the query worker died") from error
        except ValueError as error:
            raise WorkerLost("the query worker sent what is no answer") from error


def _new_folder(spill: Path) -> Path:
    spill.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=spill))
