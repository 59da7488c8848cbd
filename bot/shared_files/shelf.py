"""The shelf of shared files: fetched once, kept for their conversation alone, gone when they are deleted or old."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog

from bot.shared_files.fetching import Fetcher, NotFetched
from bot.shared_files.slack_file import LOOK_FIRST, SlackFile, mib, without
from bot.shared_files.unread import not_read
from bot.shared_files.versions import Named, Versions, named
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
    """The files of a conversation: all of them by name, those that came with the question, sentences about files
    that are not read, and the versions of each name that several files have."""

    names: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    versions: tuple[Versions, ...] = ()


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
        asked = {str(raw["id"]): raw for raw in files}
        # What stood there before comes first: of two files of one name the later one is the newest.
        wanted = {str(raw["id"]): raw for raw in before if raw["id"] not in asked} | asked
        for file in known.values():
            if not await asyncio.to_thread(self.store.holds, file.sha256):  # another replica has it, or nobody
                wanted.setdefault(file.file_id, {"id": file.file_id, "name": file.name, "file_access": LOOK_FIRST})
            else:
                wanted.pop(file.file_id, None)
        refused: list[tuple[str, str]] = []
        for file_id, raw in wanted.items():
            coming = 0 if file_id in asked else sum(each in wanted and each not in known for each in asked)
            try:
                known[file_id] = await self._fetch(conversation, raw, known, coming)
            except NotFetched as reason:
                named = known[file_id].name if file_id in known else SlackFile.of(raw).name
                refused.append((named, str(reason)))
        files_now = await self._named(conversation)
        held, lost = await self._furnish(conversation)
        called = {each.file.file_id: each.called for each in files_now}
        came = tuple(dict.fromkeys(called.get(each, known[each].name) for each in asked if each in known))
        versions = {each.called: each.version(files_now) for each in files_now if each.older}
        told = {name for name, _ in refused}
        refused += [(name, _DAMAGED) for name in lost if name not in told]
        refused += [(name, _TAKEN_BACK) for name in came if name not in (*held, *lost)]
        return Shelved(
            tuple(held), tuple(name for name in came if name in held), not_read(refused), tuple(versions.values())
        )

    async def deleted(self, file_id: str) -> bool:
        """The file was deleted in Slack: from now on no conversation has it. True when one had it, and `sweep` is due.
        Raises StateError."""
        return bool(await self.state.shared_files.forget(file_id))

    async def withdrawn(self, conversation: str, ts: str, file_ids: Collection[str]) -> bool:
        """The message that brought these files to a conversation is gone, or gave them up: from now on it doesn't have
        them, and where it is a question that waits, they are not fetched for it. True when the conversation had one,
        and `sweep` is due. Raises StateError."""
        if not file_ids:
            return False

        def given_up(question: Mapping[str, Any]) -> Mapping[str, Any] | None:
            files = question.get("files") or ()
            return {**question, "files": without(files, file_ids)} if files and question.get("ts") == ts else None

        await self.state.inbox.amend(conversation, given_up)
        return await self.state.shared_files.withdraw(conversation, file_ids)

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

    async def _fetch(
        self, conversation: str, raw: Mapping[str, Any], known: Mapping[str, SharedFile], coming: int
    ) -> SharedFile:
        """One file, kept, with room left for so many files to come. Raises NotFetched."""
        if (declared := SlackFile.of(raw)).taken_out:
            raise NotFetched(declared.refusal(MIB))
        before = known.get(str(raw["id"]))
        others = [file for file in known.values() if file is not before]
        if len(others) + coming >= self.limits.shared_files:
            raise NotFetched(f"this conversation has {len(others) + coming} files already; share it in a new thread")
        left = self.limits.shared_files_bytes - sum(file.size for file in others)
        most = min(self.policy().max_mib * MIB, left)
        if left < MIB or (declared.size or 0) > left:
            total = mib(self.limits.shared_files_bytes)
            raise NotFetched(f"the files of a conversation may have {total} MiB in all; share it in a new thread")
        await tell(Progress(before.name if before else declared.name, 0))
        fetched = await self.fetcher.fetch(raw, most)
        if before is not None:
            if fetched.sha256 != before.sha256:
                raise NotFetched("it was changed in Slack since it was shared here; share it again")
            return before
        file = SharedFile(conversation, fetched.file.id, fetched.file.name, fetched.sha256, fetched.size)
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

    async def _named(self, conversation: str) -> tuple[Named, ...]:
        return named(await self.state.shared_files.of(conversation))

    async def _contents(self, conversation: str) -> dict[str, str]:
        """SHA-256 by name, the newest last."""
        contents: dict[str, str] = {}
        for each in await self._named(conversation):
            contents.pop(each.called, None)
            contents[each.called] = each.file.sha256
        return contents


def _not_swept(error: StateError) -> None:
    log.error("shared files were not swept; tomorrow again", reason=str(error))
