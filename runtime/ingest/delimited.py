"""Reads a CSV or TSV file into one typed Parquet file, or refuses it with the reason."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb

from runtime.ingest.afterlook import few, look_after
from runtime.ingest.ahead import Ahead
from runtime.ingest.alike import alike
from runtime.ingest.apart import Apart, find_apart, without_rows
from runtime.ingest.bytescan import CHUNK, ByteScan, scan
from runtime.ingest.columns import (
    ColumnType,
    copy_sql,
    decide,
    formats_sql,
    may_be_numbers,
    with_numeral,
    with_seen_formats,
)
from runtime.ingest.composed import COMPOSED_NOTE
from runtime.ingest.dialect import Dialect, find_dialect
from runtime.ingest.encoding import UTF8, Encoding, likely_encoding, proved_encoding
from runtime.ingest.engine import Misfit, NotUtf8, reasons
from runtime.ingest.lead import lead_dialect
from runtime.ingest.lexical import Facts, facts_from, facts_sql, literal, parquet_table, quoted, shapes_sql
from runtime.ingest.numbering import as_numbered
from runtime.ingest.numerals import Land, Shapes, Unclear, numeral_of, proves
from runtime.ingest.open_text import OpenText
from runtime.ingest.other_content import check_text
from runtime.ingest.outcome import IngestRefused, Irregular
from runtime.ingest.repair import needs_repair, repaired
from runtime.ingest.rewritten import rewritten
from runtime.ingest.transcode import clean_copy

_GUESS_ROWS = (2_000, 20_000)
"""How many of its first rows a large file's types are guessed from, and from how many when these leave one open or a
later row refutes one."""
_GUESS_COLUMNS = 200  # beyond, checking casts costs more than deciding over the whole file
AS_WRITTEN = (
    "FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, PARQUET_VERSION V2, WRITE_BLOOM_FILTER false,"
    " DICTIONARY_SIZE_LIMIT 2000"
)
"""How our Parquet files are written: large dictionaries and filters take a tenth of the whole time and no query that
reads all rows gains by them; closer packing takes another thirtieth and saves a tenth of the size."""
_LARGE_GROUPS = ", ROW_GROUP_SIZE 245760"
"""Rows held together for as long as one group is written, twice the usual number: files are a quarter smaller."""
_LARGE_GROUP_COLUMNS = 20  # beyond, such a group may take more memory than it is worth
_LONE_RETURN = re.compile(rb"\r(?!\n)")

_Adjust = Callable[[tuple[ColumnType, ...]], tuple[ColumnType, ...]]
Reading = tuple[tuple[tuple[str, str], ...], int, tuple[str, ...]]


def read_delimited(text: OpenText) -> Reading:
    """Writes `text.out` and returns (columns, rows, notes). Raises IngestRefused with a reason, StorageFailed when a
    disk is full."""
    check_text(text.descriptor)
    encoding = likely_encoding(text.descriptor, text.found)
    try:
        return _read_as(text, encoding)
    except NotUtf8 as surprise:
        text.out.unlink(missing_ok=True)
        encoding = proved_encoding(text.descriptor)
        if encoding is UTF8:
            raise IngestRefused("its text is not valid UTF-8") from surprise
        return _read_as(text, encoding)


def begin_ahead(text: OpenText) -> Ahead | None:
    """Begins to copy a large text whose scan is still to come: `text.found` is what its beginning promises. None when
    that promises no table which can be read as it stands."""
    if text.found.size <= text.limits.whole_types_bytes or text.found.marks_apart:
        return None
    try:
        if likely_encoding(text.descriptor, text.found) is not UTF8 or _mixed_ends(text.descriptor, text.found):
            return None
        dialect = _strict_dialect(text)
    except (IngestRefused, Irregular):
        return None
    if dialect is None:
        return None
    connection, out, source = text.connection, text.out, source_sql(text.descriptor, dialect, text.found)

    def copy() -> tuple[ColumnType, ...]:
        return typed_copy(connection, source, dialect, out, whole=False)

    return Ahead(source, dialect, copy, connection.interrupt)


def _read_as(text: OpenText, encoding: Encoding) -> Reading:
    with ExitStack() as opened:
        clean, notes = _clean(text, encoding, opened)
        seen, most = clean.found, clean.limits.repair_bytes
        if not seen.plain.records(keep_blank=False):
            raise IngestRefused("empty: there is no data in it")
        if seen.nul_line and seen.size > most:
            raise IngestRefused(f"line {seen.nul_line}: a NUL byte stands in it")
        try:
            dialect = _strict_dialect(clean)
            if dialect:
                return _table(clean, dialect, notes)
        except Irregular:
            clean.out.unlink(missing_ok=True)
            if seen.size > most:
                raise
        return _repaired(clean, notes)


def _strict_dialect(text: OpenText) -> Dialect | None:
    """How the text is read by the strict rules, None when it has to be repaired first. Raises Irregular when its first
    rows don't follow them."""
    found, limits = text.found, text.limits
    irregular = needs_repair(text.descriptor, found, text.kind, whole=found.size <= limits.whole_types_bytes)
    if found.nul_line or (irregular and found.size <= limits.repair_bytes):
        return None
    dialect_of = lead_dialect if irregular else find_dialect
    return dialect_of(text.descriptor, found, text.kind, limits.columns)


def _repaired(text: OpenText, notes: tuple[str, ...]) -> Reading:
    repair = repaired(text.descriptor, text.found, text.kind, text.limits.columns)
    with ExitStack() as opened:
        copy = rewritten([repair.names, *repair.rows], text.folder)
        opened.callback(os.close, copy)
        # Semicolons in the source say that its commas may be decimal marks.
        dialect = Dialect(",", '"', True, repair.names, repair.notes, comma_likely=repair.delimiter == ";")
        copied = replace(text, descriptor=copy, found=scan(copy))
        columns, rows, said = _table(copied, dialect, notes, judged=True)
    if rows != len(repair.rows):
        raise IngestRefused(f"its rows cannot be told apart for certain: {len(repair.rows):,} found, {rows:,} read")
    return columns, rows, said


def _table(text: OpenText, dialect: Dialect, notes: tuple[str, ...], *, judged: bool = False) -> Reading:
    """Reads the text as `dialect` says; `judged` when totals and the like are known to be taken out of it."""
    source = source_sql(text.descriptor, dialect, text.found)
    whole = text.found.size <= text.limits.whole_types_bytes
    types = text.ahead.take(source, dialect) if text.ahead else None
    if types is None:
        types = typed_copy(text.connection, source, dialect, text.out, whole=whole)
    rows = reconcile(text.connection, text.out, text.found, dialect)
    apart = Apart() if whole or judged or not rows else _apart(text, dialect, types, rows)
    if apart.places:
        # Their labels may have made a column text, so the types are decided anew.
        text.out.unlink()
        source = without_rows(source, dialect.names, apart.places)
        types = typed_copy(text.connection, source, dialect, text.out, whole=False)
        rows = reconcile(text.connection, text.out, text.found, dialect, apart=len(apart.places))
    notes += dialect.notes + apart.notes
    notes += tuple(f"{name}: {each.note}" for name, each in zip(dialect.names, types, strict=True) if each.note)
    with reasons():
        notes += look_after(text.connection, text.out, dialect.names, types, rows, totals=apart.labelled)
    columns = tuple((name, each.name) for name, each in zip(dialect.names, types, strict=True))
    return columns, rows, few(notes)


def _apart(text: OpenText, dialect: Dialect, types: Sequence[ColumnType], rows: int) -> Apart:
    plain, strict = text.found.plain, text.found.quoted
    evenly = not plain.blank and (not dialect.quote or plain.ends == strict.ends)
    first_line = 1 + (dialect.skip or int(dialect.header)) if evenly else 0
    with reasons():
        return find_apart(text.connection, text.out, dialect.names, types, rows, first_line, labels=text.found.labels)


def _clean(text: OpenText, encoding: Encoding, opened: ExitStack) -> tuple[OpenText, tuple[str, ...]]:
    """The same as UTF-8 text with one kind of line end and letters put together with their marks; and what had to be
    done for that."""
    notes = encoding.notes
    if encoding is not UTF8:
        text = _copied(text, encoding.name, opened, one_line_end=False)
    if _mixed_ends(text.descriptor, text.found):
        text = _copied(text, "utf-8", opened, one_line_end=True)
        notes += ("line ends: both \\r\\n and \\n, read as one kind",)
    if text.found.marks_apart:
        try:
            text = _copied(text, "utf-8", opened, one_line_end=False)
        except IngestRefused as error:  # its beginning was UTF-8, and not all of it is
            raise NotUtf8 from error
        notes += (COMPOSED_NOTE,)
    return text, notes


def _copied(text: OpenText, encoding: str, opened: ExitStack, *, one_line_end: bool) -> OpenText:
    copy = clean_copy(text.descriptor, encoding, text.folder, one_line_end=one_line_end)
    opened.callback(os.close, copy)
    return replace(text, descriptor=copy, found=scan(copy))


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
    if dialect.skip:
        options.append(f"skip = {dialect.skip}")
    if dialect.null_sign:
        options.append(f"nullstr = ['', {literal(dialect.null_sign)}]")
    if lines.cr:
        options.append("new_line = '\\r'")
    # The open file itself, not its name: what was scanned is what is read.
    return f"read_csv('/proc/self/fd/{descriptor}', {', '.join(options)})"


def typed_copy(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    dialect: Dialect,
    out: Path,
    adjust: _Adjust = tuple,
    *,
    whole: bool,
) -> tuple[ColumnType, ...]:
    """Writes `out` with the types that every value fits, as `adjust` leaves them. They are decided over the whole file
    at once when `whole`; a large file is read once with types guessed from its first rows and proved by the cast, and
    only when a value refutes one are all values looked at first."""
    if whole:
        with reasons():
            connection.execute(f"CREATE OR REPLACE TEMP TABLE source AS FROM {source}")
        types = adjust(_decide(connection, "source", dialect))
        _copy(connection, "source", dialect, types, out, proved=True)
        connection.execute("DROP TABLE source")
        return types
    refuted: tuple[ColumnType, ...] = ()
    for rows in _GUESS_ROWS if len(dialect.names) <= _GUESS_COLUMNS else ():
        types = _guessed(connection, source, dialect, rows, adjust)
        if types is None or types == refuted:
            continue
        try:
            _copy(connection, source, dialect, types, out, proved=False)
        except Misfit:
            out.unlink(missing_ok=True)
            refuted = types
        else:
            return _counted(connection, dialect.names, types, out)
    types = adjust(_decide(connection, source, dialect))
    _copy(connection, source, dialect, types, out, proved=True)
    return types


def _guessed(
    connection: duckdb.DuckDBPyConnection, source: str, dialect: Dialect, rows: int, adjust: _Adjust
) -> tuple[ColumnType, ...] | None:
    """The types that the first `rows` promise, None when they leave one open. A column without a value among the most
    rows that are looked at is taken to stay empty."""
    with reasons():
        connection.execute(f"CREATE OR REPLACE TEMP TABLE sample AS FROM {source} LIMIT {rows}")
    types = adjust(_decide(connection, "sample", dialect))
    if any(each.formats for each in types):
        counts = connection.execute(formats_sql("sample", dialect.names, types)).fetchone() or ()
        types = with_seen_formats(types, counts)
    types = _alike(connection, "sample", dialect.names, types)
    connection.execute("DROP TABLE sample")
    last = rows == _GUESS_ROWS[-1]
    if not all(each.settled or (each.empty and last) for each in types):
        return None
    # The first rows do not say what stands in the texts further down.
    return tuple(replace(each, odd=None) for each in types)


def _alike(
    connection: duckdb.DuckDBPyConnection, source: str, names: Sequence[str], types: Sequence[ColumnType]
) -> tuple[ColumnType, ...]:
    """The types, settled where all numbers are written alike."""
    marked = [name for name, each in zip(names, types, strict=True) if each.numeral and not each.absent]
    rows = connection.execute(shapes_sql(source, marked)).fetchall() if marked else []
    found = list(types)
    for place, (name, kind) in enumerate(zip(names, types, strict=True)):
        if name in marked and kind.numeral and (seen := alike(_shapes(name, rows), kind.numeral)):
            found[place] = replace(kind, settled=True, alike=seen)
    return tuple(found)


def _counted(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], types: Sequence[ColumnType], out: Path
) -> tuple[ColumnType, ...]:
    """The types of a finished table, with notes about all its values where the first ones promised what they are."""
    same = [name for name, each in zip(names, types, strict=True) if each.alike]
    if not same:
        return tuple(types)
    counts = ", ".join(f"count({quoted(name)})" for name in same)
    with reasons():
        row = connection.execute(f"SELECT {counts} FROM {parquet_table(out)}").fetchone() or ()
    values = dict(zip(same, row, strict=True))
    return tuple(
        with_numeral(each.alike.numeral(int(values[name]))) if each.alike else each
        for name, each in zip(names, types, strict=True)
    )


def _decide(connection: duckdb.DuckDBPyConnection, source: str, dialect: Dialect) -> tuple[ColumnType, ...]:
    with reasons():
        found = dict(facts_from(row) for row in connection.execute(facts_sql(source)).fetchall())
    facts = [found.get(name, Facts()) for name in dialect.names]
    comma_land = dialect.comma_likely or any(each.decimal_commas for each in facts)
    types = [
        as_numbered(connection, source, name, each, decide(each, comma_land=comma_land))
        for name, each in zip(dialect.names, facts, strict=True)
    ]
    odd = [name for name, each, kind in zip(dialect.names, facts, types, strict=True) if _needs_a_look(each, kind)]
    if not odd:
        return tuple(types)
    with reasons():
        rows = connection.execute(shapes_sql(source, odd)).fetchall()
    shapes = {name: _shapes(name, rows) for name in odd}
    land = _land(shapes, [name for name, each in zip(dialect.names, facts, strict=True) if may_be_numbers(each)])
    for place, name in enumerate(dialect.names):
        if name in shapes:
            types[place] = _looked_at(types[place], facts[place], shapes[name], land, comma_likely=dialect.comma_likely)
    return tuple(types)


def _needs_a_look(facts: Facts, kind: ColumnType) -> bool:
    absent = facts.count("missing") > 0 and kind.name != "VARCHAR"
    doubtful = facts.pointed > 0 and facts.pointed == facts.like_thousands
    return absent or may_be_numbers(facts) or doubtful or facts.count("exponent") > 0


def _shapes(name: str, rows: Sequence[tuple[Any, ...]]) -> Shapes:
    own = [row for row in rows if row[0] == name]
    return Shapes({row[1]: int(row[2]) for row in own}, {row[1]: row[3] for row in own})


def _land(shapes: Mapping[str, Shapes], marked: Sequence[str]) -> Land:
    """The decimal mark that some columns prove, unless others prove another one."""
    proved = {proves(shapes[name]) for name in marked}
    if "comma" in proved:
        return "" if "point" in proved else "comma"
    return "point" if "point" in proved else ""


def _looked_at(kind: ColumnType, facts: Facts, shapes: Shapes, land: Land, *, comma_likely: bool) -> ColumnType:
    numeral = None
    if may_be_numbers(facts) or (land == "comma" and facts.pointed > 0):
        numeral = numeral_of(shapes, land, comma_likely=comma_likely)
    if isinstance(numeral, Unclear):
        return ColumnType("VARCHAR", f"{numeral.reason}; column kept as text", settled=False)
    if numeral:
        kind = with_numeral(numeral)
    if kind.name != "VARCHAR" and (short := shapes.shortened()):
        kind = replace(kind, note="; ".join(each for each in (kind.note, short) if each))
    if kind.name == "VARCHAR" or not facts.count("missing"):
        return kind
    note = "; ".join(each for each in (kind.note, *shapes.missing()) if each)
    return replace(kind, note=note, settled=False, absent=True)


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
    written = AS_WRITTEN + (_LARGE_GROUPS if len(types) <= _LARGE_GROUP_COLUMNS else "")
    with reasons():
        connection.execute(f"COPY ({query}) TO {literal(str(out))} ({written})")


def reconcile(
    connection: duckdb.DuckDBPyConnection, out: Path, seen: ByteScan, dialect: Dialect, *, apart: int = 0
) -> int:
    """The number of rows, when DuckDB and our own count of records agree, `apart` of which were left out. Raises
    Irregular when they don't."""
    lines = seen.quoted if dialect.quote else seen.plain
    expected = lines.records(keep_blank=len(dialect.names) == 1) - (1 if dialect.header else dialect.skipped) - apart
    row = connection.execute(f"SELECT count(*) FROM {parquet_table(out)}").fetchone()
    rows = int(row[0]) if row else 0
    if rows != expected:
        raise Irregular(f"its rows cannot be told apart for certain: {expected:,} by line ends, {rows:,} by quotes")
    return rows
