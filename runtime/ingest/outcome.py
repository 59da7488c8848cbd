"""What a reading asks for and what comes of it: plain data that crosses the pipe between the bot and its reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

INGEST_VERSION = 12
"""Part of every cache key: raised whenever the same bytes would be read differently."""

RACY_NS = 2_000_000_000
"""A file written this shortly before it was looked at may be written again under the same time."""

Kind = Literal["csv", "tsv", "json", "ndjson", "parquet", "document", "pdf", "docx", "html", "workbook"]
"""One reader for each; `runtime.ingest.reading` has the table that leads from one to the other."""

DOCUMENT_KINDS: frozenset[Kind] = frozenset(("document", "pdf", "docx", "html"))
"""Kinds that become text, not tables."""


class IngestRefused(Exception):
    """The file cannot be read right, so it is not read at all. `reason` is one clause for people; `revision` is the
    digest of the bytes when they could be read, otherwise empty."""

    def __init__(self, reason: str, revision: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.revision = revision


class Irregular(IngestRefused):
    """A text that the strict rules cannot read; looser rules may, and then say what they did."""


class SourceChanged(Exception):
    """The file was written to, replaced or removed while it was read."""


class StorageFailed(Exception):
    """The cache folder cannot be written: full disk, read-only folder, no permission."""


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Bounds of one reader process: bytes, counts, threads."""

    file_bytes: int
    columns: int
    memory_bytes: int
    address_space_bytes: int
    temp_bytes: int
    threads: int
    json_bytes: int
    repair_bytes: int
    whole_types_bytes: int = 8 << 20
    workbook_bytes: int = 512 << 20
    workbook_cells: int = 6_000_000
    page_bytes: int = 128 << 20
    document_file_bytes: int = 256 << 20
    document_text_bytes: int = 32 << 20
    document_pages: int = 5_000


@dataclass(frozen=True, slots=True)
class FileJob:
    """Read `path` (relative to `root`) as `kind`, keep the result under `store`."""

    root: str
    path: str
    kind: Kind
    store: str

    def as_json(self) -> dict[str, Any]:
        return {"job": "file", "root": self.root, "path": self.path, "kind": self.kind, "store": self.store}


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A file read into one Parquet file named `key` + ".parquet". `columns` are (name, DuckDB type); `revision` the
    digest of the source's bytes; `copy_stamp` the size of the copy in bytes and its time in nanoseconds. Of several
    tables in one file, `part` says where this one stands, for people, and `label` what its name adds to the file's."""

    key: str
    revision: str
    columns: tuple[tuple[str, str], ...]
    rows: int
    copy_stamp: tuple[int, int]
    notes: tuple[str, ...] = ()
    part: str = ""
    label: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "revision": self.revision,
            "columns": [list(column) for column in self.columns],
            "rows": self.rows,
            "copy_stamp": list(self.copy_stamp),
            "notes": list(self.notes),
            "part": self.part,
            "label": self.label,
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> ReadTable:
        """The inverse of `as_json`. Raises KeyError, TypeError or ValueError on another shape."""
        columns: Sequence[Sequence[str]] = body["columns"]
        return cls(
            key=str(body["key"]),
            revision=str(body["revision"]),
            columns=tuple((str(name), str(kind)) for name, kind in columns),
            rows=int(body["rows"]),
            copy_stamp=(int(body["copy_stamp"][0]), int(body["copy_stamp"][1])),
            notes=tuple(str(note) for note in body["notes"]),
            part=str(body.get("part", "")),
            label=str(body.get("label", "")),
        )


@dataclass(frozen=True, slots=True)
class ReadWorkbook:
    """A file with any number of tables, at least one: the digest of its bytes, the key of the whole, and its tables in
    their order."""

    revision: str
    key: str
    tables: tuple[ReadTable, ...]

    def as_json(self) -> dict[str, Any]:
        return {"revision": self.revision, "key": self.key, "tables": [table.as_json() for table in self.tables]}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> ReadWorkbook:
        """The inverse of `as_json`. Raises as `ReadTable.from_json`."""
        tables = tuple(ReadTable.from_json(table) for table in body["tables"])
        return cls(str(body["revision"]), str(body["key"]), tables)


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document: the digest of its bytes, its first line that is not blank, the key under which its text is kept, and
    what the text lacks."""

    revision: str
    first_line: str
    key: str = ""
    notes: tuple[str, ...] = ()


def revision_of(hexdigest: str) -> str:
    """A sha256 in the form in which evidence carries it."""
    return f"sha256:{hexdigest}"
