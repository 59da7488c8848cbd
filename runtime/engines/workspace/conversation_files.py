"""The files that people attached in a conversation: a workspace of that conversation alone, beside the folder's."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import cast

from runtime.clock import Clock
from runtime.engines.worker import WorkerPool, WorkerSettings
from runtime.engines.workspace.byte_store import ByteStore, remove_folder, writing
from runtime.engines.workspace.catalog import WorkspaceFiles
from runtime.engines.workspace.joint_files import JointFiles
from runtime.engines.workspace.worker import COMMAND
from runtime.engines.workspace.workspace import Workspace
from runtime.ingest.reader import FileReader
from runtime.limits import Limits

_VIEWS_KEPT = 16
_MARKS = "marks.json"


class ConversationFiles:
    """Rooms below one folder, one for each conversation with attached files: copies under the names that people see,
    and their cache. A room is made whole from the store at any time, on any replica. `base` gives the workspace that
    is open now."""

    def __init__(
        self, folder: Path, store: ByteStore, base: Callable[[], Workspace | None], limits: Limits, clock: Clock
    ) -> None:
        self._folder = folder
        self._store = store
        self._base = base
        self._limits = limits
        self._clock = clock
        self._reader = FileReader(limits)
        self._pool: WorkerPool | None = None
        self._views: OrderedDict[tuple[str, bool], tuple[Workspace | None, Workspace]] = OrderedDict()
        self._files: dict[str, WorkspaceFiles] = {}

    async def furnish(self, conversation: str, files: Mapping[str, str]) -> list[str]:
        """Makes the room hold exactly `files`, SHA-256 by name; when it loses one, all that was made of its files goes
        with it and is made again for the others when it is asked for. Returns the names whose bytes are not in the
        store. Raises StateUnavailable."""
        return await asyncio.to_thread(self._furnish, self._room(conversation), files)

    def view(self, conversation: str, *, beside_folder: bool) -> Workspace:
        """The workspace of a conversation: its room, beside the folder of the workspace where that is open."""
        base, key = self._base(), (conversation, beside_folder)
        seen, view = self._views.get(key, (None, None))
        if view is None or seen is not base:
            files = JointFiles(base.files if beside_folder and base else None, self._of(conversation))
            view = Workspace(files, base.pool if base else self._workers(), self._limits, self._clock)
            self._views[key] = (base, view)
        self._views.move_to_end(key)
        while len(self._views) > _VIEWS_KEPT:
            self._drop(next(iter(self._views))[0])
        return view

    async def trim(self, conversation: str, files: Mapping[str, str]) -> None:
        """Removes from a room, if there is one, what is not in `files`. Raises StateUnavailable."""
        room = self._room(conversation)
        if await asyncio.to_thread((room / "files").is_dir):
            await asyncio.to_thread(_trim, room, files)

    async def clear(self, kept: Collection[str]) -> None:
        """Removes the rooms of all conversations but these. Raises StateUnavailable."""
        for conversation in {conversation for conversation, _ in self._views} - set(kept):
            self._drop(conversation)
        rooms = {self._room(conversation).name for conversation in kept}
        await asyncio.to_thread(self._clear, rooms)

    async def close(self) -> None:
        """Ends the processes that were started here."""
        await self._reader.close()
        if self._pool is not None:
            await self._pool.close()

    def _room(self, conversation: str) -> Path:
        return self._folder / hashlib.sha256(conversation.encode()).hexdigest()[:32]

    def _of(self, conversation: str) -> WorkspaceFiles:
        """One for each room, whichever views look at it: its cache has one owner."""
        if conversation not in self._files:
            room = self._room(conversation)
            self._files[conversation] = WorkspaceFiles(
                room / "files", room / "cache", self._limits, self._clock, self._reader
            )
        return self._files[conversation]

    def _workers(self) -> WorkerPool:
        if self._pool is None:
            settings = WorkerSettings.of(self._limits)
            self._pool = WorkerPool(self._limits.worker_pool, settings, self._folder / "spill", COMMAND)
            self._pool.start()
        return self._pool

    def _drop(self, conversation: str) -> None:
        for beside in (False, True):
            self._views.pop((conversation, beside), None)
        self._files.pop(conversation, None)

    def _furnish(self, room: Path, files: Mapping[str, str]) -> list[str]:
        with writing(room):
            (room / "files").mkdir(parents=True, exist_ok=True, mode=0o700)
        kept = _trim(room, files)
        missing = list[str]()
        for name, sha256 in files.items():
            if name not in kept:
                target = room / "files" / name
                if self._store.copy(sha256, target):
                    kept[name] = _mark(target, sha256)
                else:
                    missing.append(name)
        with writing(room):
            (room / _MARKS).write_text(json.dumps(kept), "utf-8")
        return missing

    def _clear(self, kept: Collection[str]) -> None:
        if self._folder.is_dir():
            for room in self._folder.iterdir():
                if room.name not in kept and room.name != "spill":
                    remove_folder(room)


def _trim(room: Path, files: Mapping[str, str]) -> dict[str, list[object]]:
    """Removes from a room what is not in `files` with its content, and all that was made of the room's files when it
    lost one. Returns the marks of those that stay."""
    marks = _marks(room)
    with writing(room):
        shown = {path.name: path for path in (room / "files").iterdir()}
        kept = {
            name: marks[name]
            for name, sha256 in files.items()
            if name in shown and name in marks and marks[name] == _mark(shown[name], sha256)
        }
        lost = [path for name, path in shown.items() if name not in kept]
        for path in lost:
            path.unlink(missing_ok=True)
    if lost:
        remove_folder(room / "cache")
    return kept


def _mark(path: Path, sha256: str) -> list[object]:
    """What tells, without reading it, that a file is still the one that was put there."""
    state = path.stat()
    return [sha256, state.st_size, state.st_mtime_ns, state.st_ino]


def _marks(room: Path) -> dict[str, list[object]]:
    """Name → mark; nothing when they are missing or damaged: then the files are put there again."""
    try:
        found: object = json.loads((room / _MARKS).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return cast("dict[str, list[object]]", found) if isinstance(found, dict) else {}
