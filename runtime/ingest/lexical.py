"""Sorts values into lexical classes, each value into exactly one, and counts them for every column of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TIME = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?"
_ISO_TIME = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[ T]{TIME}"
PLAIN = r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)"
_ZEROS = r"-?0[0-9]+(\.[0-9]*)?"
# Unsigned exponents without a point ('1E5') are far more often product codes than numbers.
EXPONENT = r"-?[0-9]+(\.[0-9]*[eE][-+]?[0-9]+|[eE][-+][0-9]+)"
ZONED = _ISO_TIME + r"(Z|[-+][0-9]{2}:[0-9]{2})"
DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_YEAR_FIRST_DAY = r"[0-9]{4}[/.][0-9]{1,2}[/.][0-9]{1,2}"
WITH_YEAR = r".*[0-9]{4}|[0-9]{4}.*"
_NAMED = r"([0-9]{1,2}(\. ?|[ -]))?[A-Za-z]{3,9}[ -]([0-9]{1,2},? )?[0-9]{4}"
_SLASHED = r"[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{4}"
_CLOCK = r" [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?( [AaPp][Mm])?"
MOMENT = _SLASHED + _CLOCK
DAY_OR_MOMENT = rf"{_SLASHED}({_CLOCK})?"
_SHORT = rf"(0?[1-9]|[12][0-9]|3[01])[/.-](0?[1-9]|[12][0-9]|3[01])[/.-][0-9]{{2}}({_CLOCK})?"
CURRENCY = (
    r"([$€£¥￥円元₹₺₽₩₪₫₴฿]|(R|US|A|C|HK|NT|S)\$|Rs\.?|kr|Kč|zł|Ft|CHF|USD|EUR|GBP|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|BRL|MXN|ZAR|"
    r"SGD|HKD|KRW|THB|AED|SAR|ILS)"
)
# What people read as a number and DuckDB does not: $5.00, 1,234.50, (12.00), 10 %, 1.234,56, EUR 9, 5-
_MARKED = (
    rf"[-+−(]?\s*{CURRENCY}?\s*[-+−]?[.,]?[0-9][0-9.,'’ \x{{00A0}}\x{{202F}}\x{{2009}}]*\s*(%|{CURRENCY})?\s*\)?[-−]?"
)
# What spreadsheets are told so that they keep a text as it is: ="00123"
_TOLD = r'="[^"]*"'
_SCALED = (
    rf"[-+−(]?\s*{CURRENCY}?\s*[0-9][0-9.,]*\s?"
    r"([KkMB]|[Mm]n|[Mm]io\.?|[Bb]n|[Mm]rd\.?|[Tt]housand|[Mm]illions?|[Bb]illions?)\)?"
)
_DECIMAL_COMMA = r"[^0-9]*([0-9]{1,3}(\.[0-9]{3})*|[0-9]+),([0-9]{1,2}|[0-9]{4,})[^0-9]*"
_LIKE_THOUSANDS = r"-?[1-9][0-9]{0,2}\.[0-9]{3}"
MISSING = frozenset(
    "n/a|na|n.a.|n.a|null|none|nil|-|--|---|–|—|.|..|?|tbd|tba|missing|unknown|not available|k.a.|#n/a|#na|#value!|"
    r"$ -|$-|€ -|- €|£ -|£-|¥ -|#ref!|#div/0!|#null!|#num!|#name?|<na>|(null)|(blank)|\n".split("|")
)
"""What people write for a value that is not there, in lower case. Only beside numbers, dates or truth values is it read
as missing: in a column of words it may be one of them."""
NOT_FINITE = frozenset(("nan", "inf", "-inf", "+inf", "infinity", "-infinity", "+infinity", "1.#qnan", "1.#inf"))
_ABSENT_BYTES = max(len(each.encode()) for each in MISSING | NOT_FINITE)
NUMERIC = ("int", "decimal", "exponent", "zeros", "marked")
DATED = ("date", "timestamp", "zoned", "slashed", "moment", "short", "ymd", "named")
_INTEGER = r"0|-?[1-9][0-9]*"
NAMED_FORMATS = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%b %d %Y", "%d-%b-%Y", "%d. %B %Y")
DAY_FIRST = ("%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y")
MONTH_FIRST = ("%m/%d/%Y", "%m.%d.%Y", "%m-%d-%Y")
YEAR_FIRST = ("%Y/%m/%d", "%Y.%m.%d")
_CLOCKS = (" %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")


def quoted(name: str) -> str:
    """An identifier for DuckDB."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A string literal for DuckDB."""
    return "'" + text.replace("'", "''") + "'"


def parquet_table(path: Path) -> str:
    """SQL: exactly this Parquet file as a table; nothing is made up from its path."""
    return f"read_parquet({literal(str(path))}, hive_partitioning = false)"


def numbered_rows(path: Path, names: Sequence[str]) -> tuple[str, str]:
    """SQL: as `parquet_table`, and the name of a column with each row's place (from 0), whatever `names` the table
    has. Blocks of rows that a bound on the place rules out are not read."""
    numbers = "file_row_number"
    if numbers not in {name.casefold() for name in names}:
        return parquet_table(path), numbers
    apart = numbers + "_" * (1 + max(map(len, names)))
    return f"(SELECT *, row_number() OVER () - 1 AS {apart} FROM {parquet_table(path)})", apart


def matches(value: str, pattern: str) -> str:
    """SQL: whether the whole text matches the pattern (RE2)."""
    return f"regexp_full_match({value}, {literal(pattern)})"


def any_format(value: str, formats: tuple[str, ...]) -> str:
    """SQL: the moment that a text names in one of the formats, else NULL."""
    return f"try_strptime({value}, [{', '.join(literal(each) for each in formats)}])"


def with_clock(days: tuple[str, ...]) -> tuple[str, ...]:
    """The formats of days, and of times on these days."""
    return days + tuple(day + clock for day in days for clock in _CLOCKS)


def class_of(value: str) -> str:
    """SQL: the lexical class of a VARCHAR expression that is already trimmed and not NULL. Cheap tests guard the dear
    ones: most values are told from their length and one or two of their characters."""
    iso_day = f"{value}[5] = '-' AND {value}[8] = '-'"
    letter = f"{value} >= 'A' AND {value} < '{{'"
    after_digit = _cases(
        ("decimal", matches(value, PLAIN)),
        ("date", f"{iso_day} AND strlen({value}) = 10 AND {_round_trip(value, 'DATE')}"),
        ("timestamp", f"{iso_day} AND {matches(value, _ISO_TIME)} AND TRY_CAST({value} AS TIMESTAMP) IS NOT NULL"),
        ("zoned", f"{iso_day} AND {matches(value, ZONED)} AND {utc(value)} IS NOT NULL"),
        ("zeros", matches(value, _ZEROS)),
        ("exponent", f"{matches(value, EXPONENT)} AND {_finite(value)}"),
        ("slashed", matches(value, _SLASHED)),
        ("moment", matches(value, MOMENT)),
        ("short", matches(value, _SHORT)),
        ("ymd", f"{matches(value, _YEAR_FIRST_DAY)} AND {any_format(value, YEAR_FIRST)} IS NOT NULL"),
    )
    named = f"{matches(value, _NAMED)} AND {any_format(value, NAMED_FORMATS)} IS NOT NULL"
    told = (
        f"CASE WHEN {value} = '' THEN 'blank' WHEN {absent(value)} THEN 'missing'"
        f" WHEN {letter} THEN CASE WHEN strlen({value}) < 6 AND lower({value}) IN ('true', 'false') THEN 'boolean' END"
        f" WHEN {_round_trip(value, 'BIGINT')} OR {matches(value, _INTEGER)} THEN 'int'"
        f" WHEN {value} < ':' AND {value} >= '+' THEN {after_digit} END"
    )
    # The dearest patterns come last and once: a pattern costs most when it is compiled, for each place it stands in.
    rest = (
        f"CASE WHEN {letter} AND NOT {_ends_in_digit(value)} THEN 'word' WHEN {named} THEN 'named'"
        f" WHEN {matches(value, _MARKED)} THEN 'marked' WHEN {value}[1] = '=' AND {matches(value, _TOLD)}"
        f" THEN 'told' WHEN NOT {_ends_in_digit(value)} AND {matches(value, _SCALED)} THEN 'scaled' ELSE 'word' END"
    )
    return f"coalesce({told}, {rest})"


def _cases(*tests: tuple[str, str]) -> str:
    return "CASE " + " ".join(f"WHEN {test} THEN '{name}'" for name, test in tests) + " END"


def absent(value: str, among: frozenset[str] = MISSING | NOT_FINITE) -> str:
    """SQL: whether a trimmed text stands for a value that is not there, by these words in lower case."""
    words = ", ".join(literal(each) for each in sorted(among))
    return f"(strlen({value}) <= {_ABSENT_BYTES} AND lower({value}) IN ({words}))"


def _round_trip(value: str, kind: str) -> str:
    return f"coalesce(CAST(TRY_CAST({value} AS {kind}) AS VARCHAR) = {value}, false)"


def _ends_in_digit(value: str) -> str:
    return f"{value}[-1] BETWEEN '0' AND '9'"


def _finite(value: str) -> str:
    return f"coalesce(isfinite(TRY_CAST({value} AS DOUBLE)), false)"


def untold(value: str) -> str:
    """SQL: the text that a cell tells a spreadsheet to keep (="00123"), other text as it is."""
    return f"CASE WHEN {matches(f'trim({value})', _TOLD)} THEN trim({value})[3:-2] ELSE {value} END"


def utc(value: str) -> str:
    """SQL: a time with an offset as a time in UTC, else NULL."""
    return f"(TRY_CAST({value} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')"


@dataclass(frozen=True, slots=True)
class Facts:
    """What all looked-at values of one column have in common. `classes` counts them by lexical class, NULLs left out.

    `padded` have blanks around them; `beyond` are whole numbers outside 64 bits; `pointed` have a decimal point, and
    `like_thousands` of these three digits behind it, so that it could mark thousands; `zero_ended` have a zero as the
    last of two digits or more behind it; `decimal_commas` have a comma that can only be a decimal comma. `fraction`,
    `whole` and `digits` are the most digits behind the point, before it, and that carry meaning, `least_fraction` the
    fewest behind a point; `first_part` and `second_part` the largest of the two short parts of slashed dates, with a
    time of day or without; `as_day_first` and `as_month_first` how many of them are days of the calendar, read so."""

    classes: Mapping[str, int] = field(default_factory=dict[str, int])
    padded: int = 0
    beyond: int = 0
    like_thousands: int = 0
    pointed: int = 0
    zero_ended: int = 0
    decimal_commas: int = 0
    fraction: int = 0
    least_fraction: int = 0
    whole: int = 0
    digits: int = 0
    first_part: int = 0
    second_part: int = 0
    as_day_first: int = 0
    as_month_first: int = 0

    def count(self, *classes: str) -> int:
        return sum(self.classes.get(each, 0) for each in classes)

    @property
    def values(self) -> int:
        """Values that are neither NULL, nor blank, nor a word for a missing value."""
        return sum(self.classes.values()) - self.count("blank", "missing")


def facts_sql(source: str) -> str:
    """SQL: one row for each column of `source` that holds any value, its name first; see `facts_from`. Columns are
    turned into rows, so that the plan stays small however wide the table is."""
    number = "k IN ('int', 'decimal')"
    slashed = "k IN ('slashed', 'moment')"
    point = "strpos(t, '.')"

    def largest(test: str, value: str) -> str:
        return f"max(CASE WHEN {test} THEN {value} END)"

    def part(which: int) -> str:
        return largest(slashed, f"TRY_CAST(regexp_extract(t, '([0-9]+).([0-9]+)', {which}) AS INT)")

    def fitting(days: tuple[str, ...]) -> str:
        return f"count(CASE WHEN {slashed} THEN {any_format('t', with_clock(days))} END)"

    wanted = (
        "histogram(k)",
        "count_if(v <> t)",
        "count_if(k = 'int' AND TRY_CAST(t AS BIGINT) IS NULL)",
        f"count_if(k = 'decimal' AND {matches('t', _LIKE_THOUSANDS)})",
        f"count_if(k = 'decimal' AND {point} > 0)",
        f"count_if(k = 'decimal' AND {point} BETWEEN 1 AND strlen(t) - 2 AND t[-1] = '0')",
        f"count_if(k = 'marked' AND {matches('t', _DECIMAL_COMMA)})",
        largest(f"k = 'decimal' AND {point} > 0", f"strlen(t) - {point}"),
        f"min(CASE WHEN k = 'decimal' AND {point} > 0 THEN strlen(t) - {point} END)",
        largest(number, "strlen(ltrim(split_part(t, '.', 1), '-'))"),
        largest("k = 'decimal'", "strlen(ltrim(replace(replace(t, '-', ''), '.', ''), '0'))"),
        part(1),
        part(2),
        fitting(DAY_FIRST),
        fitting(MONTH_FIRST),
    )
    cells = f"UNPIVOT (FROM {source}) ON COLUMNS(*) INTO NAME name VALUE value"
    rows = f"SELECT name, value AS v, trim(value) AS t FROM ({cells})"
    return f"SELECT name, {', '.join(wanted)} FROM (SELECT *, {class_of('t')} AS k FROM ({rows})) GROUP BY name"


def facts_from(row: Sequence[Any]) -> tuple[str, Facts]:
    """(column, facts) from one row of `facts_sql`."""
    name, classes, *numbers = row
    counted: Mapping[str, int] = classes or {}
    return str(name), Facts(counted, *(int(number or 0) for number in numbers))


def shapes_sql(source: str, names: Sequence[str]) -> str:
    """SQL: (column, shape, count, smallest example) over the columns `names`, which hold few shapes. A shape is a value
    with each digit as 9, but the first as 0 when it is a zero."""
    columns = ", ".join(quoted(name) for name in names)
    cells = f"UNPIVOT (SELECT {columns} FROM {source}) ON COLUMNS(*) INTO NAME name VALUE value"
    nines = "regexp_replace(t, '[0-9]', '9', 'g')"
    shape = f"CASE WHEN regexp_matches(t, '^[^0-9]*0') THEN regexp_replace({nines}, '9', '0') ELSE {nines} END"
    return (
        f"SELECT name, s, count(*), min(t) FROM (SELECT name, t, {shape} AS s FROM"
        f" (SELECT name, trim(value) AS t FROM ({cells})) WHERE t <> '') GROUP BY name, s ORDER BY name, s LIMIT 20000"
    )
