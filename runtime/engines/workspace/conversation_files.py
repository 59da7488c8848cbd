"""The files that people attached in a conversation: a workspace of that conversation alone, beside the folder's."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from runtime.clock import Clock
from runtime.engines.worker import WorkerPool, WorkerSettings
from runtime.engines.workspace.byte_store import ByteStore, remove_folder
from runtime.engines.workspace.catalog import WorkspaceFiles
from runtime.engines.workspace.joint_files import JointFiles
from runtime.engines.workspace.worker import COMMAND
from runtime.engines.workspace.workspace import Workspace
from runtime.ingest import FileReader
from runtime.limits import Limits

_VIEWS_KEPT = 16


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
        """Makes the room hold exactly `files`, SHA-256 by name. Returns the names whose bytes are not in the store.
        Raises StateUnavailable."""
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

    async def renew(self, conversation: str, files: Mapping[str, str]) -> None:
        """As `furnish`, for a room that lost a file: all that was made of its files goes with it, and is made again
        for the others when it is asked for. Raises StateUnavailable."""
        await asyncio.to_thread(remove_folder, self._room(conversation) / "cache")
        await self.furnish(conversation, files)

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
        shown = room / "files"
        shown.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in shown.iterdir():
            if path.name not in files:
                path.unlink(missing_ok=True)
        return [name for name, sha256 in files.items() if not self._shown(shown / name, sha256)]

    def _shown(self, target: Path, sha256: str) -> bool:
        return _holds(target, sha256) or self._store.copy(sha256, target)

    def _clear(self, kept: Collection[str]) -> None:
        if self._folder.is_dir():
            for room in self._folder.iterdir():
                if room.name not in kept and room.name != "spill":
                    remove_folder(room)


def _holds(path: Path, sha256: str) -> bool:
    """Whether a file is there with this content: its name in the room never changes its content."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return False
