"""Reads one file of a workspace for good: found in the store, or read, proved unchanged meanwhile, and kept there."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb

from runtime.ingest.ahead import stopped_at_last
from runtime.ingest.bytescan import digest_of, promise, scan
from runtime.ingest.columnar import check_ends, check_parquet, copy_bytes
from runtime.ingest.delimited import Reading, begin_ahead, read_delimited
from runtime.ingest.encoding import check_head
from runtime.ingest.json_text import read_json
from runtime.ingest.open_text import OpenText
from runtime.ingest.opening import Stamp, open_inside
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
from runtime.ingest.store import ReadingStore, key_of

_REHASH_BYTES = 64 << 20
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


def _read(
    connection: duckdb.DuckDBPyConnection, job: FileJob, descriptor: int, store: ReadingStore, limits: ReadingLimits
) -> tuple[ReadTable | ReadWorkbook | ReadDocument, Stamp]:
    before = Stamp.of(descriptor)
    if job.kind != "parquet" and before.size > limits.file_bytes:
        gib = limits.file_bytes / (1 << 30)
        raise IngestRefused(f"{before.size:,} bytes; files over {gib:g} GiB are read only as Parquet")
    with store.scratch() as folder:
        if job.kind in DOCUMENT_KINDS:
            from runtime.ingest.document import read_document  # its readers are needed for nothing else

            started_ns = folder.stat().st_mtime_ns
            document = read_document(descriptor, job.kind, Path(job.store), limits)
            _prove_unchanged(descriptor, before, document.revision, started_ns)
            return document, before
        if job.kind == "workbook":
            return _take_workbook(connection, descriptor, before, store, limits, folder), before
        out = folder / "table.parquet"
        if job.kind == "parquet":
            table = _take_parquet(connection, descriptor, before, store, limits, out)
        else:
            table = _take_text(connection, job, descriptor, before, store, limits, out)
    return table, before


def _text_reader(kind: Kind) -> Callable[[OpenText], Reading]:
    """The reader of a kind whose file becomes one table."""
    return {"csv": read_delimited, "tsv": read_delimited, "json": read_json, "ndjson": read_json}[kind]


def _take_text(
    connection: duckdb.DuckDBPyConnection,
    job: FileJob,
    descriptor: int,
    before: Stamp,
    store: ReadingStore,
    limits: ReadingLimits,
    out: Path,
) -> ReadTable:
    started_ns = out.parent.stat().st_mtime_ns
    if before.size > limits.repair_bytes:
        check_head(descriptor)
    text = OpenText(connection, descriptor, promise(descriptor), job.kind, limits, out.parent, out)
    with stopped_at_last(begin_ahead(text) if job.kind in ("csv", "tsv") else None) as ahead:
        found = scan(descriptor, blank=ahead is None or bool(text.found.plain.blank))
        revision, key = revision_of(found.sha256), key_of(found.sha256, job.kind)
        known = store.find(key)
        if known:
            _prove_unchanged(descriptor, before, revision, started_ns)
            return known
        try:
            if not found.size:
                raise IngestRefused("empty: the file has no bytes")
            columns, rows, notes = _text_reader(job.kind)(replace(text, found=found, ahead=ahead))
        except IngestRefused as refusal:
            _prove_unchanged(descriptor, before, revision, started_ns)
            told = IngestRefused(refusal.reason, revision)
            store.refuse(key, told)
            raise told from refusal
    _prove_unchanged(descriptor, before, revision, started_ns)
    table = ReadTable(key, revision, columns, rows, out.stat().st_size, notes)
    store.keep(table, out)
    return table


def _take_workbook(
    connection: duckdb.DuckDBPyConnection,
    descriptor: int,
    before: Stamp,
    store: ReadingStore,
    limits: ReadingLimits,
    folder: Path,
) -> ReadWorkbook:
    from runtime.ingest.spreadsheet import read_workbook  # its readers are needed for nothing else

    started_ns = folder.stat().st_mtime_ns
    sha256 = digest_of(descriptor)
    revision, key = revision_of(sha256), key_of(sha256, "workbook")
    known = store.find_workbook(key)
    if known:
        _prove_unchanged(descriptor, before, revision, started_ns)
        return known
    try:
        if not before.size:
            raise IngestRefused("empty: the file has no bytes")
        made = read_workbook(connection, descriptor, limits, folder)
    except IngestRefused as refusal:
        _prove_unchanged(descriptor, before, revision, started_ns)
        told = IngestRefused(refusal.reason, revision)
        store.refuse(key, told)
        raise told from refusal
    _prove_unchanged(descriptor, before, revision, started_ns)
    tables = tuple(
        ReadTable(
            f"{key}-{number}",
            revision,
            each.columns,
            each.rows,
            each.out.stat().st_size,
            each.notes,
            each.part,
            each.label,
        )
        for number, each in enumerate(made, start=1)
    )
    workbook = ReadWorkbook(revision, key, tables)
    store.keep_workbook(workbook, [each.out for each in made])
    return workbook


def _take_parquet(
    connection: duckdb.DuckDBPyConnection,
    descriptor: int,
    before: Stamp,
    store: ReadingStore,
    limits: ReadingLimits,
    out: Path,
) -> ReadTable:
    if not before.size:
        raise IngestRefused("empty: the file has no bytes")
    check_ends(descriptor, before.size)
    started_ns = out.parent.stat().st_mtime_ns
    sha256 = copy_bytes(descriptor, out)
    revision, key = revision_of(sha256), key_of(sha256, "parquet")
    _prove_unchanged(descriptor, before, revision, started_ns)
    known = store.find(key)
    if known:
        return known
    try:
        columns, rows, notes = check_parquet(connection, out, limits)
    except IngestRefused as refusal:
        told = IngestRefused(refusal.reason, revision)
        store.refuse(key, told)
        raise told from refusal
    table = ReadTable(key, revision, columns, rows, before.size, notes)
    store.keep(table, out)
    return table


def _prove_unchanged(descriptor: int, before: Stamp, revision: str, started_ns: int) -> None:
    """Raises SourceChanged when the file was written to since `before`. Times alone are not trusted for small files,
    nor for files written so shortly before the start that another write could carry the same time."""
    if Stamp.of(descriptor) != before:
        raise SourceChanged
    lately = started_ns - before.modified_ns < RACY_NS
    if (before.size <= _REHASH_BYTES or lately) and revision_of(digest_of(descriptor)) != revision:
        raise SourceChanged
