"""Reads JSON and NDJSON into typed Parquet files: one row for each record, records flattened by one level."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack
from pathlib import Path

from runtime.ingest.afterlook import few, look_after
from runtime.ingest.bytescan import ByteScan, scan
from runtime.ingest.columns import ColumnType
from runtime.ingest.composed import COMPOSED_NOTE, composed
from runtime.ingest.delimited import Reading, reconcile, source_sql, typed_copy
from runtime.ingest.dialect import Dialect
from runtime.ingest.encoding import likely_encoding, proved_encoding
from runtime.ingest.engine import reasons
from runtime.ingest.json_records import parsed
from runtime.ingest.json_table import flattened
from runtime.ingest.json_values import Records
from runtime.ingest.made_table import MadeTable
from runtime.ingest.open_text import OpenText
from runtime.ingest.outcome import IngestRefused
from runtime.ingest.rewritten import rewritten
from runtime.ingest.totals import LABEL_COLUMNS, find_totals, label_of, told

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# An escaped backslash or a pair is passed over as a whole; what is left over of surrogates is half a character.
_ESCAPE = re.compile(
    r"\\(?:\\|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2}))"
)


def read_json(file: OpenText) -> list[MadeTable]:
    """The tables of the text, most often one, which has no label; their Parquet files are made in the folder. Numbers
    keep every digit; numbers and truth values written as strings stay text. Raises IngestRefused with the line when
    nothing can be read, StorageFailed when a disk is full."""
    limits = file.limits
    if file.found.size > limits.json_bytes:
        raise IngestRefused(f"{file.found.size:,} bytes; JSON is read up to {limits.json_bytes >> 20:,} MiB")
    text, notes = _text(file.descriptor, file.found)
    text, halves = _whole_characters(text)
    notes += halves if composed(text) == text else (*halves, COMPOSED_NOTE)
    made: list[MadeTable] = []
    for records in parsed(text, lines=file.kind == "ndjson"):
        out = file.folder / f"{len(made)}.parquet"
        part = f"list {records.label}" if records.label else ""
        made.append(MadeTable(out, *_table(file, records, notes, out), part, records.label))
    return made


def _table(file: OpenText, records: Records, notes: tuple[str, ...], out: Path) -> Reading:
    """Writes `out`; gives columns, rows and notes."""
    connection, limits = file.connection, file.limits
    columns, rows, said = flattened(records.records, limits.columns)
    names = tuple(column.name for column in columns)
    rows, apart = _without_totals(rows, names)
    notes += records.notes + said + apart
    dialect = Dialect(",", '"', True, names)

    def honest(decided: tuple[ColumnType, ...]) -> tuple[ColumnType, ...]:
        return tuple(column.honest(each) for column, each in zip(columns, decided, strict=True))

    with ExitStack() as opened:
        clean = rewritten([names, *rows], file.folder)
        opened.callback(os.close, clean)
        seen = scan(clean)
        whole = seen.size <= limits.whole_types_bytes
        types = typed_copy(connection, source_sql(clean, dialect, seen), dialect, out, honest, whole=whole)
        count = reconcile(connection, out, seen, dialect)
    if count != len(rows):
        raise IngestRefused(f"{len(rows):,} records in the file, {count:,} rows read")
    notes += tuple(f"{name}: {each.note}" for name, each in zip(names, types, strict=True) if each.note)
    with reasons():
        notes += look_after(connection, out, names, types, count)
    return tuple((name, each.name) for name, each in zip(names, types, strict=True)), count, few(notes)


def _without_totals(
    rows: list[list[str | None]], names: tuple[str, ...]
) -> tuple[list[list[str | None]], tuple[str, ...]]:
    """The rows without those that add up others, and what has to be said about these."""
    if not any(label_of([cell or "" for cell in row[:LABEL_COLUMNS]]) for row in rows):
        return rows, ()
    totals = find_totals([[cell or "" for cell in row] for row in rows], names, comma_likely=False)
    if not totals:
        return rows, ()
    apart = {total.place for total in totals}
    note = told(totals, [total.place + 1 for total in totals], "row")
    return [row for place, row in enumerate(rows) if place not in apart], (note,)


def _whole_characters(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with escaped halves of characters, as programs leave them that cut a text in the middle of an emoji,
    written as U+FFFD; and their number."""
    lone = 0

    def whole(found: re.Match[str]) -> str:
        nonlocal lone
        if not found["half"]:
            return found[0]
        lone += 1
        return "\\ufffd"

    if not _SURROGATE.search(text):
        return text, ()
    text = _ESCAPE.sub(whole, text)
    said = f"characters cut in half (lone surrogates), shown as \ufffd: {lone:,}"
    return text, (said,) if lone else ()


def _text(descriptor: int, found: ByteScan) -> tuple[str, tuple[str, ...]]:
    encoding = likely_encoding(descriptor, found)
    body = b""
    while chunk := os.pread(descriptor, 4 << 20, len(body)):
        body += chunk
    try:
        text = body.decode("utf-8-sig" if encoding.name == "utf-8" else encoding.name)
    except UnicodeDecodeError:
        encoding = proved_encoding(descriptor)
        text = body.decode(encoding.name, "replace")
    if not text.strip():
        raise IngestRefused("empty: there is no data in it")
    return text, encoding.notes
