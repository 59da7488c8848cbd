"""The workspace engine: its files as tables, read through the guard in killable workers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from runtime.clock import Clock
from runtime.engines.port import ReadResult
from runtime.engines.worker import WorkerPool, WorkerSettings
from runtime.engines.workspace.cache import WorkspaceCache
from runtime.engines.workspace.catalog import AdmittedFiles, Wanted, WorkspaceFiles, called, in_sql, nothing
from runtime.engines.workspace.documents import Documents
from runtime.engines.workspace.file_set import FileSet, file_set, taken_by
from runtime.engines.workspace.inspect import Profiles
from runtime.engines.workspace.joins import near_tables
from runtime.engines.workspace.model import TableProfile, WorkspaceCatalog, WorkspaceTable
from runtime.engines.workspace.near_names import near
from runtime.engines.workspace.near_values import near_values_sql
from runtime.engines.workspace.query import (
    DIALECT,
    CacheGone,
    Desk,
    Fixed,
    file_changed,
    guarded,
    read_by,
    read_set,
    read_tables,
)
from runtime.engines.workspace.worker import COMMAND, Database
from runtime.errors import CallError
from runtime.evidence import Column, Json
from runtime.ingest.composed import composed
from runtime.limits import Limits
from runtime.sqlguard import ValidatedQuery

T = TypeVar("T")
_NEAR_SECONDS = 3.0
_RECHECK_SECONDS = 60.0


class Workspace:
    """Admitted files, ready to be asked. A ReadEngine. Belongs to the event loop that opened it."""

    dialect = DIALECT

    def __init__(self, files: AdmittedFiles, pool: WorkerPool, limits: Limits, clock: Clock) -> None:
        self.files = files
        self._cache = WorkspaceCache(files)
        self.pool = pool
        self._limits = limits
        self._desk = Desk(pool, limits, clock)
        self._checked: tuple[Database, float] | None = None
        self.documents = Documents(files, limits, clock)
        self._profiles = Profiles(files.cache_dir / "profiles", limits)

    @classmethod
    async def open(cls, root: Path, cache_dir: Path, limits: Limits, clock: Clock) -> Workspace:
        """Starts the workers; files are read when they are first asked for."""
        pool = WorkerPool(limits.worker_pool, WorkerSettings.of(limits), cache_dir / "spill", COMMAND)
        files = WorkspaceFiles(root, cache_dir, limits, clock)
        pool.start()
        return cls(files, pool, limits, clock)

    async def close(self) -> None:
        """Ends all workers, running queries too."""
        await self.pool.close()
        await self.files.close()

    async def catalog(self, wanted: Wanted = nothing) -> WorkspaceCatalog:
        """The files as they are now; among very many new ones only what `wanted` takes has been read. Raises CallError
        `no_workspace`, StateUnavailable."""
        return await self.files.current(wanted)

    async def digest(self) -> str:
        """What a run keeps of the folder it began over, see `folder_digest`. Raises CallError `no_workspace`."""
        return await self.files.digest()

    async def understand(self, sql: str) -> ValidatedQuery:
        """What the guard makes of `sql`, without running it. Raises CallError."""
        return guarded(await self.catalog(in_sql(sql)), sql, self._limits)

    async def read(self, sql: str, *, seconds: float, rows_kept: int) -> ReadResult:
        """One guarded read; cancelling kills the query. Raises CallError: `sql_…`, `function_not_allowed`, `timeout`,
        `resource_limit`, `file_changed` when the files keep changing."""

        async def attempt(catalog: WorkspaceCatalog) -> tuple[ReadResult, Sequence[WorkspaceTable]]:
            query = guarded(catalog, sql, self._limits)
            tables = read_by(catalog, query)
            database = await self._database(catalog, tables)
            result = await read_tables(self._desk, catalog, database, query, seconds=seconds, rows=rows_kept)
            return result, tables

        return await self._steady(attempt, in_sql(sql))

    async def read_files(self, pattern: str, sql: str) -> tuple[ReadResult, FileSet]:
        """One guarded read over `data`, the rows of all files that `pattern` takes. Raises CallError as `read`, and
        `pattern_refused`, `not_found`, `file_refused`, `set_not_homogeneous`."""

        async def attempt(catalog: WorkspaceCatalog) -> tuple[tuple[ReadResult, FileSet], Sequence[WorkspaceTable]]:
            chosen = file_set(catalog, pattern, self._limits.file_query_files)
            seconds, rows = self._limits.file_query_seconds, self._limits.sql_rows_kept
            database = await self._database(catalog, chosen.tables)
            result = await read_set(self._desk, chosen, pattern, database, sql, seconds=seconds, rows=rows)
            return (result, chosen), chosen.tables

        takes = taken_by(pattern)
        return await self._steady(attempt, lambda file: takes(file.path))

    async def inspect(self, name: str, columns: Sequence[str], rows: int) -> TableProfile:
        """What a table's columns hold, with `rows` sample rows. `name` is a table or the file it came from. Raises
        CallError `not_found` with near names."""

        async def attempt(catalog: WorkspaceCatalog) -> tuple[TableProfile, Sequence[WorkspaceTable]]:
            table = named_table(catalog, name)
            chosen = named_columns(table, columns)
            beside = near_tables(catalog, table, chosen or table.columns)
            database = await self._database(catalog, (table, *beside))
            fixed = Fixed(self._desk, catalog, database, self._limits.file_query_seconds)
            return await self._profiles.profile(fixed, catalog, table, chosen, rows), (table,)

        return await self._steady(attempt, called([name]))

    async def near_values(self, table: str, column: str, value: str) -> list[Json]:
        """Values of a column most like `value`, best first; none when nothing is like it. Raises CallError."""

        async def attempt(catalog: WorkspaceCatalog) -> tuple[list[Json], Sequence[WorkspaceTable]]:
            found = named_table(catalog, table)
            (known,) = named_columns(found, [column])
            sql, parameters = near_values_sql(found.name, known, value, self._limits.sql_near_values)
            fixed = Fixed(self._desk, catalog, await self._database(catalog, (found,)), _NEAR_SECONDS)
            return [row[0] for row in await fixed(sql, parameters)], (found,)

        return await self._steady(attempt, called([table]))

    async def _database(self, catalog: WorkspaceCatalog, tables: Sequence[WorkspaceTable]) -> Database:
        """The cache database of a catalog, of one with very many tables only that of `tables`, since each costs time to
        put in. Whether it is still sound is looked at once a minute."""
        if len(catalog.tables) > self._limits.eager_files:
            catalog = catalog.of(tables)
        now = self._desk.clock.monotonic()
        known = self._checked
        if known is not None and known[0].revision == catalog.revision and now - known[1] < _RECHECK_SECONDS:
            return known[0]
        made = await self._cache.database(catalog)
        database = Database(made.path.absolute(), made.parquet, made.revision)
        self._checked = (database, now)
        return database

    async def _steady(
        self, attempt: Callable[[WorkspaceCatalog], Awaitable[tuple[T, Sequence[WorkspaceTable]]]], wanted: Wanted
    ) -> T:
        """The result of an attempt whose files stayed as the catalog knew them; tried anew once on a fresh catalog."""
        catalog = await self.files.current(wanted)
        moved: list[str] = []
        for _ in range(2):
            try:
                result, tables = await attempt(catalog)
            except CacheGone as gone:
                moved, self._checked = [], None
                files = {file.path for file in catalog.files if wanted(file)}
                mended = await self._cache.mend([table for table in catalog.tables if table.file in files])
                if gone.otherwise is not None and not mended:
                    raise gone.otherwise from gone
            else:
                moved = await asyncio.to_thread(self._moved, catalog, tables)
                if not moved:
                    return result
            catalog = await self.files.refresh(wanted)
        raise file_changed(moved)

    def _moved(self, catalog: WorkspaceCatalog, tables: Sequence[WorkspaceTable]) -> list[str]:
        """The files of `tables` that are not what the catalog saw any more."""
        wanted = {table.file for table in tables}
        return [
            file.path
            for file in catalog.files
            if file.path in wanted and self.files.state(file.path) != (file.size, file.modified_ns)
        ]


def named_table(catalog: WorkspaceCatalog, name: str) -> WorkspaceTable:
    """The table of this name, or the only one of the file of this path. Raises CallError `not_found`."""
    path = composed(name)
    of_file = [table for table in catalog.tables if composed(table.file) == path]
    found = catalog.table(name) or (of_file[0] if len(of_file) == 1 else None)
    if found is not None:
        return found
    skipped = next((file for file in catalog.files if composed(file.path) == path and file.kind != "table"), None)
    if skipped is not None:
        why = skipped.reason or "it is a document, not a table"
        raise CallError("not_found", f"{name} is no table: {why}.", hint="list_files shows what each file holds.")
    similar = [table.name for table in of_file] or near(name, [table.name for table in catalog.tables])
    hint = f"Near names: {', '.join(similar)}." if similar else "list_files shows all tables."
    raise CallError("not_found", f"No table is called {name!r}.", hint=hint, details={"near": similar})


def named_columns(table: WorkspaceTable, names: Sequence[str]) -> list[Column]:
    """The columns of these names, in any case. Raises CallError `not_found` with near names and all columns."""
    known = {column.name.casefold(): column for column in table.columns}
    exact = {column.name: column for column in table.columns}
    found: list[Column] = []
    for name in names:
        column = exact.get(name) or known.get(name.casefold())
        if column is None:
            columns = list(exact)
            similar = near(name, columns)
            hint = f"Near names: {', '.join(similar)}." if similar else f"Columns: {', '.join(columns[:50])}."
            raise CallError(
                "not_found",
                f"{table.name} has no column {name!r}.",
                hint=hint,
                details={"near": similar, "columns": columns[:200]},
            )
        found.append(column)
    return found
