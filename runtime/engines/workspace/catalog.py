"""The files of one workspace and the tables in them, kept up to date: only what changed is read again."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

from runtime.clock import Clock
from runtime.engines.workspace.folder import FoundFile, list_folder
from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceFile, WorkspaceTable
from runtime.engines.workspace.naming import Place, table_names
from runtime.engines.workspace.readings import KnownReadings, Reading, Refusal
from runtime.errors import ConfigurationError
from runtime.evidence import Column
from runtime.ingest import (
    INGEST_VERSION,
    RACY_NS,
    FileJob,
    FileReader,
    IngestRefused,
    ReadDocument,
    ReadingStore,
    ReadTable,
    ReadWorkbook,
)
from runtime.limits import Limits


class WorkspaceFiles:
    """One admitted folder. Safe to use from many tasks; a file is read once for each content, whoever asks.
    `cache_dir` belongs to this workspace alone; `reader` and `store` are shared with its WorkspaceCache."""

    def __init__(self, root: Path, cache_dir: Path, limits: Limits, clock: Clock) -> None:
        if any(sign in str(cache_dir) for sign in "*?["):
            raise ConfigurationError(f"The data folder's path must not contain *, ? or [: {cache_dir}")
        self._root = root
        self.cache_dir = cache_dir.absolute()
        self._limits = limits
        self._clock = clock
        self.store = ReadingStore(self.cache_dir)
        self.reader = FileReader(limits)
        self._known = KnownReadings(self.cache_dir, self.store)
        self._refreshing = asyncio.Lock()
        self._listed: tuple[FoundFile, ...] | None = None
        self._catalog: WorkspaceCatalog | None = None
        self._unsettled = False

    async def current(self) -> WorkspaceCatalog:
        """The catalog as of now: the last one when no name, size or time below the root has changed, else a fresh one.
        Raises as `refresh`."""
        async with self._refreshing:
            listed = await asyncio.to_thread(list_folder, self._root, self._limits)
            same = listed == self._listed and not self._unsettled
            if self._catalog is not None and same and await asyncio.to_thread(self._known.whole):
                return self._catalog
            return await self._refresh(listed)

    async def refresh(self) -> WorkspaceCatalog:
        """Lists the folder and reads what is new or changed. Raises CallError `no_workspace` when the folder is gone,
        StateUnavailable when the cache cannot be written; a file that cannot be read is an entry with the reason."""
        async with self._refreshing:
            return await self._refresh(await asyncio.to_thread(list_folder, self._root, self._limits))

    async def close(self) -> None:
        """Ends the reader process."""
        await self.reader.close()

    async def _refresh(self, listed: tuple[FoundFile, ...]) -> WorkspaceCatalog:
        await asyncio.to_thread(self._known.load)
        started_ns = int(self._clock.now().timestamp() * 1e9)
        readings: dict[str, Reading] = {}
        try:
            for file in listed:
                if file.kind:
                    readings[file.path] = await self._reading(file, started_ns)
        finally:
            # What was read before a failure is not lost.
            await asyncio.to_thread(self._known.save, {file.path for file in listed})
        self._catalog = self._assemble(listed, readings)
        self._listed = listed
        self._unsettled = self._known.unsettled
        return self._catalog

    async def _reading(self, file: FoundFile, started_ns: int) -> Reading:
        assert file.kind
        known = self._known.get(file)
        if known is not None:
            return known
        job = FileJob(str(self._root.absolute()), file.path, file.kind, str(self.cache_dir))
        try:
            reading, stamp = await self.reader.read(job, file.stamp.size)
        except IngestRefused as refusal:
            reading, stamp = Refusal(refusal.reason, refusal.revision), file.stamp
        # A file written just now could be written again under the same time: it is looked at once more next time.
        settled = started_ns - stamp.modified_ns > RACY_NS
        self._known.put(file.path, file.kind, stamp, reading, settled=settled)
        return reading

    def _assemble(self, listed: tuple[FoundFile, ...], readings: dict[str, Reading]) -> WorkspaceCatalog:
        places = {path: _places(path, reading) for path, reading in readings.items()}
        names = table_names(place for found in places.values() for place in found)
        files: list[WorkspaceFile] = []
        tables: list[WorkspaceTable] = []
        for file in listed:
            found = places.get(file.path, {})
            tables += [self._table(names[place], file.path, table) for place, table in found.items()]
            files.append(_entry(file, readings.get(file.path), tuple(names[place] for place in found)))
        return WorkspaceCatalog(_revision(files), tuple(files), tuple(sorted(tables, key=lambda table: table.name)))

    def _table(self, name: str, path: str, reading: ReadTable) -> WorkspaceTable:
        return WorkspaceTable(
            name=name,
            file=path,
            revision=reading.revision,
            columns=tuple(Column(column, kind) for column, kind in reading.columns),
            rows=reading.rows,
            parquet=self.store.parquet(reading.key),
            notes=reading.notes,
            part=reading.part,
        )


def _places(path: str, reading: Reading) -> dict[Place, ReadTable]:
    """The tables of a file, each under its place."""
    if isinstance(reading, ReadTable):
        return {Place(path): reading}
    tables = reading.tables if isinstance(reading, ReadWorkbook) else ()
    return {Place(path, number, table.label): table for number, table in enumerate(tables)}


def _entry(file: FoundFile, reading: Reading | None, names: tuple[str, ...]) -> WorkspaceFile:
    size, modified = file.stamp.size, file.stamp.modified_ns
    if isinstance(reading, ReadTable):
        return WorkspaceFile(file.path, "table", size, modified, reading.revision, names, notes=reading.notes)
    if isinstance(reading, ReadWorkbook):
        return WorkspaceFile(file.path, "table", size, modified, reading.revision, names)
    if isinstance(reading, ReadDocument):
        return WorkspaceFile(
            file.path,
            "document",
            size,
            modified,
            reading.revision,
            first_line=reading.first_line,
            text=reading.key,
            notes=reading.notes,
        )
    if isinstance(reading, Refusal):
        return WorkspaceFile(file.path, "skipped", size, modified, reading.revision, reason=reading.reason)
    return WorkspaceFile(file.path, "skipped", size, modified, reason=file.reason)


def _revision(files: list[WorkspaceFile]) -> str:
    digest = hashlib.sha256(f"ingest {INGEST_VERSION}\n".encode())
    for file in sorted(files, key=lambda each: each.path):
        digest.update(f"{file.path}\0{file.revision}\n".encode())
    return f"sha256:{digest.hexdigest()}"
