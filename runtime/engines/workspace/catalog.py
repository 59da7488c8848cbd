"""The files of one workspace and the tables in them, kept up to date: only what changed is read again."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Protocol

from runtime.clock import Clock
from runtime.engines.workspace.folder import FoundFile, folder_digest, list_folder
from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceFile, WorkspaceTable
from runtime.engines.workspace.naming import Place, table_names, told_apart_by
from runtime.engines.workspace.readings import KnownReadings, Reading, Refusal
from runtime.errors import ConfigurationError
from runtime.evidence import Column
from runtime.ingest import (
    DOCUMENT_KINDS,
    INGEST_VERSION,
    RACY_NS,
    DocumentStore,
    ExtractedText,
    FileJob,
    IngestRefused,
    ReadDocument,
    ReadingStore,
    ReadTable,
    ReadWorkbook,
    open_inside,
)
from runtime.ingest.reader import FileReader
from runtime.limits import Limits

_WORD = re.compile(r"\w+")
_WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")

Wanted = Callable[[WorkspaceFile], bool]
"""Whether a call is about a file, told from its entry: path, kind, and the table names it has or would have."""


def nothing(_: WorkspaceFile) -> bool:
    """The call is about no file by name."""
    return False


def among(paths: Collection[str]) -> Wanted:
    """The call is about the files of these paths."""
    chosen = frozenset(paths)
    return lambda file: file.path in chosen


def called(names: Collection[str]) -> Wanted:
    """The call is about files or tables of these names: paths, names without folders, or table names, in any case."""
    chosen = frozenset(map(told_apart_by, names))

    def wanted(file: WorkspaceFile) -> bool:
        path = told_apart_by(file.path)
        return not chosen.isdisjoint((path, path.rpartition("/")[2], *map(str.casefold, file.tables)))

    return wanted


def in_sql(sql: str) -> Wanted:
    """The call is about the tables that a query may name. A table of a workbook has a name that begins with the
    file's, which is all that is known before it is read."""
    words = frozenset(_WORD.findall(sql.casefold()))

    def wanted(file: WorkspaceFile) -> bool:
        names = tuple(name.casefold() for name in file.tables)
        if not file.path.casefold().endswith(_WORKBOOKS):
            return not words.isdisjoint(names)
        return any(word == name or word.startswith(f"{name}_") for word in words for name in names)

    return wanted


class AdmittedFiles(Protocol):
    """The files that a workspace is made of, by the paths of their catalog. `cache_dir` belongs to them alone."""

    @property
    def cache_dir(self) -> Path: ...

    async def current(self, wanted: Wanted = nothing) -> WorkspaceCatalog: ...

    async def refresh(self, wanted: Wanted = nothing) -> WorkspaceCatalog: ...

    async def digest(self) -> str: ...

    def open(self, path: str) -> int: ...

    def state(self, path: str) -> tuple[int, int] | None: ...

    def text(self, key: str) -> ExtractedText | None: ...

    async def build_database(self, tables: Sequence[tuple[str, Path]], out: Path) -> None: ...

    async def sound(self, copy: Path) -> bool: ...

    def kept(self) -> list[Path]: ...

    def forget(self, key: str) -> None: ...

    async def close(self) -> None: ...


class WorkspaceFiles:
    """One admitted folder. Safe to use from many tasks; a file is read once for each content, whoever asks.
    `cache_dir` belongs to this workspace alone; `reader` may be shared with others. An AdmittedFiles."""

    def __init__(
        self, root: Path, cache_dir: Path, limits: Limits, clock: Clock, reader: FileReader | None = None
    ) -> None:
        if any(sign in str(cache_dir) for sign in "*?["):
            raise ConfigurationError(f"The data folder's path must not contain *, ? or [: {cache_dir}")
        self._root = root
        self.cache_dir = cache_dir.absolute()
        self._limits = limits
        self._clock = clock
        self.store = ReadingStore(self.cache_dir)
        self.reader = reader or FileReader(limits)
        self._texts = DocumentStore(self.cache_dir)
        self._known = KnownReadings(self.cache_dir, self.store)
        self._refreshing = asyncio.Lock()
        self._listed: tuple[FoundFile, ...] | None = None
        self._catalog: WorkspaceCatalog | None = None
        self._unsettled = False

    async def current(self, wanted: Wanted = nothing) -> WorkspaceCatalog:
        """The catalog as of now: the last one when no name, size or time below the root has changed and nothing that
        `wanted` takes is unread, else a fresh one. Raises as `refresh`."""
        async with self._refreshing:
            listed = await asyncio.to_thread(list_folder, self._root, self._limits)
            kept = self._catalog if listed == self._listed and not self._unsettled else None
            missing = kept is None or any(file.unread and wanted(file) for file in kept.files)
            if kept and not missing and await asyncio.to_thread(self._known.whole):
                return kept
            return await self._refresh(listed, wanted)

    async def refresh(self, wanted: Wanted = nothing) -> WorkspaceCatalog:
        """Lists the folder and reads what is new or changed; of more than `eager_files` only what `wanted` takes, and
        of that `files_read_at_once` at most. Raises CallError `no_workspace` when the folder is gone, StateUnavailable
        when the cache cannot be written; a file that cannot be read is an entry with the reason."""
        async with self._refreshing:
            return await self._refresh(await asyncio.to_thread(list_folder, self._root, self._limits), wanted)

    async def close(self) -> None:
        """Ends the reader process."""
        await self.reader.close()

    async def digest(self) -> str:
        """See `folder_digest`. Raises CallError `no_workspace`."""
        return await asyncio.to_thread(folder_digest, self._root, self._limits)

    def open(self, path: str) -> int:
        """A descriptor of a file of the catalog; the caller closes it. Raises as `open_inside`."""
        return open_inside(str(self._root.absolute()), path)

    def state(self, path: str) -> tuple[int, int] | None:
        """A file's size and time of change as they are now, None when it is gone."""
        try:
            found = (self._root / path).stat(follow_symlinks=False)
        except OSError:
            return None
        return found.st_size, found.st_mtime_ns

    def text(self, key: str) -> ExtractedText | None:
        """A document's extracted text, None when it is not kept any more. Raises IngestRefused if it was refused."""
        return self._texts.find(key)

    async def build_database(self, tables: Sequence[tuple[str, Path]], out: Path) -> None:
        """Raises as `FileReader.build_database`."""
        await self.reader.build_database(tables, out, self.cache_dir)

    async def sound(self, copy: Path) -> bool:
        """Raises as `FileReader.sound`."""
        return await self.reader.sound(copy, self.cache_dir)

    def kept(self) -> list[Path]:
        """All Parquet files of the cache."""
        return self.store.tables()

    def forget(self, key: str) -> None:
        """Drops the reading of this key."""
        self.store.forget(key)

    async def _refresh(self, listed: tuple[FoundFile, ...], wanted: Wanted) -> WorkspaceCatalog:
        readings = await asyncio.to_thread(self._remembered, listed)
        unread = [file for file in listed if file.kind and file.path not in readings]
        if len(unread) > self._limits.eager_files:
            unread = self._wanted(listed, readings, unread, wanted)[: self._limits.files_read_at_once]
        started_ns = int(self._clock.now().timestamp() * 1e9)
        try:
            for file in unread:
                readings[file.path] = await self._reading(file, started_ns)
        finally:
            # What was read before a failure is not lost.
            if unread or self._listed != listed:
                await asyncio.to_thread(self._known.save, {file.path for file in listed})
        self._catalog = self._assemble(listed, readings)
        self._listed = listed
        self._unsettled = self._known.unsettled
        return self._catalog

    def _wanted(
        self, listed: tuple[FoundFile, ...], readings: dict[str, Reading], unread: list[FoundFile], wanted: Wanted
    ) -> list[FoundFile]:
        """Those of the unread files that a call is about, told from what their entries say so far."""
        if wanted is nothing:
            return []
        known = self._catalog if self._catalog and self._listed == listed else self._assemble(listed, readings)
        outline = {file.path: file for file in known.files}
        return [file for file in unread if wanted(outline[file.path])]

    def _remembered(self, listed: tuple[FoundFile, ...]) -> dict[str, Reading]:
        self._known.load()
        found = ((file.path, self._known.get(file)) for file in listed if file.kind)
        return {path: reading for path, reading in found if reading is not None}

    async def _reading(self, file: FoundFile, started_ns: int) -> Reading:
        assert file.kind
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
        # One whose name is not read may be shown as another one's: there it must not come a second time.
        places = {file.path: _places(file, readings.get(file.path)) for file in listed if file.kind}
        names = table_names(place for found in places.values() for place in found)
        files: list[WorkspaceFile] = []
        tables: list[WorkspaceTable] = []
        for file in listed:
            found = places[file.path] if file.kind else {}
            tables += [self._table(names[place], file.path, table) for place, table in found.items() if table]
            files.append(
                _entry(file, readings.get(file.path) if file.kind else None, tuple(names[place] for place in found))
            )
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


def _places(file: FoundFile, reading: Reading | None) -> dict[Place, ReadTable | None]:
    """The tables of a file, each under its place; of one not read yet the place that a single table would have."""
    if reading is None and file.kind and file.kind not in DOCUMENT_KINDS:
        return {Place(file.path): None}
    if isinstance(reading, ReadTable):
        return {Place(file.path): reading}
    tables = reading.tables if isinstance(reading, ReadWorkbook) else ()
    return {Place(file.path, number, table.label): table for number, table in enumerate(tables)}


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
    if file.kind:
        kind = "document" if file.kind in DOCUMENT_KINDS else "table"
        return WorkspaceFile(file.path, kind, size, modified, tables=names, unread=True)
    return WorkspaceFile(file.path, "skipped", size, modified, reason=file.reason)


def _revision(files: list[WorkspaceFile]) -> str:
    digest = hashlib.sha256(f"ingest {INGEST_VERSION}\n".encode())
    for file in sorted(files, key=lambda each: each.path):
        seen = f"unread {file.size} {file.modified_ns}" if file.unread else file.revision
        digest.update(f"{file.path}\0{seen}\n".encode())
    return f"sha256:{digest.hexdigest()}"
