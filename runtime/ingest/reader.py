"""The bot's side of the reader process: starts it, hands it jobs, and ends it when it takes too long."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import runtime
from runtime.errors import StateUnavailable
from runtime.ingest.opening import Stamp
from runtime.ingest.outcome import (
    FileJob,
    IngestRefused,
    Kind,
    ReadDocument,
    ReadingLimits,
    ReadTable,
    ReadWorkbook,
)
from runtime.ingest.watching import watched
from runtime.ingest.worker import frame
from runtime.limits import Limits

_log = logging.getLogger(__name__)
_TABLES: frozenset[Kind] = frozenset(("csv", "tsv", "json", "ndjson", "parquet", "workbook"))


def reading_limits(limits: Limits) -> ReadingLimits:
    """The reader's share of the runtime's limits."""
    return ReadingLimits(
        file_bytes=limits.file_bytes,
        columns=limits.file_columns,
        memory_bytes=limits.worker_memory_bytes,
        address_space_bytes=limits.worker_address_space_bytes,
        temp_bytes=limits.worker_temp_bytes,
        threads=limits.worker_threads,
        json_bytes=limits.json_bytes,
        repair_bytes=limits.repair_bytes,
        whole_types_bytes=limits.whole_types_bytes,
        workbook_bytes=limits.workbook_bytes,
        workbook_cells=limits.workbook_cells,
    )


class FileReader:
    """One reader process, started when first needed and replaced when it died. Jobs run one at a time."""

    def __init__(self, limits: Limits) -> None:
        self._bounds = limits
        self._limits = reading_limits(limits)
        self._process: asyncio.subprocess.Process | None = None
        self._errors: IO[bytes] | None = None
        self._one_at_a_time = asyncio.Lock()

    async def read(self, job: FileJob, size: int) -> tuple[ReadTable | ReadWorkbook | ReadDocument, Stamp]:
        """Reads a file of about `size` bytes; what takes longer than a second tells its progress. Cancelling ends the
        process; the next job gets a fresh one. Raises IngestRefused with the reason, also when the reader crashed or
        took longer than the limits allow for its kind and size; StateUnavailable when the cache cannot be written."""
        # Short for documents, so that one hostile file does not use up the call that met it.
        least = self._bounds.read_table_seconds if job.kind in _TABLES else self._bounds.read_document_seconds
        answer = await self._ask(job.as_json(), least + size / self._bounds.read_bytes_a_second, job.path, size)
        stamp = Stamp(*answer["stamp"])
        if "table" in answer:
            return ReadTable.from_json(answer["table"]), stamp
        if "workbook" in answer:
            return ReadWorkbook.from_json(answer["workbook"]), stamp
        document: dict[str, Any] = answer["document"]
        document["notes"] = tuple(document["notes"])
        return ReadDocument(**document), stamp

    async def build_database(self, tables: Sequence[tuple[str, Path]], out: Path, store: Path) -> None:
        """Makes sure that the database file `out` is there and sound. Raises IngestRefused with the name of a Parquet
        file that cannot be opened, StateUnavailable when nothing can be written."""
        listed = [[name, str(path)] for name, path in tables]
        job = {"job": "database", "tables": listed, "out": str(out), "store": str(store)}
        await self._ask(job, self._bounds.build_database_seconds, "the tables")

    async def sound(self, copy: Path, store: Path) -> bool:
        """Whether a Parquet file is there and every page of it can be decoded. Raises StateUnavailable when nothing can
        be written."""
        job = {"job": "check", "copy": str(copy), "store": str(store)}
        try:
            await self._ask(job, self._bounds.read_table_seconds)
        except IngestRefused:
            return False
        return True

    def peak_bytes(self) -> int:
        """The most memory the living reader process ever held (resident), 0 when there is none."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text("ascii") if self._process else ""
        except OSError:
            return 0
        line = next((line for line in status.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0 kB")
        return int(line.split()[1]) * 1024

    async def close(self) -> None:
        """Ends the process."""
        async with self._one_at_a_time:
            await self._end()

    async def _ask(self, job: Mapping[str, Any], seconds: float, what: str = "", size: int = 0) -> dict[str, Any]:
        async with self._one_at_a_time:
            answer = await self._answer(job, seconds, what, size)
            if answer is None:  # a machine short of memory kills whom it likes: the file need not be the reason
                answer = await self._answer(job, seconds, what, size)
        if answer is None:
            raise IngestRefused("reading it failed: the reader was killed, twice")
        if "storage" in answer:
            raise StateUnavailable(f"The data folder cannot be written: {answer['storage']}")
        if "refused" in answer:
            raise IngestRefused(str(answer["refused"]), str(answer.get("revision", "")))
        return answer

    async def _answer(self, job: Mapping[str, Any], seconds: float, what: str, size: int) -> dict[str, Any] | None:
        """What the reader answers; None when somebody killed it. Raises IngestRefused."""
        process = await self._started()
        try:
            async with watched(process.pid, what, size), asyncio.timeout(seconds):
                return await _exchange(process, dict(job))
        except TimeoutError:
            await self._end()
            raise IngestRefused(f"reading it took more than {seconds:.0f} seconds") from None
        except (EOFError, ConnectionError, ValueError) as error:
            _log.warning("the reader of workspace files ended: %s", self._last_words())
            if not isinstance(error, ValueError) and await process.wait() == -signal.SIGKILL:
                await self._end()
                return None
            await self._end()
            raise IngestRefused("reading it failed: the reader ended without an answer") from error
        except BaseException:
            # A cancelled job leaves an answer on the way that must not be taken for the next one's.
            await self._end()
            raise

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process and self._process.returncode is None:
            return self._process
        await self._end()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  read when the process dies
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-X", "utf8", "-m", "runtime.ingest.worker"),
                cwd=Path(runtime.__file__).parents[1],
                env={},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as error:
            raise StateUnavailable(f"The reader of workspace files cannot be started: {error.strerror}") from error
        assert process.stdin
        process.stdin.write(frame({"limits": {name: getattr(self._limits, name) for name in self._limits.__slots__}}))
        self._process = process
        return process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if self._errors:
            self._errors.close()
            self._errors = None

    def _last_words(self) -> str:
        if not self._errors:
            return ""
        self._errors.seek(0, 2)
        self._errors.seek(max(0, self._errors.tell() - 2_000))
        said = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return said[-1] if said else "nothing was said"


async def _exchange(process: asyncio.subprocess.Process, job: dict[str, Any]) -> dict[str, Any]:
    assert process.stdin and process.stdout
    process.stdin.write(frame(job))
    await process.stdin.drain()
    head = await process.stdout.readexactly(4)
    return json.loads(await process.stdout.readexactly(int.from_bytes(head, "big")))
