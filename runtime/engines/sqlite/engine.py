"""The engine of one SQLite source: guarded reads in killable workers, and its admitted structure."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from runtime.admission.manifest import SqliteSource
from runtime.catalog import Structure
from runtime.catalog.admitted import admitted
from runtime.catalog.cached import CachedStructure
from runtime.clock import Clock
from runtime.engines.guarding import policy_of
from runtime.engines.port import ReadResult
from runtime.engines.sqlite.failures import changing, failed_read, unavailable
from runtime.engines.sqlite.jobs import DatabaseFile, Fingerprint, Introspect, Query
from runtime.engines.sqlite.structure import DIALECT, SCHEMA, structure_of
from runtime.engines.worker import EngineFailure, Work, WorkerLost, WorkerPool, WorkerSettings, child_command
from runtime.engines.worker.failures import lost
from runtime.engines.worker.results import read_result
from runtime.errors import CallError
from runtime.evidence import Json, SourceRef
from runtime.limits import Limits
from runtime.sqlguard import GuardPolicy, ValidatedQuery, validate

T = TypeVar("T")
COMMAND = child_command("runtime.engines.sqlite.child")
_LOOK_SECONDS = 15.0
_NAMES = frozenset({"sql_unknown_table", "sql_unknown_column"})


@dataclass(frozen=True, slots=True)
class _Known:
    """The admitted structure as it was read, and the fingerprint under which a query validated for it may run."""

    structure: Structure
    fingerprint: str


class _Doubtful(Exception):
    """A read that failed because the structure changed, or, with an `error`, on a name that it may hold by now."""

    def __init__(self, error: CallError | None) -> None:
        super().__init__()
        self.error = error


class SqliteEngine:
    """One admitted file. A DatabaseEngine. Belongs to the event loop that opened it."""

    dialect = DIALECT

    def __init__(self, source: SqliteSource, path: Path, pool: WorkerPool, limits: Limits, clock: Clock) -> None:
        self._source = source
        self._path = path
        self._file = DatabaseFile(path)
        self._pool = pool
        self._limits = limits
        self._clock = clock
        self._stamped: tuple[object, str] | None = None
        self._known = _Known(Structure(source.id, DIALECT, (), ""), "")
        self._structure = CachedStructure(self._fingerprint, self._introspect, clock)

    @classmethod
    async def open(cls, source: SqliteSource, path: Path, spill: Path, limits: Limits, clock: Clock) -> SqliteEngine:
        """Starts the workers; the file is opened when it is first asked for, so that one that is missing stops no
        start. `path` is absolute; `spill` is a folder for what sorts put on disk."""
        pool = WorkerPool(limits.worker_pool, WorkerSettings.of(limits), spill, COMMAND)
        pool.start()
        return cls(source, path, pool, limits, clock)

    async def close(self) -> None:
        """Ends all workers, running queries too."""
        await self._pool.close()

    async def structure(self) -> Structure:
        """The admitted structure as it is now. Raises CallError `source_unavailable`."""
        return await self._structure.current()

    async def read(self, sql: str, *, seconds: float, rows_kept: int) -> ReadResult:
        """One guarded read; cancelling kills the query. Raises CallError: `sql_…`, `function_not_allowed`, `timeout`,
        `resource_limit`, `source_unavailable`."""
        return await self.read_bound(sql, (), seconds=seconds, rows_kept=rows_kept)

    async def read_bound(self, sql: str, parameters: Sequence[Json], *, seconds: float, rows_kept: int) -> ReadResult:
        """As `read`, with values for the `?` of the statement. It runs on the very structure that it was validated
        for: when that turns out to have changed, the query is validated anew, once."""
        await self._structure.current()
        known = self._known
        try:
            return await self._read(known, sql, parameters, seconds, rows_kept)
        except _Doubtful as doubt:
            self._stamped = None
            await self._structure.refreshed()
            if doubt.error is not None and self._known is known:
                raise doubt.error from doubt.__cause__
        try:
            return await self._read(self._known, sql, parameters, seconds, rows_kept)
        except _Doubtful as doubt:
            raise doubt.error or changing(self._source.id) from doubt.__cause__

    async def _read(
        self, known: _Known, sql: str, parameters: Sequence[Json], seconds: float, rows_kept: int
    ) -> ReadResult:
        began = self._clock.monotonic()
        limits, structure = self._limits, known.structure
        policy = policy_of(structure, limits, parameters=len(parameters), schema=SCHEMA)
        query = _validated(sql, policy)
        job = Query(
            query.sql,
            seconds,
            rows_kept,
            limits.cell_chars,
            _touched(structure, query),
            known.fingerprint,
            tuple(parameters),
        )
        try:
            answer = await self._ask(job)
        except EngineFailure as failure:
            if failure.kind == "changed":
                raise _Doubtful(None) from failure
            raise failed_read(self._source.id, failure, seconds, policy, query.tables) from failure
        return read_result(
            query.sql,
            answer,
            sources=[SourceRef(self._source.id, name, structure.revision) for name in query.tables],
            elapsed_ms=(self._clock.monotonic() - began) * 1000,
            cell_chars=limits.cell_chars,
            masked=query.masked,
        )

    async def _fingerprint(self) -> str:
        """Which schema of which file; a worker is asked only when the file has changed at all."""
        stamp = await asyncio.to_thread(_stamp, self._path)
        if stamp is None or self._stamped is None or self._stamped[0] != stamp:
            self._stamped = (stamp, await self._look(Fingerprint(_LOOK_SECONDS)))
        return self._stamped[1]

    async def _introspect(self) -> Structure:
        body = await self._look(Introspect(_LOOK_SECONDS))
        whole = await asyncio.to_thread(structure_of, self._source.id, body)
        shown = await asyncio.to_thread(admitted, whole, self._source.tables, self._source.columns)
        self._known = _Known(shown, str(body["fingerprint"]))
        return shown

    async def _look(self, job: Work[T]) -> T:
        """A look at the file itself. Raises CallError."""
        try:
            return await self._ask(job)
        except EngineFailure as failure:
            error = unavailable(self._source.id, failure.kind)
            sentence = f"The file of {self._source.id} could not be looked at: {failure.kind}."
            raise error or CallError("source_unavailable", sentence, retryable=True) from failure

    async def _ask(self, job: Work[T]) -> T:
        try:
            return await self._pool.run(self._file, job)
        except WorkerLost as error:
            raise lost(error) from error


def _validated(sql: str, policy: GuardPolicy) -> ValidatedQuery:
    try:
        return validate(sql, policy)
    except CallError as refusal:
        if refusal.code in _NAMES:
            raise _Doubtful(refusal) from refusal
        raise


def _touched(structure: Structure, query: ValidatedQuery) -> Mapping[str, Sequence[str]]:
    """The tables that a query may touch, with their columns: those it names, and what the views among them read."""
    found: dict[str, Sequence[str]] = {}
    pending = list(query.tables)
    while pending:
        table = structure.by_id[pending.pop()]
        if table.id not in found:
            found[table.id] = tuple(column.name for column in table.columns)
            pending.extend(table.reads)
    return found


def _stamp(path: Path) -> object | None:
    """What changes whenever something is written: size and time of the file and of its WAL. None when it can't be
    told."""
    found: list[tuple[int, int, int, int] | None] = []
    for name in (path, path.with_name(path.name + "-wal")):
        try:
            seen = name.stat()
        except OSError:
            found.append(None)
        else:
            found.append((seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns))
    return tuple(found) if found[0] is not None else None
