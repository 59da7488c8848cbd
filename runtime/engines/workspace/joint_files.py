"""A folder's files and those attached in one conversation, as one catalog; either may be seen without the other."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from runtime.engines.workspace.catalog import AdmittedFiles, Wanted, nothing
from runtime.engines.workspace.model import WorkspaceCatalog, WorkspaceFile, WorkspaceTable
from runtime.ingest import ExtractedText

ATTACHED = "attached"
"""The folder under which attached files stand in the catalog; numbered when the workspace has one of this name."""


class JointFiles:
    """Both as one; an AdmittedFiles whose databases are kept beside the attached files. `folder` is None where no
    workspace is open: then nothing of it is asked, so that no name, total or near name can come from it."""

    def __init__(self, folder: AdmittedFiles | None, attached: AdmittedFiles) -> None:
        self._folder = folder
        self._attached = attached
        self._room = ATTACHED
        self._joined: tuple[str, str, WorkspaceCatalog] | None = None

    @property
    def cache_dir(self) -> Path:
        """Where databases over both are kept."""
        return self._attached.cache_dir

    async def current(self, wanted: Wanted = nothing) -> WorkspaceCatalog:
        """Both as they are now. Raises as `WorkspaceFiles.current`."""
        folder = await self._folder.current(wanted) if self._folder else None
        return self._join(folder, await self._attached.current(wanted))

    async def refresh(self, wanted: Wanted = nothing) -> WorkspaceCatalog:
        """Both listed anew. Raises as `WorkspaceFiles.refresh`."""
        folder = await self._folder.refresh(wanted) if self._folder else None
        return self._join(folder, await self._attached.refresh(wanted))

    async def digest(self) -> str:
        """Over both. Raises CallError `no_workspace`."""
        parts = [await files.digest() for files in (self._folder, self._attached) if files]
        return f"sha256:{hashlib.sha256(' '.join(parts).encode()).hexdigest()}"

    def open(self, path: str) -> int:
        """As `WorkspaceFiles.open`."""
        files, inside = self._behind(path)
        return files.open(inside)

    def state(self, path: str) -> tuple[int, int] | None:
        """As `WorkspaceFiles.state`."""
        files, inside = self._behind(path)
        return files.state(inside)

    def text(self, key: str) -> ExtractedText | None:
        """As `WorkspaceFiles.text`: a key names a content, wherever it is kept."""
        found = self._attached.text(key)
        return found if found is not None or self._folder is None else self._folder.text(key)

    async def build_database(self, tables: Sequence[tuple[str, Path]], out: Path) -> None:
        """As `WorkspaceFiles.build_database`."""
        await self._attached.build_database(tables, out)

    async def sound(self, copy: Path) -> bool:
        """As `WorkspaceFiles.sound`, wherever a copy is kept."""
        return await self._attached.sound(copy)

    def kept(self) -> list[Path]:
        """The Parquet files of the attached files; the folder looks after its own."""
        return self._attached.kept()

    def forget(self, key: str) -> None:
        """Drops the reading of this key, wherever it is kept."""
        self._attached.forget(key)
        if self._folder is not None:
            self._folder.forget(key)

    async def close(self) -> None:
        """Closes nothing: both belong to those who opened them."""
        await asyncio.sleep(0)

    def _behind(self, path: str) -> tuple[AdmittedFiles, str]:
        room, _, inside = path.partition("/")
        if self._folder is None or (inside and room == self._room):
            return self._attached, inside
        return self._folder, path

    def _join(self, folder: WorkspaceCatalog | None, attached: WorkspaceCatalog) -> WorkspaceCatalog:
        seen = folder.revision if folder else ""
        if self._joined is not None and self._joined[:2] == (seen, attached.revision):
            return self._joined[2]
        folder = folder or WorkspaceCatalog("")
        self._room = _free(ATTACHED, {file.path.partition("/")[0] for file in folder.files})
        joined = join(folder, attached, self._room)
        self._joined = (seen, attached.revision, joined)
        return joined


def join(folder: WorkspaceCatalog, attached: WorkspaceCatalog, room: str) -> WorkspaceCatalog:
    """One catalog: the folder's tables keep their names; an attached table whose name is taken there is called
    `attached_…`; attached files stand below `room`."""
    taken = {name.casefold() for file in folder.files for name in file.tables}
    names = dict(_names([name for file in attached.files for name in file.tables], taken))
    files = [
        replace(file, path=f"{room}/{file.path}", tables=tuple(names[name] for name in file.tables), attached=True)
        for file in attached.files
    ]
    tables = [replace(table, name=names[table.name], file=f"{room}/{table.file}") for table in attached.tables]
    digest = hashlib.sha256(f"{folder.revision}\n{attached.revision}\n{room}".encode()).hexdigest()
    return WorkspaceCatalog(
        f"sha256:{digest}",
        tuple(sorted((*folder.files, *files), key=_path)),
        tuple(sorted((*folder.tables, *tables), key=_name)),
    )


def _path(file: WorkspaceFile) -> str:
    return file.path


def _name(table: WorkspaceTable) -> str:
    return table.name


def _names(wanted: Sequence[str], taken: set[str]) -> Iterator[tuple[str, str]]:
    """Each wanted name, and the one that it gets: none that the folder has, none twice."""
    used = taken | {name.casefold() for name in wanted}
    for name in wanted:
        given = name if name.casefold() not in taken else _free(f"{ATTACHED}_{name}", used)
        used.add(given.casefold())
        yield name, given


def _free(name: str, taken: Collection[str]) -> str:
    """`name`, or with the first number that makes it new."""
    folded = {each.casefold() for each in taken}
    given, number = name, 2
    while given.casefold() in folded:
        given, number = f"{name}_{number}", number + 1
    return given
