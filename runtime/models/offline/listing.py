"""What `list_files` told: the files and their tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from runtime.models.offline.tokens import Token
from runtime.models.offline.transcript import Turn

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
        return next((e for e in self.entries if token.low in (e.name.casefold(), base_name(e.name))), None)


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


def _entry(body: dict[str, Any]) -> Entry:
    return Entry(
        str(body.get("name", "")),
        str(body.get("kind", "")),
        tuple(str(table) for table in body.get("tables", ())),
        tuple(str(column) for column in body.get("columns", ())),
        str(body.get("reason", "")),
        int(body["rows"]) if isinstance(body.get("rows"), int) else None,
    )


def names_file(token: Token, file: str) -> bool:
    """True when `token` is the name of `file`, with or without its folder; one with other signs in it is quoted."""
    return token.kind in ("file", "quoted") and token.low in (file.casefold(), base_name(file))


def base_name(name: str) -> str:
    """A file's name in small letters, without its folder."""
    return name.casefold().rsplit("/", 1)[-1]
