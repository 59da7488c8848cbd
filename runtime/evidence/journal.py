"""The call journal: a result stays with the exact call that produced it, across a crash (DESIGN 4, Replay)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from runtime.evidence.item import Evidence


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One finished call. `digest` is sha256 over the tool's name and canonical arguments; `loaded` are the tools that
    the call added to the run; `result` is the exact text the model was given."""

    run_id: str
    call_id: str
    digest: str
    position: int
    result: str
    is_error: bool
    evidence: Evidence
    loaded: tuple[str, ...] = ()


class CallJournal(Protocol):
    """Where finished calls are kept. Keyed by (run, call id, call digest): never found under another digest."""

    async def find(self, run_id: str, call_id: str, digest: str) -> JournalEntry | None:
        """The entry of exactly this call, or None."""
        ...

    async def put(self, entry: JournalEntry) -> JournalEntry:
        """Keeps `entry` unless one is there already; returns the one that stands."""
        ...
