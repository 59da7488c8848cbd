"""The folder of readings: one Parquet file and one small JSON description per content, written atomically."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from runtime.ingest.abandoned import locked, remove_abandoned
from runtime.ingest.outcome import INGEST_VERSION, IngestRefused, Kind, ReadTable, ReadWorkbook, StorageFailed
from runtime.ingest.sealed import sealed, unsealed

T = TypeVar("T")


def key_of(sha256: str, kind: Kind) -> str:
    """The name under which a reading of these bytes is kept. The same bytes read as another kind are another one."""
    return f"{sha256}-{kind}-v{INGEST_VERSION}"


def copy_stamp(parquet: Path) -> tuple[int, int]:
    """What tells, without reading it, that a copy is still the one that was made: its size in bytes and the time of its
    last change in nanoseconds."""
    state = parquet.stat()
    return state.st_size, state.st_mtime_ns


class ReadingStore:
    """Readings below one folder. Every write is a temporary file and a rename, so a crash leaves nothing half-done."""

    def __init__(self, folder: Path) -> None:
        self._tables = folder / "tables"
        self.temporary = folder / "tmp"

    def prepare(self) -> None:
        """Makes the folders. Raises StorageFailed."""
        with self.writing():
            self._tables.mkdir(parents=True, exist_ok=True)
            self.temporary.mkdir(parents=True, exist_ok=True)

    def parquet(self, key: str) -> Path:
        """Where the table of this key is or will be."""
        return self._tables / f"{key}.parquet"

    def find(self, key: str) -> ReadTable | None:
        """The reading kept under `key` when it is whole, else None. Raises IngestRefused if they were refused."""
        table = self._kept(key, ReadTable.from_json)
        return table if table and self.whole(table) else None

    def find_workbook(self, key: str) -> ReadWorkbook | None:
        """As `find`, of a file with several tables, all of which have to be whole."""
        workbook = self._kept(key, ReadWorkbook.from_json)
        return workbook if workbook and all(map(self.whole, workbook.tables)) else None

    def _kept(self, key: str, revive: Callable[[dict[str, Any]], T]) -> T | None:
        try:
            body: dict[str, Any] = unsealed((self._tables / f"{key}.json").read_bytes())
            refused = body.get("refused")
            found = None if refused else revive(body)
        except (OSError, ValueError, KeyError, TypeError):
            # Missing or damaged: it is read anew and replaced.
            return None
        if found is None:
            raise IngestRefused(str(refused), str(body.get("revision", "")))
        return found

    def whole(self, table: ReadTable) -> bool:
        """True when the table's Parquet file is there as it was made: nothing has written to it since."""
        try:
            return copy_stamp(self.parquet(table.key)) == table.copy_stamp
        except OSError:
            return False

    def tables(self) -> list[Path]:
        """All Parquet files in the store."""
        return list(self._tables.glob("*.parquet"))

    def keep(self, table: ReadTable, made: Path) -> None:
        """Takes the finished Parquet file `made` into the store. Raises StorageFailed."""
        with self.writing():
            os.chmod(made, 0o444)
            os.replace(made, self.parquet(table.key))
        self._describe(table.key, table.as_json())

    def keep_workbook(self, workbook: ReadWorkbook, made: Sequence[Path]) -> None:
        """Takes the finished Parquet files of all tables into the store. Raises StorageFailed."""
        for table, path in zip(workbook.tables, made, strict=True):
            self.keep(table, path)
        self._describe(workbook.key, workbook.as_json())

    def refuse(self, key: str, refusal: IngestRefused) -> None:
        """Remembers that these bytes are refused, so that they aren't read again. Raises StorageFailed."""
        self._describe(key, {"refused": refusal.reason, "revision": refusal.revision})

    def forget(self, key: str) -> None:
        """Drops a reading found to be damaged."""
        for path in (self._tables / f"{key}.json", self.parquet(key)):
            path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def scratch(self) -> Generator[Path]:
        """A private folder, removed afterwards. It carries a lock that ends with its process: so what a killed reader
        left is known by its missing lock, and removed here. Raises StorageFailed."""
        with contextlib.ExitStack() as held:
            with self.writing(), locked(self.temporary):
                remove_abandoned(self.temporary)
                folder = tempfile.TemporaryDirectory(dir=self.temporary, ignore_cleanup_errors=True)
                held.enter_context(locked(Path(folder.name)))
            with folder as name:
                yield Path(name)

    @contextlib.contextmanager
    def writing(self) -> Generator[None]:
        """Turns a failing disk into StorageFailed."""
        try:
            yield
        except OSError as error:
            raise StorageFailed(f"{error.filename or self.temporary}: {error.strerror}") from error

    def _describe(self, key: str, body: dict[str, Any]) -> None:
        with self.writing():
            descriptor, name = tempfile.mkstemp(dir=self.temporary, suffix=".json")
            with os.fdopen(descriptor, "wb") as out:
                out.write(sealed(body))
            os.replace(name, self._tables / f"{key}.json")
