"""Reads one file of a workspace for good: found in the store, or read, proved unchanged meanwhile, and kept there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import duckdb

from runtime.ingest.ahead import stopped_at_last
from runtime.ingest.bytescan import digest_of, promise, scan
from runtime.ingest.columnar import check_ends, check_parquet, copy_bytes
from runtime.ingest.delimited import begin_ahead, read_delimited
from runtime.ingest.encoding import check_head
from runtime.ingest.json_text import read_json
from runtime.ingest.made_table import MadeTable
from runtime.ingest.open_text import OpenText
from runtime.ingest.opening import Stamp, open_inside
from runtime.ingest.other_content import holds_json
from runtime.ingest.outcome import (
    DOCUMENT_KINDS,
    RACY_NS,
    FileJob,
    IngestRefused,
    Kind,
    ReadDocument,
    ReadingLimits,
    ReadTable,
    ReadWorkbook,
    SourceChanged,
    revision_of,
)
from runtime.ingest.store import ReadingStore, copy_stamp, key_of

_REHASH_BYTES = 64 << 20
_SEVERAL: frozenset[Kind] = frozenset(("workbook", "json", "ndjson"))
_OUT = "table.parquet"
_JSON_INSIDE = "its content is JSON, though its name doesn't say so: read as that"
CHANGED = "changed while it was read, twice"


def read_file(
    connection: duckdb.DuckDBPyConnection, job: FileJob, limits: ReadingLimits
) -> tuple[ReadTable | ReadWorkbook | ReadDocument, Stamp]:
    """The reading of a file and the stamp it was read under; a file that changes meanwhile is tried once more.
    Raises IngestRefused with the reason, SourceChanged when the file is gone, StorageFailed."""
    store = ReadingStore(Path(job.store))
    store.prepare()
    for attempt in range(2):
        descriptor = open_inside(job.root, job.path)
        try:
            return _read(connection, job, descriptor, store, limits)
        except SourceChanged as change:
            if attempt:
                raise IngestRefused(CHANGED) from change
        finally:
            os.close(descriptor)
    raise IngestRefused(CHANGED)


@dataclass(frozen=True, slots=True)
class _Source:
    """An open file, as it was when its reading began at `started_ns`."""

    descriptor: int
    before: Stamp
    started_ns: int

    def prove_unchanged(self, revision: str) -> None:
        """Raises SourceChanged when the file was written to since. Times alone are not trusted for small files, nor
        for files written so shortly before the start that another write could carry the same time."""
        if Stamp.of(self.descriptor) != self.before:
            raise SourceChanged
        lately = self.started_ns - self.before.modified_ns < RACY_NS
        if (self.before.size <= _REHASH_BYTES or lately) and revision_of(digest_of(self.descriptor)) != revision:
            raise SourceChanged

    @contextlib.contextmanager
    def refusals_kept(self, store: ReadingStore, key: str, revision: str) -> Generator[None]:
        """A refusal inside is one of these bytes for good, if the file still holds them."""
        try:
            if not self.before.size:
                raise IngestRefused("empty: the file has no bytes")
            yield
        except IngestRefused as refusal:
            self.prove_unchanged(revision)
            told = IngestRefused(refusal.reason, revision)
            store.refuse(key, told)
            raise told from refusal


def _read(
    connection: duckdb.DuckDBPyConnection, job: FileJob, descriptor: int, store: ReadingStore, limits: ReadingLimits
) -> tuple[ReadTable | ReadWorkbook | ReadDocument, Stamp]:
    before = Stamp.of(descriptor)
    if job.kind != "parquet" and before.size > limits.file_bytes:
        gib = limits.file_bytes / (1 << 30)
        raise IngestRefused(f"{before.size:,} bytes; files over {gib:g} GiB are read only as Parquet")
    with store.scratch() as folder:
        source = _Source(descriptor, before, folder.stat().st_mtime_ns)
        if job.kind in DOCUMENT_KINDS:
            from runtime.ingest.document import read_document  # its readers are needed for nothing else

            document = read_document(descriptor, job.kind, Path(job.store), limits)
            source.prove_unchanged(document.revision)
            return document, before
        if job.kind in _SEVERAL or (job.kind != "parquet" and holds_json(descriptor)):
            return _take_several(connection, job.kind, source, store, limits, folder), before
        out = folder / _OUT
        if job.kind == "parquet":
            table = _take_parquet(connection, source, store, limits, out)
        else:
            table = _take_text(connection, job.kind, source, store, limits, out)
    return table, before


def _take_text(
    connection: duckdb.DuckDBPyConnection,
    kind: Kind,
    source: _Source,
    store: ReadingStore,
    limits: ReadingLimits,
    out: Path,
) -> ReadTable:
    descriptor = source.descriptor
    if source.before.size > limits.repair_bytes:
        check_head(descriptor)
    text = OpenText(connection, descriptor, promise(descriptor), kind, limits, out.parent, out)
    with stopped_at_last(begin_ahead(text)) as ahead:
        found = scan(descriptor)
        revision, key = revision_of(found.sha256), key_of(found.sha256, kind)
        known = store.find(key)
        if known:
            source.prove_unchanged(revision)
            return known
        with source.refusals_kept(store, key, revision):
            columns, rows, notes = read_delimited(replace(text, found=found, ahead=ahead))
    source.prove_unchanged(revision)
    table = ReadTable(key, revision, columns, rows, copy_stamp(out), notes)
    store.keep(table, out)
    return table


def _take_several(
    connection: duckdb.DuckDBPyConnection,
    kind: Kind,
    source: _Source,
    store: ReadingStore,
    limits: ReadingLimits,
    folder: Path,
) -> ReadTable | ReadWorkbook:
    """A file that may hold several tables: a spreadsheet always counts as such, JSON only where it does."""
    descriptor = source.descriptor
    if kind == "workbook":
        from runtime.ingest.spreadsheet import read_workbook  # its readers are needed for nothing else

        sha256 = digest_of(descriptor)
        read = partial(read_workbook, connection, descriptor, limits, folder)
    else:
        if source.before.size > limits.repair_bytes:
            check_head(descriptor)
        found = scan(descriptor)
        sha256 = found.sha256
        read = partial(read_json, OpenText(connection, descriptor, found, kind, limits, folder, folder / _OUT))
    revision, key = revision_of(sha256), key_of(sha256, kind)
    known = store.find(key) or store.find_workbook(key)
    if known:
        source.prove_unchanged(revision)
        return known
    with source.refusals_kept(store, key, revision):
        made = read()
    source.prove_unchanged(revision)
    if kind in ("csv", "tsv"):
        made = [replace(each, notes=(_JSON_INSIDE, *each.notes)) for each in made]
    if kind == "workbook" or len(made) > 1:
        return _keep_several(store, key, revision, made)
    table = _read_table(key, revision, made[0])
    store.keep(table, made[0].out)
    return table


def _keep_several(store: ReadingStore, key: str, revision: str, made: Sequence[MadeTable]) -> ReadWorkbook:
    """Keeps a file of several tables, each under a number behind the key of all."""
    tables = tuple(_read_table(f"{key}-{number}", revision, each) for number, each in enumerate(made, start=1))
    workbook = ReadWorkbook(revision, key, tables)
    store.keep_workbook(workbook, [each.out for each in made])
    return workbook


def _read_table(key: str, revision: str, made: MadeTable) -> ReadTable:
    stamp = copy_stamp(made.out)
    return ReadTable(key, revision, made.columns, made.rows, stamp, made.notes, made.part, made.label)


def _take_parquet(
    connection: duckdb.DuckDBPyConnection, source: _Source, store: ReadingStore, limits: ReadingLimits, out: Path
) -> ReadTable:
    if source.before.size:
        check_ends(source.descriptor, source.before.size)
    sha256 = copy_bytes(source.descriptor, out)
    revision, key = revision_of(sha256), key_of(sha256, "parquet")
    source.prove_unchanged(revision)
    known = store.find(key)
    if known:
        return known
    with source.refusals_kept(store, key, revision):
        columns, rows, notes = check_parquet(connection, out, limits)
    table = ReadTable(key, revision, columns, rows, copy_stamp(out), notes)
    store.keep(table, out)
    return table
