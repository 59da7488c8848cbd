"""The shelf of shared files: fetched once, kept for their conversation alone, gone when they are deleted or old."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog

from bot.shared_files.fetching import Fetched, Fetcher, NotFetched
from bot.shared_files.slack_file import LOOK_FIRST, SlackFile, mib
from bot.shared_files.unread import not_read
from bot.upkeep import repeated
from runtime.admission.manifest import SlackFiles
from runtime.clock import Clock
from runtime.engines.workspace.byte_store import DirectoryBytes
from runtime.engines.workspace.conversation_files import ConversationFiles
from runtime.errors import StateError
from runtime.limits import MIB, Limits
from runtime.progress import Progress, tell
from runtime.state import SharedFile, State

log = structlog.get_logger(__name__)

_SWEEP_SECONDS = 86_400.0
_TAKEN_BACK = "it was deleted in Slack before I came to it"
_DAMAGED = "the copy that I had of it is damaged, and I fetch it again with your next question"


@dataclass(frozen=True, slots=True)
class Shelved:
    """The files of a conversation: all of them by name, those that came with the question, and sentences about files
    that are not read."""

    names: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shelf:
    """Over the state, the bytes and the rooms. One for the process."""

    state: State
    store: DirectoryBytes
    rooms: ConversationFiles
    fetcher: Fetcher
    limits: Limits
    policy: Callable[[], SlackFiles]
    clock: Clock
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    # Rooms are furnished and cleared one after the other: none is cleared between a row and its room.
    order: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def take(
        self, conversation: str, files: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]] = ()
    ) -> Shelved:
        """Fetches what came with a question, or `before` it in its thread, and is not kept yet, telling its progress,
        and makes the conversation's room whole. Raises StateUnavailable."""
        known = {file.file_id: file for file in await self.state.shared_files.of(conversation)}
        wanted = {str(raw["id"]): raw for raw in files}
        asked = tuple(wanted)
        wanted |= {str(raw["id"]): raw for raw in before if raw["id"] not in wanted}
        for file in known.values():
            if not await asyncio.to_thread(self.store.holds, file.sha256):  # another replica has it, or nobody
                wanted.setdefault(file.file_id, {"id": file.file_id, "name": file.name, "file_access": LOOK_FIRST})
            else:
                wanted.pop(file.file_id, None)
        refused: list[tuple[str, str]] = []
        for file_id, raw in wanted.items():
            try:
                known[file_id] = await self._fetch(conversation, raw, known)
            except NotFetched as reason:
                named = known[file_id].name if file_id in known else SlackFile.of(raw).name
                refused.append((named, str(reason)))
        held, lost = await self._furnish(conversation)
        came = tuple(dict.fromkeys(known[file_id].name for file_id in asked if file_id in known))
        told = {name for name, _ in refused}
        refused += [(name, _DAMAGED) for name in lost if name not in told]
        refused += [(name, _TAKEN_BACK) for name in came if name not in (*held, *lost)]
        return Shelved(tuple(held), tuple(name for name in came if name in held), not_read(refused))

    async def deleted(self, file_id: str) -> bool:
        """The file was deleted in Slack: from now on no conversation has it. True when one had it, and `sweep` is due.
        Raises StateError."""
        return bool(await self.state.shared_files.forget(file_id))

    async def withdrawn(self, conversation: str, file_ids: Collection[str]) -> bool:
        """The message that brought these files to a conversation is gone, or gave them up: from now on it doesn't have
        them. True when it had one, and `sweep` is due. Raises StateError."""
        return bool(file_ids) and await self.state.shared_files.withdraw(conversation, file_ids)

    async def sweep(self) -> None:
        """Removes what is older than the policy keeps it, and everything that no conversation has any more. Raises
        StateError."""
        await self.state.shared_files.drop_older(self.clock.now() - timedelta(days=self.policy().keep_days))
        async with self.order:
            conversations = await self.state.shared_files.conversations()
            await self.rooms.clear(conversations)
            for conversation in conversations:
                await self.rooms.trim(conversation, await self._contents(conversation))
            wanted = await self.state.shared_files.contents()
            for sha256 in await asyncio.to_thread(self.store.contents) - wanted:
                await asyncio.to_thread(self.store.remove, sha256)

    async def keep_up(self) -> None:
        """Sweeps once a day for as long as the process runs."""
        await repeated(self.sweep, _SWEEP_SECONDS, self.sleep, _not_swept)

    async def _fetch(self, conversation: str, raw: Mapping[str, Any], known: Mapping[str, SharedFile]) -> SharedFile:
        """One file, kept. Raises NotFetched."""
        before = known.get(str(raw["id"]))
        others = [file for file in known.values() if file is not before]
        if len(others) >= self.limits.shared_files:
            raise NotFetched(f"this conversation has {len(others)} files already; share it in a new thread")
        left = self.limits.shared_files_bytes - sum(file.size for file in others)
        most = min(self.policy().max_mib * MIB, left)
        declared = SlackFile.of(raw).size
        if left < MIB or (declared or 0) > left:
            total = mib(self.limits.shared_files_bytes)
            raise NotFetched(f"the files of a conversation may have {total} MiB in all; share it in a new thread")
        await tell(Progress(before.name if before else SlackFile.of(raw).name, 0))
        fetched = await self.fetcher.fetch(raw, most)
        if before is not None:
            if fetched.sha256 != before.sha256:
                raise NotFetched("it was changed in Slack since it was shared here; share it again")
            return before
        file = SharedFile(conversation, fetched.file.id, _name(fetched, others), fetched.sha256, fetched.size)
        await self.state.shared_files.keep(file)
        log.info("a shared file is kept", file=file.file_id, size=file.size)
        return file

    async def _furnish(self, conversation: str) -> tuple[list[str], list[str]]:
        """The names that the room has in the end, and those whose bytes are gone or damaged."""
        async with self.order:
            files = await self._contents(conversation)
            if not files:
                return [], []
            lost = await self.rooms.furnish(conversation, files)
            for name in lost:
                await asyncio.to_thread(self.store.remove, files[name])
        if lost:
            log.warning("bytes of shared files are gone or damaged", files=len(lost))
        return [name for name in files if name not in lost], lost

    async def _contents(self, conversation: str) -> dict[str, str]:
        return {file.name: file.sha256 for file in await self.state.shared_files.of(conversation)}


def _name(fetched: Fetched, others: Collection[SharedFile]) -> str:
    """What a file is called in its conversation: the same content under the same name is one file, another content
    gets a number."""
    plain = given = fetched.file.name
    stem, suffix = os.path.splitext(plain)
    taken = {file.name.casefold(): file.sha256 for file in others}
    number = 2
    while taken.get(given.casefold(), fetched.sha256) != fetched.sha256:
        given, number = f"{stem} ({number}){suffix}", number + 1
    return given


def _not_swept(error: StateError) -> None:
    log.error("shared files were not swept; tomorrow again", reason=str(error))
