"""One guarded read over workspace tables: guard, worker with its second opinion, and where the rows came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.clock import Clock
from runtime.engines.port import ReadResult
from runtime.engines.worker import Answer, EngineFailure, WorkerLost, WorkerPool
from runtime.engines.worker.failures import as_call_error, lost
from runtime.engines.worker.results import read_result
from runtime.engines.workspace.file_set import VIEW, FileSet
from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceTable
from runtime.engines.workspace.naming import Place, table_name
from runtime.engines.workspace.worker import Database, Job
from runtime.errors import CallError
from runtime.evidence import Json, SourceRef
from runtime.limits import Limits
from runtime.sqlguard import GuardPolicy, ValidatedQuery, validate

SOURCE = "workspace"
DIALECT = "duckdb"
# What a Parquet file with false bytes was seen to give, besides `io` and an `invalidinput` that names it.
_UNCLASSED = frozenset({"error", "internal", "fatal", "serialization"})


class CacheGone(Exception):
    """A cached copy could not be read: the catalog that named it is out of date, or the copy is damaged. `otherwise` is
    what the failure means when the copies are sound after all; None when only another catalog can tell."""

    def __init__(self, message: str, otherwise: CallError | None = None) -> None:
        super().__init__(message)
        self.otherwise = otherwise


@dataclass(frozen=True, slots=True)
class Desk:
    """What a read needs besides its catalog."""

    pool: WorkerPool
    limits: Limits
    clock: Clock


@dataclass(frozen=True, slots=True)
class Fixed:
    """Runs SQL of our own making over one catalog; the guard has no say in it. Raises as `ask`."""

    desk: Desk
    catalog: WorkspaceCatalog
    database: Database
    seconds: float

    async def __call__(self, sql: str, parameters: tuple[Json, ...] = ()) -> tuple[tuple[Json, ...], ...]:
        limits = self.desk.limits
        job = Job(sql, self.seconds, limits.sql_rows_kept, limits.cell_chars, admitted=None, parameters=parameters)
        return (await ask(self.desk, self.database, job, policy_of(self.catalog.tables, limits), ())).rows


def guarded(catalog: WorkspaceCatalog, sql: str, limits: Limits) -> ValidatedQuery:
    """The validated query over the catalog's tables. Raises CallError; of the table that a file would be, if it were
    read, with the reason why it is not."""
    try:
        return validate(sql, policy_of(catalog.tables, limits))
    except CallError as error:
        wanted = str(error.details.get("table", "")).casefold() if error.code == "sql_unknown_table" else ""
        skipped = (file for file in catalog.files if file.kind == "skipped")
        unread = next((file for file in skipped if table_name(Place(file.path)).casefold() == wanted), None)
        if unread is None:
            raise
        message = f"{error.message} The file {unread.path} is not read: {unread.reason}."
        raise CallError(error.code, message, hint=error.hint, details=error.details) from error


def policy_of(tables: Sequence[WorkspaceTable], limits: Limits) -> GuardPolicy:
    """The guard's policy over these tables."""
    columns = {table.name: tuple(column.name for column in table.columns) for table in tables}
    return GuardPolicy(columns, DIALECT, max_bytes=limits.sql_bytes, max_nesting=limits.sql_nesting)


async def read_tables(
    desk: Desk, catalog: WorkspaceCatalog, database: Database, query: ValidatedQuery, *, seconds: float, rows: int
) -> ReadResult:
    """Runs a validated query. Raises CallError; CacheGone when the catalog is out of date."""
    tables = read_by(catalog, query)
    job = Job(query.sql, seconds, rows, desk.limits.cell_chars, admitted=tuple(table.name for table in catalog.tables))
    began = desk.clock.monotonic()
    answer = await ask(desk, database, job, policy_of(tables, desk.limits), query.tables)
    notes = tuple(dict.fromkeys(f"{table.name}: {note}" for table in tables for note in table.notes))
    sources = tuple(SourceRef(SOURCE, table.name, table.revision, table.origin) for table in tables)
    return _result(desk, query, answer, sources, notes, began)


async def read_set(
    desk: Desk, chosen: FileSet, pattern: str, database: Database, sql: str, *, seconds: float, rows: int
) -> ReadResult:
    """Guards and runs SQL over `data`, the rows of all files of a set. Raises as `read_tables`."""
    columns = {VIEW: tuple(column.name for column in chosen.columns)}
    limits = desk.limits
    policy = GuardPolicy(columns, DIALECT, max_bytes=limits.file_query_sql_bytes, max_nesting=limits.sql_nesting)
    query = validate(sql, policy)
    job = Job(
        query.sql,
        seconds,
        rows,
        limits.cell_chars,
        admitted=(VIEW,),
        view=(VIEW, chosen.declaration, chosen.definition),
    )
    began = desk.clock.monotonic()
    answer = await ask(desk, database, job, policy, query.tables)
    notes = tuple(dict.fromkeys(f"{table.file}: {note}" for table in chosen.tables for note in table.notes))
    return _result(desk, query, answer, (SourceRef(SOURCE, VIEW, chosen.digest, pattern),), notes, began)


async def ask(desk: Desk, database: Database, job: Job, policy: GuardPolicy, tables: Sequence[str]) -> Answer:
    """Runs a job; failures become CallError (`policy` and the `tables` read give the hints), a cached copy that is
    missing or may be damaged CacheGone."""
    try:
        return await desk.pool.run(database, job)
    except EngineFailure as failure:
        if failure.kind == "io":
            raise CacheGone(failure.message) from failure
        refused = as_call_error(failure, job.seconds, policy, tables)
        if _may_be_damage(failure):
            raise CacheGone(failure.message, refused) from failure
        raise refused from failure
    except WorkerLost as error:
        raise lost(error) from error


def _may_be_damage(failure: EngineFailure) -> bool:
    """Whether a damaged copy can be the reason: DuckDB has no class of error for that."""
    if failure.kind == "invalidinput":
        return ".parquet" in failure.message
    return failure.kind in _UNCLASSED


def read_by(catalog: WorkspaceCatalog, query: ValidatedQuery) -> tuple[WorkspaceTable, ...]:
    """The tables that the parsed query reads, in its order."""
    found = (catalog.table(name) for name in query.tables)
    return tuple(dict.fromkeys(table for table in found if table is not None))


def file_changed(files: Sequence[str]) -> CallError:
    """After the second attempt met another change."""
    named = ", ".join(files[:3]) or "A file of the workspace"
    return CallError(
        "file_changed",
        f"{named} changed or vanished while it was being read.",
        hint="Ask again when the file is no longer being written.",
        retryable=True,
    )


def _result(
    desk: Desk,
    query: ValidatedQuery,
    answer: Answer,
    sources: tuple[SourceRef, ...],
    notes: tuple[str, ...],
    began: float,
) -> ReadResult:
    return read_result(
        query.sql,
        answer,
        sources=sources,
        elapsed_ms=(desk.clock.monotonic() - began) * 1000,
        cell_chars=desk.limits.cell_chars,
        notes=notes,
        masked=query.masked,
        named_by_rows=query.named_by_rows,
    )
