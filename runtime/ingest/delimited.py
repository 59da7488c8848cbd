"""Reads a CSV or TSV file into one typed Parquet file, or refuses it with the reason."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import duckdb

from runtime.ingest.afterlook import few, look_after
from runtime.ingest.bytescan import CHUNK, ByteScan, scan
from runtime.ingest.columns import ColumnType, copy_sql, decide
from runtime.ingest.dialect import Dialect, find_dialect
from runtime.ingest.encoding import UTF8, Encoding, likely_encoding, proved_encoding
from runtime.ingest.engine import Misfit, NotUtf8, reasons
from runtime.ingest.lexical import Facts, facts_from, facts_sql, literal, parquet_table
from runtime.ingest.outcome import IngestRefused, Kind, ReadingLimits
from runtime.ingest.transcode import clean_copy

WHOLE_BYTES = 8 << 20
"""Up to this size types are decided over the whole file at once; above, they are guessed and then proved."""
_GUESS_ROWS = 10_000
_GUESS_COLUMNS = 200  # beyond, checking casts costs more than deciding over the whole file
_LONE_RETURN = re.compile(rb"\r(?!\n)")

Reading = tuple[tuple[tuple[str, str], ...], int, tuple[str, ...]]


def read_delimited(
    connection: duckdb.DuckDBPyConnection,
    descriptor: int,
    found: ByteScan,
    kind: Kind,
    limits: ReadingLimits,
    folder: Path,
    out: Path,
) -> Reading:
    """Writes `out` and returns (columns, rows, notes). `found` is the scan of the open file `descriptor`; `folder`
    takes temporary copies. Raises IngestRefused with a reason, StorageFailed when a disk is full."""
    encoding = likely_encoding(descriptor, found)
    try:
        return _read_as(connection, descriptor, found, kind, limits, folder, out, encoding)
    except NotUtf8 as surprise:
        out.unlink(missing_ok=True)
        encoding = proved_encoding(descriptor)
        if encoding is UTF8:
            raise IngestRefused("its text is not valid UTF-8") from surprise
        return _read_as(connection, descriptor, found, kind, limits, folder, out, encoding)


def _read_as(
    connection: duckdb.DuckDBPyConnection,
    descriptor: int,
    found: ByteScan,
    kind: Kind,
    limits: ReadingLimits,
    folder: Path,
    out: Path,
    encoding: Encoding,
) -> Reading:
    with ExitStack() as opened:
        clean, seen, notes = _clean(descriptor, found, encoding, folder, opened)
        if not seen.plain.records(keep_blank=False):
            raise IngestRefused("empty: there is no data in it")
        dialect = find_dialect(clean, seen, kind, limits.columns)
        source = source_sql(clean, dialect, seen)
        types = typed_copy(connection, source, dialect, seen.size, out)
        rows = reconcile(connection, out, seen, dialect)
    notes += dialect.notes
    notes += tuple(f"{name}: {each.note}" for name, each in zip(dialect.names, types, strict=True) if each.note)
    with reasons():
        notes += look_after(connection, out, dialect.names, types, rows)
    columns = tuple((name, each.name) for name, each in zip(dialect.names, types, strict=True))
    return columns, rows, few(notes)


def _clean(
    descriptor: int, found: ByteScan, encoding: Encoding, folder: Path, opened: ExitStack
) -> tuple[int, ByteScan, tuple[str, ...]]:
    """A descriptor of UTF-8 text with one kind of line end, its scan, and what had to be done for that."""
    notes = encoding.notes
    if encoding is not UTF8:
        descriptor = clean_copy(descriptor, encoding.name, folder, one_line_end=False)
        opened.callback(os.close, descriptor)
        found = scan(descriptor)
        if found.nul_line:
            raise IngestRefused(f"line {found.nul_line}: a NUL byte stands in the text")
    if _mixed_ends(descriptor, found):
        descriptor = clean_copy(descriptor, "utf-8", folder, one_line_end=True)
        opened.callback(os.close, descriptor)
        found = scan(descriptor)
        notes += ("line ends: both \\r\\n and \\n, read as one kind",)
    return descriptor, found, notes


def _mixed_ends(descriptor: int, found: ByteScan) -> bool:
    """True for \\r\\n beside \\n. Raises IngestRefused for carriage returns alone beside other line ends: whether they
    end a row cannot be known."""
    lines = found.quoted if found.fields_quoted else found.plain
    if lines.cr and (lines.lf or lines.crlf):
        raise IngestRefused(f"line {_lone_return_line(descriptor)}: a carriage return alone, among other line ends")
    return bool(lines.lf and lines.crlf)


def _lone_return_line(descriptor: int) -> int:
    offset, line = 0, 1
    while chunk := os.pread(descriptor, CHUNK, offset):
        hit = _LONE_RETURN.search(chunk)
        if hit:
            return line + chunk.count(b"\n", 0, hit.start())
        line += chunk.count(b"\n")
        offset += len(chunk)
    return line


def source_sql(descriptor: int, dialect: Dialect, seen: ByteScan) -> str:
    """SQL: the file as a table of text, read by the strictest rules. No `new_line`: together with strict mode DuckDB
    2.0.1 reads files with \\r\\n as having no rows at all when it is given."""
    names = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in dialect.names)
    lines = seen.quoted if seen.fields_quoted else seen.plain
    options = [
        f"delim = {literal(dialect.delimiter)}",
        f"quote = {literal(dialect.quote)}",
        f"escape = {literal(dialect.quote)}",
        f"header = {str(dialect.header).lower()}",
        "auto_detect = false",
        "strict_mode = true",
        "null_padding = false",
        "ignore_errors = false",
        f"columns = {{{names}}}",
    ]
    if lines.cr:
        options.append("new_line = '\\r'")
    # The open file itself, not its name: what was scanned is what is read.
    return f"read_csv('/proc/self/fd/{descriptor}', {', '.join(options)})"


def typed_copy(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    dialect: Dialect,
    size: int,
    out: Path,
    adjust: Callable[[tuple[ColumnType, ...]], tuple[ColumnType, ...]] = tuple,
) -> tuple[ColumnType, ...]:
    """Writes `out` with the types that every value fits, as `adjust` leaves them. A large file is read once with types
    guessed from its first rows and proved by the cast; only when a value refutes one are all values looked at first."""
    if size <= WHOLE_BYTES:
        with reasons():
            connection.execute(f"CREATE OR REPLACE TEMP TABLE source AS FROM {source}")
        types = adjust(_decide(connection, "source", dialect))
        _copy(connection, "source", dialect, types, out, proved=True)
        connection.execute("DROP TABLE source")
        return types
    if len(dialect.names) <= _GUESS_COLUMNS:
        types = adjust(_decide(connection, f"(FROM {source} LIMIT {_GUESS_ROWS})", dialect))
        if all(each.settled for each in types):
            try:
                _copy(connection, source, dialect, types, out, proved=False)
            except Misfit:
                out.unlink(missing_ok=True)
            else:
                return types
    types = adjust(_decide(connection, source, dialect))
    _copy(connection, source, dialect, types, out, proved=True)
    return types


def _decide(connection: duckdb.DuckDBPyConnection, source: str, dialect: Dialect) -> tuple[ColumnType, ...]:
    with reasons():
        found = dict(facts_from(row) for row in connection.execute(facts_sql(source)).fetchall())
    comma_land = dialect.delimiter == ";" or any(facts.decimal_commas for facts in found.values())
    return tuple(decide(found.get(name, Facts()), comma_land=comma_land) for name in dialect.names)


def _copy(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    dialect: Dialect,
    types: tuple[ColumnType, ...],
    out: Path,
    *,
    proved: bool,
) -> None:
    query = copy_sql(source, dialect.names, types, proved=proved)
    with reasons():
        connection.execute(f"COPY ({query}) TO {literal(str(out))} (FORMAT parquet, COMPRESSION zstd)")


def reconcile(connection: duckdb.DuckDBPyConnection, out: Path, seen: ByteScan, dialect: Dialect) -> int:
    """The number of rows, when DuckDB and our own count of records agree. Raises IngestRefused when they don't."""
    lines = seen.quoted if dialect.quote else seen.plain
    expected = lines.records(keep_blank=len(dialect.names) == 1) - (1 if dialect.header else 0)
    row = connection.execute(f"SELECT count(*) FROM {parquet_table(out)}").fetchone()
    rows = int(row[0]) if row else 0
    if rows != expected:
        raise IngestRefused(f"its rows cannot be told apart for certain: {expected:,} by line ends, {rows:,} by quotes")
    return rows
