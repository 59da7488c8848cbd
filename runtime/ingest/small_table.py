"""A closer look at a finished table that is small enough for it; nothing is changed, everything is said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import duckdb

from runtime.ingest.columns import ColumnType
from runtime.ingest.inner_sums import MOST_ROWS, inner_sums
from runtime.ingest.lexical import MISSING, absent, literal, numbered_rows, parquet_table, quoted

SMALL_ROWS = 20_000
_COLUMNS = 200
_FORM_ROWS = 2_000  # how a column is written shows in its first rows
_FIGURES = 20
_NOTES = 40
_NUMBERS = ("BIGINT", "DOUBLE", "DECIMAL")
_FEW_ROWS, _SURE_ROWS = 3, 5
_BY_CHANCE = 20
"""One figure of a last row is taken for the sum of all above it: in more than `_FEW_ROWS` rows if it is as great as
this, in more than `_SURE_ROWS` if not."""
_SEEN_INSIDE = (
    (
        # A lead byte of UTF-8 as a letter of Windows-1252, and one of those that its other bytes become.
        "look encoded twice",
        r"[ÂÃ][\x{80}-\x{BF}\x{152}-\x{178}\x{2013}-\x{2122}]|â€[\x{80}-\x{BF}\x{152}-\x{2122}]",
    ),
    ("hold letters as a web page writes them", "&([A-Za-z]{2,8}|#[0-9]{2,5});"),
    (
        "hold signs nobody sees (soft hyphens, zero-width blanks, marks of direction)",
        r"[\x{AD}\x{200B}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2060}\x{2066}-\x{2069}\x{FEFF}]",
    ),
)
_OTHER_BLANKS = r"\x{A0}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}"
_NAMED = re.compile(r"date|datum|fecha|data\b|day|time|stamp|(^|_)(ts|at)$|created|updated", re.IGNORECASE)
_COMPACT = "days as YYYYMMDD"
_MOMENTS = (
    (_COMPACT, 19000101, 21001231),
    ("day numbers of a spreadsheet (45292 = 2024-01-01)", 20_000, 60_000),
    ("seconds since 1970", 10**8 * 3, 4 * 10**9),
    ("milliseconds since 1970", 10**11 * 3, 4 * 10**12),
)
"""What numbers stand for, by their least and greatest; but for compact days only where the column's name says so."""
_SIGNS = tuple(
    map(
        frozenset,
        (
            *(("d", "c"), ("dr", "cr"), ("db", "cr"), ("debit", "credit"), ("dbit", "crdt"), ("s", "h"), ("-", "+")),
            *(("soll", "haben"), ("ausgang", "eingang"), ("ausgabe", "einnahme"), ("af", "bij"), ("débit", "crédit")),
            *(("debe", "haber"), ("cargo", "abono"), ("débito", "crédito"), ("addebito", "accredito"), ("out", "in")),
            *(("withdrawal", "deposit"), ("expense", "income"), ("paid out", "paid in"), ("winien", "ma")),
        ),
    )
)
"""Pairs of words that tell the sign of an amount beside them."""
_AMOUNT = r"[-+−–(]?[0-9][0-9.,'’ ]*"
_DIGITS = r"\p{Nd}.,٫٬'’/ -"
_FORMS = (
    ("are written in digits that are not read", rf"[-+−(]?[{_DIGITS}]*[٠-٩۰-۹०-९০-৯๐-๙０-９][{_DIGITS}]*[%٪)]?"),
    (
        "look like dates in a form that is not read",
        r"[0-9]{1,2}[-. ]{1,2}\p{L}{3,10}\.?[-., ]{1,2}([0-9]{2}|[0-9]{4})|[0-9]{4}年[0-9]{1,2}月[0-9]{1,2}日",
    ),
    (
        "look like times with a zone that is not read",
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:.]{5,15} ?([A-Z]{3,5}|[-+][0-9]{2}:?[0-9]{2})",
    ),
    (
        "are numbers with other signs or words",
        rf"[~<>≈±≤≥]=?\s?{_AMOUNT}|{_AMOUNT}[*†‡‰]+|–{_AMOUNT}|{_AMOUNT}([a-zµ²³]{{2,6}}|[-–—]{{1,2}})|[\[<]{_AMOUNT}[\]>]|[0-9]+·[0-9]+|{_AMOUNT}\s[^\s0-9:]{{1,6}}|{_AMOUNT}°[CF]|(?i)(rs\.?|ca\.?|approx\.?)\s?{_AMOUNT}",
    ),
)


def look_closely(
    connection: duckdb.DuckDBPyConnection, parquet: Path, names: Sequence[str], types: Sequence[ColumnType], rows: int
) -> list[str]:
    """Notes about the table in `parquet`, whose columns are `names` with `types`."""
    table = parquet_table(parquet)
    kinds = list(zip(names, types, strict=True))
    texts = [name for name, each in kinds if each.name == "VARCHAR" and not each.note][:_COLUMNS]
    numbers = [name for name, each in kinds if each.name.startswith(_NUMBERS)][:_COLUMNS]
    notes: list[str] = []
    if texts:
        columns = ", ".join(quoted(name) for name in texts)
        notes += _spellings(connection, _cells(f"SELECT {columns} FROM {table}")) if rows > 1 else []
        notes += _words_for_missing(connection, _cells(f"SELECT {columns} FROM {table}"))
        notes += _forms(connection, _cells(f"SELECT {columns} FROM {table} LIMIT {_FORM_ROWS}"), texts)
    if texts and numbers and rows > 1:
        columns = ", ".join(quoted(name) for name in texts)
        notes += _signs_apart(connection, _cells(f"SELECT {columns} FROM {table}"), table, numbers)
    if rows > 2:
        keys = [*texts, *(name for name, each in kinds if each.name == "BIGINT")]
        notes += _continued(connection, numbered_rows(parquet, names), names, keys)
        last = _adds_up(connection, numbered_rows(parquet, names), names, numbers, rows)
        notes += last or (_inner_sums(connection, table, names, numbers[:_FIGURES]) if rows <= MOST_ROWS else [])
    plain = [(name, each.name) for name, each in kinds if not each.note]
    days = [name for name, kind in plain if kind == "BIGINT" or (kind.startswith("DECIMAL") and _NAMED.search(name))]
    notes += _days(connection, table, days[:_COLUMNS])
    return notes


def _cells(rows: str) -> str:
    """SQL: each cell of these rows that is not missing, with its column's name."""
    return f"UNPIVOT ({rows}) ON COLUMNS(*) INTO NAME name VALUE value"


def _spellings(connection: duckdb.DuckDBPyConnection, cells: str) -> list[str]:
    """Labels that differ only in case or blanks."""
    folded = rf"regexp_replace(lower(trim(value)), '[\s{_OTHER_BLANKS}]+', ' ', 'g')"
    found = connection.execute(
        f"SELECT name, count(*), min_by(s, f) FROM (SELECT name, f, list(DISTINCT value ORDER BY value)[:3] AS s FROM"
        f" (SELECT name, value, {folded} AS f FROM ({cells})) GROUP BY name, f HAVING count(DISTINCT value) > 1)"
        f" GROUP BY name ORDER BY name LIMIT {_NOTES}"
    ).fetchall()
    return [
        f"{name}: {_labels(many)} spelled in several ways (case or blanks), all kept, e.g. {shown}"
        for name, many, some in found
        if (shown := " / ".join(map(_shown, some)))
    ]


def _words_for_missing(connection: duckdb.DuckDBPyConnection, cells: str) -> list[str]:
    """Labels that may say that there is none. One of them may be a name or a code, so they are kept."""
    found = connection.execute(
        f"SELECT name, count(*), list(DISTINCT value ORDER BY value)[:3] FROM ({cells})"
        f" WHERE {absent('trim(value)', MISSING | {'nan'})} GROUP BY name ORDER BY name LIMIT {_NOTES}"
    ).fetchall()
    return [
        f"{name}: {'1 value is a word' if many == 1 else f'{many:,} values are words'} for a missing one"
        f" ({', '.join(map(_shown, words))}), kept as text; it counts as a value"
        for name, many, words in found
    ]


def _signs_apart(connection: duckdb.DuckDBPyConnection, cells: str, table: str, numbers: Sequence[str]) -> list[str]:
    """Columns of two words that say whether an amount goes out or in, where no amount says so itself."""
    found = connection.execute(
        f"SELECT name, list(DISTINCT trim(value) ORDER BY trim(value)) FROM ({cells}) GROUP BY name"
        " HAVING count(DISTINCT lower(trim(value))) = 2 ORDER BY name"
    ).fetchall()
    told = [(name, words) for name, words in found if frozenset(map(str.lower, words)) in _SIGNS]
    if not told or _with_minus(connection, table, numbers):
        return []
    return [
        f"{name}: its words ({', '.join(words)}) may be the signs of the amounts, which are written without any;"
        " sums over both add up what goes out and what comes in"
        for name, words in told
    ]


def _with_minus(connection: duckdb.DuckDBPyConnection, table: str, numbers: Sequence[str]) -> bool:
    asked = " OR ".join(f"min({quoted(name)}) < 0" for name in numbers)
    row = connection.execute(f"SELECT {asked} FROM {table}").fetchone()
    return bool(row and row[0])


def _labels(count: int) -> str:
    return "1 label is" if count == 1 else f"{count:,} labels are"


def _forms(connection: duckdb.DuckDBPyConnection, cells: str, texts: Sequence[str]) -> list[str]:
    """Letters that were encoded twice before the file was written; dates, times and numbers in a form that is not
    read, where half of a column's values or more have it."""
    # The patterns take longer to compile than all else that a small file needs, and plain words match none of them.
    if not connection.execute(
        f"SELECT 1 FROM ({cells}) WHERE regexp_matches(value, '[0-9&]|[^ -~]') LIMIT 1"
    ).fetchone():
        return []
    tests = [f"regexp_matches(value, {literal(sign)}) AS t{at}" for at, (_, sign) in enumerate(_SEEN_INSIDE)]
    tests += [
        f"regexp_full_match(trim(value), {literal(form)}) AS t{at}"
        for at, (_, form) in enumerate(_FORMS, len(_SEEN_INSIDE))
    ]
    counts = ", ".join(f"count_if(t{at}), min(CASE WHEN t{at} THEN value END)" for at in range(len(tests)))
    tested = f"SELECT name, value, {', '.join(tests)} FROM ({cells})"
    found = {
        str(row[0]): row[1:]
        for row in connection.execute(f"SELECT name, count(*), {counts} FROM ({tested}) GROUP BY name").fetchall()
    }
    notes: list[str] = []
    for name in (each for each in texts if each in found):
        total, *counted = found[name]
        inside, forms = counted[: 2 * len(_SEEN_INSIDE)], counted[2 * len(_SEEN_INSIDE) :]
        for (what, _), many, some in zip(_SEEN_INSIDE, inside[::2], inside[1::2], strict=True):
            if many:
                notes.append(f"{name}: values {what}, e.g. {_shown(some)}; kept so")
        for (what, _), many, some in zip(_FORMS, forms[::2], forms[1::2], strict=True):
            if 2 * many >= total:
                notes.append(f"{name}: its values {what}, e.g. {_shown(some)}; column kept as text")
                break
    return notes[:_NOTES]


def _continued(
    connection: duckdb.DuckDBPyConnection, numbered: tuple[str, str], names: Sequence[str], keys: Sequence[str]
) -> list[str]:
    """A first column of labels with blanks below each, as merged cells are saved in a text. `keys` are the columns that
    may hold labels."""
    if len(names) < 2 or names[0] not in keys:
        return []
    table, place = numbered
    first = quoted(names[0])
    row = connection.execute(
        f"SELECT count(*), count({first}), count(DISTINCT {first}), min_by({first} IS NULL, {place}),"
        f" count({quoted(names[1])}), max_by({first} IS NULL, {place}) FROM {table}"
    ).fetchone()
    if not row:
        return []
    rows, filled, labels, blank_first, beside, blank_last = row
    if filled == rows - 1 and blank_last:
        return []
    # Blanks here and there are missing values: here a quarter of the rows or more lack what no two others share.
    if blank_first or filled < 2 or 4 * filled > 3 * rows or labels < filled or beside < rows:
        return []
    return [f"{names[0]}: {rows - filled:,} rows have no label; the one above may stand for them, as in merged cells"]


def _days(connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str]) -> list[str]:
    """Numbers that programs write for days and moments: they are kept as numbers."""
    if not names:
        return []
    asked = ", ".join(
        f"min({name}), max({name}), count({name}) = count(try_strptime(CAST({name} AS VARCHAR), '%Y%m%d')),"
        f" count({name}) = count_if({name} BETWEEN 1 AND 32 AND {name} % 1 BETWEEN 0.01 AND 0.12)"
        for name in map(quoted, names)
    )
    row = connection.execute(f"SELECT {asked} FROM {table}").fetchone() or ()
    notes: list[str] = []
    for name, least, most, days, of_year in zip(names, row[::4], row[1::4], row[2::4], row[3::4], strict=True):
        if least is None:
            continue
        if of_year and _NAMED.search(name):
            notes.append(f"{name}: its numbers may be days without a year (day.month), e.g. {least}; kept as numbers")
            continue
        for what, begin, end in _MOMENTS:
            compact = what is _COMPACT
            if begin <= least and most <= end and (days if compact else _NAMED.search(name)):
                numbers = "numbers" if "." in str(least) else "whole numbers"
                notes.append(f"{name}: its {numbers} may be {what}, e.g. {least}; kept as numbers")
                break
    return notes


def _adds_up(
    connection: duckdb.DuckDBPyConnection,
    numbered: tuple[str, str],
    names: Sequence[str],
    numbers: Sequence[str],
    rows: int,
) -> list[str]:
    """A last or first row whose figures are the sums of all others, whatever it is called."""
    if not numbers:
        return []
    table, place = numbered
    wide = [f"CAST({quoted(name)} AS DOUBLE)" for name in numbers]
    # CASE, because each FILTER holds a copy of all columns: two hundred of them took more memory than a reader has.
    ends = [f"{place} = {rows - 1}", f"{place} = 0"]
    asked = ", ".join(
        f"sum({value}), {', '.join(f'sum(CASE WHEN {end} THEN {value} END)' for end in ends)}" for value in wide
    )
    labels = ", ".join(f"max(CAST({quoted(names[0])} AS VARCHAR)) FILTER ({end})" for end in ends)
    last, first, *sums = connection.execute(f"SELECT {labels}, {asked} FROM {table}").fetchone() or (None, None)
    for which, label, own in (("last", last, sums[1::3]), ("first", first, sums[2::3])):
        pairs = {name: (every, one) for name, every, one in zip(numbers, sums[::3], own, strict=True) if one}
        wrong = {name for name, (every, one) in pairs.items() if abs(every - 2 * one) > 0.005}
        # A last row without a label may have means beside its sums.
        if len(wrong) == len(pairs) or (wrong and (which == "first" or label is not None)):
            continue
        pairs = {name: pair for name, pair in pairs.items() if name not in wrong}
        small = max(abs(one) for _, one in pairs.values()) < _BY_CHANCE
        few_rows = _FEW_ROWS if label is not None else _FEW_ROWS - 1
        if len(pairs) < 2 and (rows <= few_rows or (rows <= _SURE_ROWS and small)):
            continue
        shown = f" ({_shown(str(label))})" if label is not None else ""
        others = "all above it" if which == "last" else "all below it"
        columns = ", ".join(list(pairs)[:3])
        return [f"the {which} row{shown} holds the sums of {others} in {columns}; kept as a row, so sums count twice"]
    return []


def _inner_sums(
    connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str], numbers: Sequence[str]
) -> list[str]:
    """Rows inside the table that hold the sums of rows next to them."""
    if not numbers:
        return []
    asked = ", ".join(f"CAST({quoted(name)} AS DOUBLE)" for name in numbers)
    rows = connection.execute(f"SELECT CAST({quoted(names[0])} AS VARCHAR), {asked} FROM {table}").fetchall()
    found = inner_sums([row[1:] for row in rows])
    if not found:
        return []
    shown = ", ".join(_shown(str(rows[place][0] or f"row {place + 1}")) for place in found[:3])
    what = "1 row holds" if len(found) == 1 else f"{len(found):,} rows hold"
    return [f"{what} the sums of neighbours ({shown}); kept as rows, so sums over the whole table count twice"]


def _shown(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:39] + "…")
