"""The reader process: takes jobs from its standard input one after another, each answered by one framed JSON.

Run as `python -m runtime.ingest.worker`. It bounds itself before it touches a file, so that a hostile or broken file
ends this process at worst. A frame is four bytes of length (big-endian) and that many bytes of JSON.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import resource
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any, BinaryIO

from runtime.ingest.outcome import (
    FileJob,
    IngestRefused,
    ReadDocument,
    ReadingLimits,
    ReadTable,
    ReadWorkbook,
    SourceChanged,
    StorageFailed,
)

_LENGTH = 4


def read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message, or None at the end."""
    head = stream.read(_LENGTH)
    if len(head) < _LENGTH:
        return None
    return json.loads(stream.read(int.from_bytes(head, "big")))


def frame(message: dict[str, Any]) -> bytes:
    """A message as it travels."""
    body = json.dumps(message, ensure_ascii=True).encode("ascii")
    return len(body).to_bytes(_LENGTH, "big") + body


class KeptConnection:
    """One DuckDB connection for many files, since opening one costs more than reading a small file. It is given up
    after any failure"""

    def __init__(self) -> None:
        self._open: Any = None
        self._folder: Path | None = None
        self._held = contextlib.ExitStack()

    @contextlib.contextmanager
    def connection(self, limits: ReadingLimits, folder: Path) -> Generator[Any]:
        """The kept connection, or a new one when there is none for the store in `folder`. Its temporary files are in a
        folder of its own: two processes that read for one store don't write over each other's. Raises StorageFailed."""
        from runtime.ingest.engine import connect
        from runtime.ingest.store import ReadingStore

        if self._open is None or self._folder != folder:
            self.drop()
            store = ReadingStore(folder)
            store.prepare()
            self._open, self._folder = connect(limits, self._held.enter_context(store.scratch())), folder
        try:
            yield self._open
        except BaseException:
            self.drop()
            raise

    def drop(self) -> None:
        """Closes it."""
        kept, self._open = self._open, None
        if kept is not None:
            kept.close()
        self._held.close()


def main() -> int:
    """Serves until the input ends. The first message holds the limits."""
    source = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not look like an answer
    first = read_frame(source)
    if first is None:
        return 0
    limits = ReadingLimits(**first["limits"])
    resource.setrlimit(resource.RLIMIT_AS, (limits.address_space_bytes, limits.address_space_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    kept = KeptConnection()
    while (message := read_frame(source)) is not None:
        answers.write(frame(_answer(message, limits, kept)))
        answers.flush()
    kept.drop()
    return 0


def _answer(message: dict[str, Any], limits: ReadingLimits, kept: KeptConnection) -> dict[str, Any]:
    try:
        if message["job"] == "database":
            return _database(message)
        if message["job"] == "check":
            return _check(message, limits, kept)
        return _file(message, limits, kept)
    except IngestRefused as refusal:
        return {"refused": refusal.reason, "revision": refusal.revision}
    except SourceChanged as change:
        return {"refused": str(change) or "it is gone", "revision": ""}
    except StorageFailed as failure:
        return {"storage": str(failure)}
    except MemoryError:
        return {"refused": "reading it needs more memory than is allowed", "revision": ""}


def _file(message: dict[str, Any], limits: ReadingLimits, kept: KeptConnection) -> dict[str, Any]:
    from runtime.ingest.reading import read_file

    job = FileJob(message["root"], message["path"], message["kind"], message["store"])
    with kept.connection(limits, Path(job.store)) as connection:
        reading, stamp = read_file(connection, job, limits)
    told = {"stamp": [stamp.size, stamp.modified_ns, stamp.changed_ns, stamp.inode]}
    if isinstance(reading, ReadTable):
        return {"table": reading.as_json(), **told}
    if isinstance(reading, ReadWorkbook):
        return {"workbook": reading.as_json(), **told}
    assert isinstance(reading, ReadDocument)
    return {"document": dataclasses.asdict(reading), **told}


def _database(message: dict[str, Any]) -> dict[str, Any]:
    from runtime.ingest.database import build_database, database_holds
    from runtime.ingest.store import ReadingStore

    tables = [(str(name), Path(path)) for name, path in message["tables"]]
    out = Path(message["out"])
    store = ReadingStore(Path(message["store"]))
    store.prepare()
    with store.writing():
        out.parent.mkdir(parents=True, exist_ok=True)
    if not database_holds(out, tables):
        with store.scratch() as folder:
            build_database(tables, out, folder)
    return {"built": str(out)}


def _check(message: dict[str, Any], limits: ReadingLimits, kept: KeptConnection) -> dict[str, Any]:
    from runtime.ingest.columnar import check_parquet

    with kept.connection(limits, Path(message["store"])) as connection:
        check_parquet(connection, Path(message["copy"]), limits)
    return {"sound": message["copy"]}


if __name__ == "__main__":
    sys.exit(main())
