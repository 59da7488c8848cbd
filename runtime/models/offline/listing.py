"""What `list_files` told: the files, and which tables are worth inspecting for a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.models.offline.lexicon import FILLERS, THESAURUS
from runtime.models.offline.tokens import Token, stems
from runtime.models.offline.transcript import Turn

INSPECTED = 16
PAGES = 6


@dataclass(frozen=True, slots=True)
class Entry:
    """One listed file."""

    name: str
    kind: str
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    reason: str = ""
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """All entries listed so far. `next_offset` is set while more are to be fetched."""

    entries: tuple[Entry, ...] = field(default_factory=tuple[Entry, ...])
    total: int = 0
    next_offset: int | None = None
    failed: str = ""

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(table for entry in self.entries for table in entry.tables)

    def named(self, token: Token) -> Entry | None:
        """The file that a token names, with or without its folder."""
        return next((e for e in self.entries if token.low in (e.name.casefold(), _base(e.name))), None)


def listing_of(turn: Turn) -> Listing | None:
    """The listing so far, or None before the first page."""
    pages = turn.of("list_files")
    if not pages:
        return None
    entries: dict[str, Entry] = {}
    for page in pages:
        if not page.ok:
            return Listing(tuple(entries.values()), failed=page.error or "the listing failed")
        for body in page.data.get("entries", ()):
            entry = _entry(body)
            entries[entry.name] = entry
    total = int(pages[-1].data.get("total", len(entries)))
    grew = bool(pages[-1].data.get("entries"))
    more = len(entries) if grew and len(entries) < total and len(pages) < PAGES else None
    return Listing(tuple(entries.values()), total, more)


def worth_inspecting(listing: Listing, tokens: Sequence[Token]) -> tuple[str, ...]:
    """At most 16 table names: those whose names or columns share words with the question come first."""
    said = {token.stem for token in tokens if token.stem not in FILLERS}
    files = {token.low for token in tokens if token.kind == "file"}
    for token in tokens:
        said |= {word for group in THESAURUS if token.stem in group for word in group}
    ranked: list[tuple[float, int, str]] = []
    for entry in listing.entries:
        named = 10.0 if files & {entry.name.casefold(), _base(entry.name)} else 0.0
        columns = {word for column in entry.columns for word in stems(column)}
        for table in entry.tables:
            score = named + 3.0 * len(said & set(stems(table))) + len(said & columns)
            ranked.append((-score, len(ranked), table))
    return tuple(table for _, _, table in sorted(ranked)[:INSPECTED])


def _entry(body: dict[str, Any]) -> Entry:
    return Entry(
        str(body.get("name", "")),
        str(body.get("kind", "")),
        tuple(str(table) for table in body.get("tables", ())),
        tuple(str(column) for column in body.get("columns", ())),
        str(body.get("reason", "")),
        int(body["rows"]) if isinstance(body.get("rows"), int) else None,
    )


def _base(name: str) -> str:
    return name.casefold().rsplit("/", 1)[-1]
