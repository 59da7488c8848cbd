"""Remembers which content each path had, so that an unchanged file is never opened again, not even after a restart."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.engines.workspace.folder import FoundFile
from runtime.ingest import (
    INGEST_VERSION,
    DocumentStore,
    IngestRefused,
    Kind,
    ReadDocument,
    ReadingStore,
    ReadTable,
    ReadWorkbook,
    Stamp,
    sealed,
    unsealed,
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that is not read, and why. `revision` is empty when its bytes were not seen."""

    reason: str
    revision: str = ""


Reading = ReadTable | ReadWorkbook | ReadDocument | Refusal


@dataclass(frozen=True, slots=True)
class _Known:
    kind: Kind
    stamp: Stamp
    reading: Reading
    settled: bool


class KnownReadings:
    """Path → reading, valid while size, times and inode stay the same. Tables count only while their Parquet file is
    in the store. Refusals without a digest (a crash, a missing permission) are not kept across restarts."""

    def __init__(self, cache_dir: Path, store: ReadingStore) -> None:
        self._path = cache_dir / f"files-v{INGEST_VERSION}.json"
        self._store = store
        self._texts = DocumentStore(cache_dir)
        self._known: dict[str, _Known] = {}
        self._loaded = False
        self._dirty = False

    @property
    def unsettled(self) -> bool:
        """True when a file was so fresh when it was read that it has to be looked at again."""
        return any(not each.settled for each in self._known.values())

    def whole(self) -> bool:
        """True when the Parquet file of every known table and the text of every document are still in the store."""
        return all(self._kept(each.reading) for each in self._known.values())

    def get(self, file: FoundFile) -> Reading | None:
        """The reading of an unchanged file, else None."""
        known = self._known.get(file.path)
        if known is None or not known.settled or known.kind != file.kind or known.stamp != file.stamp:
            return None
        return known.reading if self._kept(known.reading) else None

    def _kept(self, reading: Reading) -> bool:
        if isinstance(reading, ReadDocument):
            return self._texts.holds(reading.key)
        if isinstance(reading, ReadWorkbook):
            return all(map(self._store.whole, reading.tables))
        return not isinstance(reading, ReadTable) or self._store.whole(reading)

    def put(self, path: str, kind: Kind, stamp: Stamp, reading: Reading, *, settled: bool) -> None:
        """Remembers a reading."""
        self._known[path] = _Known(kind, stamp, reading, settled)
        self._dirty = True

    def load(self) -> None:
        """Takes up what an earlier process remembered, once. A damaged or missing file means nothing is known."""
        if self._loaded:
            return
        self._loaded = True
        try:
            body: dict[str, list[Any]] = unsealed(self._path.read_bytes())
            for path, (kind, stamp, what, detail) in body.items():
                reading = self._revive(what, detail)
                if reading is not None:
                    self._known[path] = _Known(kind, Stamp(*stamp), reading, settled=True)
        except (OSError, ValueError, TypeError, AttributeError):
            self._known.clear()

    def save(self, present: Set[str]) -> None:
        """Writes down what is settled and still there. A cache that cannot be written costs speed only: the reader
        reports a disk that fails."""
        gone = self._known.keys() - present
        if not self._dirty and not gone:
            return
        for path in gone:
            del self._known[path]
        readings = (known.reading for known in self._known.values())
        self._texts.clear({reading.key for reading in readings if isinstance(reading, ReadDocument)})
        body = {path: _plain(known) for path, known in self._known.items() if known.settled and _lasting(known.reading)}
        temporary = self._path.with_suffix(f".{os.getpid()}.tmp")
        with contextlib.suppress(OSError):
            temporary.write_bytes(sealed(body))
            os.replace(temporary, self._path)
            self._dirty = False

    def _find(self, what: str, key: str) -> ReadTable | ReadWorkbook | None:
        try:
            return self._store.find(key) if what == "table" else self._store.find_workbook(key)
        except IngestRefused:
            return None

    def _revive(self, what: str, detail: Any) -> Reading | None:
        if what in ("table", "workbook"):
            return self._find(what, detail)
        if what != "document":
            return Refusal(*detail)
        revision, first_line, key, notes = detail
        return ReadDocument(revision, first_line, key, tuple(notes)) if self._texts.holds(key) else None


def _lasting(reading: Reading) -> bool:
    return not isinstance(reading, Refusal) or bool(reading.revision)


def _plain(known: _Known) -> list[Any]:
    reading, stamp = known.reading, known.stamp
    told = [known.kind, [stamp.size, stamp.modified_ns, stamp.changed_ns, stamp.inode]]
    if isinstance(reading, ReadTable):
        return [*told, "table", reading.key]
    if isinstance(reading, ReadWorkbook):
        return [*told, "workbook", reading.key]
    if isinstance(reading, ReadDocument):
        return [*told, "document", [reading.revision, reading.first_line, reading.key, list(reading.notes)]]
    return [*told, "refused", [reading.reason, reading.revision]]
