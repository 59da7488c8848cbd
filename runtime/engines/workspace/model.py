"""What is known of a workspace: its files, the tables in them, and what a table's columns hold."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from runtime.evidence import Column, Json


@dataclass(frozen=True, slots=True)
class WorkspaceTable:
    """A table read from a file. `name` is what SQL uses; `file` the path relative to the root; `parquet` the cached
    copy, keyed by content; `notes` say every repair and coercion of the ingest; `part` where in a spreadsheet it
    stands."""

    name: str
    file: str
    revision: str
    columns: tuple[Column, ...]
    rows: int
    parquet: Path
    notes: tuple[str, ...] = ()
    part: str = ""

    @property
    def origin(self) -> str:
        """The file, and which part of it when it holds several tables, for people."""
        return f"{self.file}, {self.part}" if self.part else self.file


@dataclass(frozen=True, slots=True)
class WorkspaceFile:
    """A file of the workspace. `kind` skipped carries a `reason` for people; documents carry their first line and
    `text`, the key of their extracted text. An `unread` one is among so many new files that it is read when it is used:
    `kind` and `tables` go by its name until then. An `attached` one belongs to a conversation, not to the folder."""

    path: str
    kind: Literal["table", "document", "skipped"]
    size: int
    modified_ns: int
    revision: str = ""
    tables: tuple[str, ...] = ()
    first_line: str = ""
    text: str = ""
    reason: str = ""
    notes: tuple[str, ...] = ()
    unread: bool = False
    attached: bool = False

    @property
    def name(self) -> str:
        """Its name without folders."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class WorkspaceCatalog:
    """All files at one moment. `revision` is a digest over paths and contents."""

    revision: str
    files: tuple[WorkspaceFile, ...] = ()
    tables: tuple[WorkspaceTable, ...] = ()

    def of(self, tables: Collection[WorkspaceTable]) -> WorkspaceCatalog:
        """The part of the catalog that these tables make, under a revision of its own."""
        digest = hashlib.sha256("".join(f"{table.name}\0{table.parquet.name}\n" for table in tables).encode())
        return WorkspaceCatalog(f"sha256:{digest.hexdigest()}", (), tuple(sorted(tables, key=lambda each: each.name)))

    def table(self, name: str) -> WorkspaceTable | None:
        """The table of this name, in any case, or None."""
        folded = name.casefold()
        return next((table for table in self.tables if table.name.casefold() == folded), None)


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What one column holds. `quantiles` are (0.25, 0.5, 0.75) for numbers; `common` at most six (value, count)."""

    name: str
    type: str
    null_percent: float
    distinct: int
    minimum: Json = None
    maximum: Json = None
    quantiles: tuple[Json, ...] = ()
    common: tuple[tuple[Json, int], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableProfile:
    """A table's columns in detail. `sampled` is the number of rows looked at when that is not all of them;
    `keys` are columns without repeats or NULLs; `joins` are (column, other table, other column) with shared values."""

    table: WorkspaceTable
    columns: tuple[ColumnProfile, ...]
    sample: tuple[tuple[Json, ...], ...] = ()
    sampled: int | None = None
    keys: tuple[str, ...] = ()
    joins: tuple[tuple[str, str, str], ...] = field(default_factory=tuple[tuple[str, str, str], ...])
