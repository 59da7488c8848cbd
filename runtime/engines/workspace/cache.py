"""The read-only database that queries open: views over the admitted Parquet files of one catalog, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from runtime.engines.workspace.catalog import AdmittedFiles
from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceTable
from runtime.errors import StateUnavailable
from runtime.ingest import IngestRefused, sealed, unsealed

log = structlog.get_logger(__name__)

KEPT_DATABASES = 3
KEPT_SECONDS = 3_600
"""A database used within the last hour is kept even when there are newer ones: a run may still read it."""


@dataclass(frozen=True, slots=True)
class CacheDatabase:
    """A database file with one view for each table of the catalog `revision`. A query worker opens it read-only and
    allows exactly the files in `parquet`."""

    path: Path
    parquet: tuple[Path, ...]
    revision: str


class WorkspaceCache:
    """Databases below `<cache>/db`, one for each catalog revision, swapped in whole and removed when old."""

    def __init__(self, files: AdmittedFiles) -> None:
        self._files = files
        self._folder = files.cache_dir / "db"
        self._building = asyncio.Lock()
        self._sound: dict[str, tuple[int, int, int]] = {}

    async def database(self, catalog: WorkspaceCatalog) -> CacheDatabase:
        """The database of `catalog`, built when it is missing or damaged; a damaged Parquet file is read anew from the
        workspace. Raises StateUnavailable when the data folder cannot be written, or keeps failing."""
        digest = catalog.revision.rpartition(":")[2]
        parquet = tuple(sorted({table.parquet for table in catalog.tables}))
        made = CacheDatabase(self._folder / f"{digest}.duckdb", parquet, catalog.revision)
        async with self._building:
            identity = await asyncio.to_thread(_identity, made.path)
            if identity is None or self._sound.get(digest) != identity:
                await self._build(made, catalog)
            await asyncio.to_thread(self._used, made)
            self._sound[digest] = _identity(made.path) or (0, 0, 0)
        return made

    async def mend(self, tables: Sequence[WorkspaceTable]) -> bool:
        """Throws away those copies of tables that cannot be read to their end, so that the next catalog reads them anew
        from the workspace. True when there was one. Raises StateUnavailable."""
        damaged = [copy for copy in sorted({table.parquet for table in tables}) if not await self._files.sound(copy)]
        for parquet in damaged:
            log.warning("a cached table is damaged; its file is read again", parquet=parquet.name)
            self._files.forget(parquet.stem)
        return bool(damaged)

    async def _build(self, made: CacheDatabase, catalog: WorkspaceCatalog) -> None:
        tables = [(table.name, table.parquet) for table in catalog.tables]
        for attempt in range(3):
            try:
                return await self._files.build_database(tables, made.path)
            except IngestRefused as damage:
                if attempt == 2:
                    raise StateUnavailable(f"The cache of workspace files stays damaged: {damage}") from damage
                self._files.forget(damage.reason.removesuffix(".parquet"))
                await self._files.refresh()

    def _used(self, made: CacheDatabase) -> None:
        """Marks a database as used now, notes its files, and clears away what nothing has used for long."""
        with contextlib.suppress(OSError):
            names = sealed([path.name for path in made.parquet])
            temporary = made.path.with_suffix(f".{os.getpid()}.tmp")
            temporary.write_bytes(names)
            os.replace(temporary, made.path.with_suffix(".json"))
            os.utime(made.path)
            self._clear(made.path.stat().st_mtime)

    def _clear(self, now: float) -> None:
        databases = sorted(self._folder.glob("*.duckdb"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in databases[KEPT_DATABASES:]:
            if now - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink()
                path.with_suffix(".json").unlink(missing_ok=True)
        kept = set(_listed(self._folder.glob("*.json")))
        for path in self._files.kept():
            if path.name not in kept and now - path.stat().st_mtime > KEPT_SECONDS:
                self._files.forget(path.stem)


def _listed(lists: Iterable[Path]) -> Iterable[str]:
    for path in lists:
        try:
            yield from [str(name) for name in unsealed(path.read_bytes())]
        except (ValueError, TypeError):
            path.unlink()  # damaged: at worst a copy that is still wanted is made once more


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns
