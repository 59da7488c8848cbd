"""The call journal and the replies of a run, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.evidence import JournalEntry
from runtime.state import JournalMismatch


class MemoryJournal:
    """Keeps entries by (run, call id); an entry is found only under its own digest."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], JournalEntry] = {}

    async def find(self, run_id: str, call_id: str, digest: str) -> JournalEntry | None:
        """The entry of exactly this call. Raises JournalMismatch when another call stands under this id."""
        entry = self.entries.get((run_id, call_id))
        if entry is not None and entry.digest != digest:
            raise JournalMismatch(f"run {run_id} kept another call as {call_id}")
        return entry

    async def put(self, entry: JournalEntry) -> JournalEntry:
        """Keeps the first entry of a call."""
        return self.entries.setdefault((entry.run_id, entry.call_id), entry)


class MemoryReplies:
    """Keeps the first reply of each step."""

    def __init__(self) -> None:
        self.replies: dict[tuple[str, int], dict[str, Any]] = {}

    async def get(self, run_id: str, n: int) -> dict[str, Any] | None:
        """The reply of step `n`."""
        return self.replies.get((run_id, n))

    async def put_reply(self, run_id: str, n: int, reply: Mapping[str, Any]) -> dict[str, Any]:
        """Keeps the reply unless there is one."""
        return self.replies.setdefault((run_id, n), dict(reply))
