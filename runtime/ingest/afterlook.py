"""A last look over the finished table: columns that stayed text though most of it are numbers or dates, rows that look
like totals, empty rows. Nothing is changed: everything is said, with counts and an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

from runtime.ingest.columns import ColumnType
from runtime.ingest.lexical import DATED, NUMERIC, class_of, literal, numbered_rows, parquet_table, quoted
from runtime.ingest.small_table import SMALL_ROWS, look_closely
from runtime.ingest.total_labels import begins_like_total

_LOOKED_AT = 200
_NOTES = 40
_LABEL_COLUMNS = 3  # a total is named in one of the first text columns
_EVEN_ROWS = 20_000
_EVEN_BLOCKS = 10
_PLAIN = ("int", "decimal", "exponent")


def look_after(
    connection: duckdb.DuckDBPyConnection,
    parquet: Path,
    names: Sequence[str],
    types: Sequence[ColumnType],
    rows: int,
    *,
    totals: bool = True,
) -> tuple[str, ...]:
    """Notes about the table in `parquet`, whose columns are `names` with `types`; `totals` is False when it is known
    that no row has a total's label."""
    if not rows:
        return ("no rows: the file has a header only",)
    table = parquet_table(parquet)
    texts = [name for name, each in zip(names, types, strict=True) if each.name == "VARCHAR" and not each.note]
    notes: list[str] = []
    known = {name: each.odd for name, each in zip(names, types, strict=True)}
    unknown = [name for name in texts if known[name] is None]
    found = {*_promising(connection, parquet, names, unknown, rows), *(name for name in texts if known[name])}
    for name in (each for each in texts if each in found):
        notes += _about_text(connection, table, name)
    if rows <= SMALL_ROWS:
        notes += look_closely(connection, parquet, names, types, rows)
    gaps = _with_gaps(connection, parquet, names)
    if totals:
        notes += _totals(connection, numbered_rows(parquet, names), texts, gaps, rows)
    if len(gaps) == len(names):
        notes += _empty_rows(connection, table, names)
    return tuple(notes)


def few(notes: Sequence[str]) -> tuple[str, ...]:
    """The first notes; of a table with very many columns the rest is only counted."""
    left = len(notes) - _NOTES
    return (*notes[:_NOTES], f"and {left:,} more notes of this kind") if left > 1 else tuple(notes)


def _promising(
    connection: duckdb.DuckDBPyConnection, parquet: Path, names: Sequence[str], texts: Sequence[str], rows: int
) -> list[str]:
    """Text columns worth counting in full: among rows taken evenly from the whole file, a quarter of the values or more
    are numbers or dates, or some are told to a spreadsheet. What is most of a column cannot hide from that."""
    if not texts:
        return []
    columns = ", ".join(quoted(name) for name in texts)
    sample = _evenly(columns, rows, *numbered_rows(parquet, names))
    wanted = ", ".join(literal(each) for each in (*NUMERIC, *DATED))
    # Were the blocks not gathered first, the patterns would be compiled for each of them.
    found = connection.execute(
        f"WITH sample AS MATERIALIZED ({sample}) SELECT name FROM (SELECT name, {class_of('trim(value)')} AS k FROM"
        " (UNPIVOT (FROM sample) ON COLUMNS(*) INTO NAME name VALUE value))"
        f" GROUP BY name HAVING count_if(k IN ({wanted})) * 4 >= count(*) OR count_if(k = 'told') > 0"
    ).fetchall()
    hits = {str(row[0]) for row in found}
    return [name for name in texts if name in hits]


def _evenly(columns: str, rows: int, table: str, place: str) -> str:
    """SQL: short blocks of rows from all over the table, or all of a small one. One pass finds them all: a query for
    each block unpacks what Parquet holds together once more for each."""
    if rows <= _EVEN_ROWS:
        return f"SELECT {columns} FROM {table}"
    block = _EVEN_ROWS // _EVEN_BLOCKS
    starts = [number * (rows - block) // (_EVEN_BLOCKS - 1) for number in range(_EVEN_BLOCKS)]
    within = " OR ".join(f"{place} BETWEEN {start} AND {start + block - 1}" for start in starts)
    return f"SELECT {columns} FROM {table} WHERE {within}"


def _about_text(connection: duckdb.DuckDBPyConnection, table: str, name: str) -> list[str]:
    value = f"trim({quoted(name)})"
    found = connection.execute(
        f"SELECT k, count(*), min(v) FROM (SELECT {quoted(name)} AS v, {class_of(value)} AS k FROM {table}"
        f" WHERE {quoted(name)} IS NOT NULL) GROUP BY k ORDER BY k"
    ).fetchall()
    counts = {str(kind): int(count) for kind, count, _ in found if kind != "blank"}
    examples = {str(kind): str(example) for kind, _, example in found}
    total = sum(counts.values())
    if told := counts.get("told"):
        return [
            f'{name}: {told:,} of {total:,} values are written as ="…", the first rows are not; all kept as written'
        ]
    numeric = sum(counts.get(each, 0) for each in NUMERIC)
    dated = sum(counts.get(each, 0) for each in DATED)
    if numeric * 2 >= total and numeric:
        return [f"{name}: {_numbers(counts, examples, total)}; column kept as text"]
    if dated * 2 >= total and dated:
        return [f"{name}: {_dates(counts, examples, total)}; column kept as text"]
    return []


def _numbers(counts: Mapping[str, int], examples: Mapping[str, str], total: int) -> str:
    odd = {kind: count for kind, count in counts.items() if kind not in _PLAIN}
    if set(odd) == {"zeros"}:
        return f"{odd['zeros']:,} of {total:,} values begin with a zero that matters, e.g. {_shown(examples['zeros'])}"
    if not odd:
        return f"{total:,} values have more digits than a number type holds"
    worst = "word" if "word" in odd else max(odd, key=lambda kind: odd[kind])
    return f"{sum(odd.values()):,} of {total:,} values are not plain numbers, e.g. {_shown(examples[worst])}"


def _dates(counts: Mapping[str, int], examples: Mapping[str, str], total: int) -> str:
    if set(counts) <= {"slashed", "moment", "date", "ymd", "named"}:
        example = examples.get("slashed") or examples.get("moment", "")
        return f"the order of day and month is not decidable from its values, e.g. {_shown(example)}"
    if counts.get("short", 0) * 2 >= total:
        short = f"{counts['short']:,} of {total:,} values look like dates with a year of two digits"
        return f"{short}, whose century and order are open, e.g. {_shown(examples['short'])}"
    odd = {kind: count for kind, count in counts.items() if kind not in DATED}
    if odd:
        worst = max(odd, key=lambda kind: odd[kind])
        return f"{sum(odd.values()):,} of {total:,} values are not dates, e.g. {_shown(examples[worst])}"
    return f"its dates are written in several ways, e.g. {', '.join(_shown(examples[kind]) for kind in sorted(counts))}"


def _shown(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:39] + "…")


def _with_gaps(connection: duckdb.DuckDBPyConnection, parquet: Path, names: Sequence[str]) -> list[str]:
    """Columns with an empty cell, by the counts that Parquet keeps."""
    found = connection.execute(
        f"SELECT column_id FROM parquet_metadata({literal(str(parquet))}) GROUP BY column_id"
        " HAVING sum(coalesce(stats_null_count, 1)) > 0"
    ).fetchall()
    return [names[int(row[0])] for row in sorted(found)]


def _totals(
    connection: duckdb.DuckDBPyConnection,
    numbered: tuple[str, str],
    texts: Sequence[str],
    gaps: Sequence[str],
    rows: int,
) -> list[str]:
    """Rows whose first words are a total's while another column is empty: they would be summed a second time."""
    if not texts or not gaps:
        return []
    table, place = numbered
    empty = " OR ".join(f"{quoted(name)} IS NULL" for name in gaps[:_LOOKED_AT])
    labels = " UNION ALL ".join(
        f"SELECT {place} AS n, {quoted(name)} AS l FROM {table} WHERE {begins_like_total(quoted(name))} AND ({empty})"
        for name in texts[:_LABEL_COLUMNS]
    )
    row = connection.execute(f"SELECT count(DISTINCT n), min_by(l, n) FROM ({labels})").fetchone()
    if not row or not row[0] or int(row[0]) * 2 >= rows > 2:
        return []
    count = int(row[0])
    what = "1 row looks like a total or subtotal" if count == 1 else f"{count:,} rows look like totals or subtotals"
    return [f"{what}, e.g. {_shown(str(row[1]))}; kept as rows, so sums over the whole table count them twice"]


def _empty_rows(connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str]) -> list[str]:
    every = " AND ".join(f"{quoted(name)} IS NULL" for name in names)
    row = connection.execute(f"SELECT count(*) FROM {table} WHERE {every}").fetchone()
    if not row or not row[0]:
        return []
    return [f"{int(row[0]):,} rows are empty in every column; they count as rows"]
