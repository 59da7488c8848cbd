"""Decides a column's type from every value in it, and writes the SQL that casts it while checking each value again.

Each value falls into exactly one lexical class; a column has a type only when the classes of *all* its values allow it.
The cast checks every value once more and stops the reading at the first that does not fit, so types may be guessed from
a part of a large file without ever being wrong for the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_NUMBERS = ("int", "decimal", "exponent")
_DATES = ("date", "slashed", "ymd", "named")
_TIMES = ("timestamp", "zoned")
MAX_FRACTION = 6
_DOUBLE_DIGITS = 17
_HUGEINT_DIGITS = 38

_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?"
_ISO_TIME = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[ T]{_TIME}"
_PLAIN = r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)"
_ZEROS = r"-?0[0-9]+(\.[0-9]*)?"
# Unsigned exponents without a point ('1E5') are far more often product codes than numbers.
_EXPONENT = r"-?[0-9]+(\.[0-9]*[eE][-+]?[0-9]+|[eE][-+][0-9]+)"
_ZONED = _ISO_TIME + r"(Z|[-+][0-9]{2}:[0-9]{2})"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_YEAR_FIRST_DAY = r"[0-9]{4}[/.][0-9]{1,2}[/.][0-9]{1,2}"
_NAMED = r"([0-9]{1,2}(\. ?|[ -]))?[A-Za-z]{3,9}[ -]([0-9]{1,2},? )?[0-9]{4}"
_SLASHED = r"[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{4}"
_CURRENCY = (
    r"([$€£¥₹₺₽₩]|R\$|kr|Kč|zł|Ft|CHF|USD|EUR|GBP|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|BRL|MXN|ZAR|"
    r"SGD|HKD|KRW|THB|AED|SAR|ILS)"
)
# What people read as a number and DuckDB does not: $5.00, 1,234.50, (12.00), 10 %, 1.234,56, EUR 9, 5-
_MARKED = rf"[-+(]?\s*{_CURRENCY}?\s*[-+]?[0-9][0-9.,'’   ]*\s*(%|{_CURRENCY})?\s*\)?-?"
_DECIMAL_COMMA = r"[^0-9]*([0-9]{1,3}(\.[0-9]{3})*|[0-9]+),([0-9]{1,2}|[0-9]{4,})[^0-9]*"
_LIKE_THOUSANDS = r"-?[1-9][0-9]{0,2}\.[0-9]{3}"
_INTEGER = r"0|-?[1-9][0-9]*"
NAMED_FORMATS = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%b %d %Y", "%d-%b-%Y", "%d. %B %Y")
_DAY_FIRST = ("%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y")
_MONTH_FIRST = ("%m/%d/%Y", "%m.%d.%Y", "%m-%d-%Y")
_YEAR_FIRST = ("%Y/%m/%d", "%Y.%m.%d")


def quoted(name: str) -> str:
    """An identifier for DuckDB."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A string literal for DuckDB."""
    return "'" + text.replace("'", "''") + "'"


def parquet_table(path: Path) -> str:
    """SQL: exactly this Parquet file as a table; nothing is made up from its path."""
    return f"read_parquet({literal(str(path))}, hive_partitioning = false)"


def _matches(value: str, pattern: str) -> str:
    return f"regexp_full_match({value}, {literal(pattern)})"


def _any_format(value: str, formats: tuple[str, ...]) -> str:
    return f"try_strptime({value}, [{', '.join(literal(each) for each in formats)}])"


def class_of(value: str) -> str:
    """SQL: the lexical class of a VARCHAR expression that is already trimmed and not NULL. Cheap tests guard the dear
    ones: most values are told from their length and one or two of their characters."""
    iso_day = f"{value}[5] = '-' AND {value}[8] = '-'"
    after_digit = _cases(
        ("decimal", _matches(value, _PLAIN)),
        ("date", f"{iso_day} AND strlen({value}) = 10 AND {_round_trip(value, 'DATE')}"),
        ("timestamp", f"{iso_day} AND {_matches(value, _ISO_TIME)} AND TRY_CAST({value} AS TIMESTAMP) IS NOT NULL"),
        ("zoned", f"{iso_day} AND {_matches(value, _ZONED)} AND {_utc(value)} IS NOT NULL"),
        ("zeros", _matches(value, _ZEROS)),
        ("exponent", f"{_matches(value, _EXPONENT)} AND {_finite(value)}"),
        ("slashed", _matches(value, _SLASHED)),
        ("ymd", f"{_matches(value, _YEAR_FIRST_DAY)} AND {_any_format(value, _YEAR_FIRST)} IS NOT NULL"),
        ("named", f"{_matches(value, _NAMED)} AND {_any_format(value, NAMED_FORMATS)} IS NOT NULL"),
        ("marked", _matches(value, _MARKED)),
    )
    after_letter = _cases(
        ("boolean", f"strlen({value}) < 6 AND lower({value}) IN ('true', 'false')"),
        (
            "named",
            f"{_ends_in_digit(value)} AND {_matches(value, _NAMED)}"
            f" AND {_any_format(value, NAMED_FORMATS)} IS NOT NULL",
        ),
        ("marked", f"{_ends_in_digit(value)} AND {_matches(value, _MARKED)}"),
    )
    return (
        f"CASE WHEN {value} = '' THEN 'blank'"
        f" WHEN {value} >= 'A' AND {value} < '{{' THEN {after_letter}"
        f" WHEN {_round_trip(value, 'BIGINT')} OR {_matches(value, _INTEGER)} THEN 'int'"
        f" WHEN {value} < ':' AND {value} >= '+' THEN {after_digit}"
        f" WHEN {_matches(value, _MARKED)} THEN 'marked' ELSE 'word' END"
    )


def _cases(*tests: tuple[str, str]) -> str:
    return "CASE " + " ".join(f"WHEN {test} THEN '{name}'" for name, test in tests) + " ELSE 'word' END"


def _round_trip(value: str, kind: str) -> str:
    return f"coalesce(CAST(TRY_CAST({value} AS {kind}) AS VARCHAR) = {value}, false)"


def _ends_in_digit(value: str) -> str:
    return f"{value}[-1] BETWEEN '0' AND '9'"


def _finite(value: str) -> str:
    return f"coalesce(isfinite(TRY_CAST({value} AS DOUBLE)), false)"


def _utc(value: str) -> str:
    return f"(TRY_CAST({value} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')"


@dataclass(frozen=True, slots=True)
class Facts:
    """What all looked-at values of one column have in common. `classes` counts them by lexical class, NULLs left out.

    `padded` have blanks around them; `beyond` are whole numbers outside 64 bits; `pointed` have a decimal point, and
    `like_thousands` of these three digits behind it, so that it could mark thousands; `decimal_commas` have a comma
    that can only be a decimal comma. `fraction`, `whole` and `digits` are the most digits behind the point, before it,
    and that carry meaning; `first_part` and `second_part` the largest of the two short parts of slashed dates."""

    classes: Mapping[str, int] = field(default_factory=dict[str, int])
    padded: int = 0
    beyond: int = 0
    like_thousands: int = 0
    pointed: int = 0
    decimal_commas: int = 0
    fraction: int = 0
    whole: int = 0
    digits: int = 0
    first_part: int = 0
    second_part: int = 0

    def count(self, *classes: str) -> int:
        return sum(self.classes.get(each, 0) for each in classes)

    @property
    def values(self) -> int:
        """Values that are neither NULL nor blank."""
        return sum(self.classes.values()) - self.count("blank")


def facts_sql(source: str) -> str:
    """SQL: one row for each column of `source` that holds any value, its name first; see `facts_from`. Columns are
    turned into rows, so that the plan stays small however wide the table is."""
    number = "k IN ('int', 'decimal')"
    point = "strpos(t, '.')"

    def largest(test: str, value: str) -> str:
        return f"max(CASE WHEN {test} THEN {value} END)"

    def part(which: int) -> str:
        return largest("k = 'slashed'", f"TRY_CAST(regexp_extract(t, '([0-9]+).([0-9]+)', {which}) AS INT)")

    wanted = (
        "histogram(k)",
        "count_if(v <> t)",
        "count_if(k = 'int' AND TRY_CAST(t AS BIGINT) IS NULL)",
        f"count_if(k = 'decimal' AND {_matches('t', _LIKE_THOUSANDS)})",
        f"count_if(k = 'decimal' AND {point} > 0)",
        f"count_if(k = 'marked' AND {_matches('t', _DECIMAL_COMMA)})",
        largest(f"k = 'decimal' AND {point} > 0", f"strlen(t) - {point}"),
        largest(number, "strlen(ltrim(split_part(t, '.', 1), '-'))"),
        largest("k = 'decimal'", "strlen(ltrim(replace(replace(t, '-', ''), '.', ''), '0'))"),
        part(1),
        part(2),
    )
    cells = f"UNPIVOT (FROM {source}) ON COLUMNS(*) INTO NAME name VALUE value"
    rows = f"SELECT name, value AS v, trim(value) AS t FROM ({cells})"
    return f"SELECT name, {', '.join(wanted)} FROM (SELECT *, {class_of('t')} AS k FROM ({rows})) GROUP BY name"


def facts_from(row: Sequence[Any]) -> tuple[str, Facts]:
    """(column, facts) from one row of `facts_sql`."""
    name, classes, *numbers = row
    counted: Mapping[str, int] = classes or {}
    return str(name), Facts(counted, *(int(number or 0) for number in numbers))


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A decided type and the note that goes with it. `settled` is False when more values could still make a type out of
    a column that is text so far (nothing in it yet, or dates whose order nothing has decided)."""

    name: str
    note: str = ""
    settled: bool = True
    trim: bool = False
    formats: tuple[str, ...] = ()
    whole: int = 0
    fraction: int = 0
    zoned: bool = False


TEXT = ColumnType("VARCHAR")


def decide(facts: Facts, *, comma_land: bool) -> ColumnType:
    """The type that fits every value, or VARCHAR. `comma_land`: other signs in the file say that the point may mark
    thousands here (a column with decimal commas, semicolons between values)."""
    total = facts.values
    trim = facts.padded > 0
    if not total:
        return ColumnType("VARCHAR", settled=False)
    if facts.count(*_NUMBERS) == total:
        return _number(facts, trim, comma_land)
    if facts.count("boolean") == total:
        return ColumnType("BOOLEAN", trim=trim)
    if facts.count(*_DATES) == total:
        return _date(facts, trim)
    if facts.count("date", "timestamp") == total:
        return ColumnType("TIMESTAMP", trim=trim)
    if facts.count("zoned") == total:
        return ColumnType("TIMESTAMP", "times with an offset are turned into UTC", trim=trim, zoned=True)
    return TEXT


def _number(facts: Facts, trim: bool, comma_land: bool) -> ColumnType:
    whole, fraction = facts.whole, facts.fraction
    if facts.count("int") == facts.values:
        if whole > _HUGEINT_DIGITS:
            return ColumnType("VARCHAR", f"kept as text: whole numbers of up to {whole} digits fit no number type")
        return ColumnType("HUGEINT" if facts.beyond else "BIGINT", trim=trim)
    if facts.count("exponent") or fraction > MAX_FRACTION or whole + fraction > _HUGEINT_DIGITS:
        lossy = facts.digits > _DOUBLE_DIGITS
        note = f"values of up to {facts.digits} digits are rounded to floating point" if lossy else ""
        return ColumnType("DOUBLE", note, trim=trim)
    doubtful = facts.pointed > 0 and facts.like_thousands == facts.pointed
    if doubtful and comma_land:
        return ColumnType("VARCHAR", "the point may mark thousands or decimals (three digits follow it); kept as text")
    note = "every point has three digits behind it; read as decimals, not as thousands" if doubtful else ""
    width = 18 if whole + fraction <= 18 else 38
    return ColumnType(
        f"DECIMAL({width},{fraction})", note, not doubtful, trim, whole=width - fraction, fraction=fraction
    )


def _date(facts: Facts, trim: bool) -> ColumnType:
    formats: tuple[str, ...] = ()
    notes: list[str] = []
    if facts.count("slashed"):
        day_first, month_first = facts.first_part > 12, facts.second_part > 12
        if day_first == month_first:
            return ColumnType("VARCHAR", settled=day_first)
        formats += _DAY_FIRST if day_first else _MONTH_FIRST
        notes.append(f"dates read {'day first (d/m/y)' if day_first else 'month first (m/d/y)'}, as its values decide")
    if facts.count("ymd"):
        formats += _YEAR_FIRST
    if facts.count("named"):
        formats += NAMED_FORMATS
    if len(formats) and facts.count("date"):
        formats += ("%Y-%m-%d",)
    return ColumnType("DATE", "; ".join(notes), trim=trim, formats=formats)


def cast_sql(name: str, kind: ColumnType, *, proved: bool) -> str:
    """SQL: the column cast to its type. Unless all values are `proved` to fit, one that does not stops the query with
    an error that names the column. Cells of blanks only are NULL except in text."""
    if kind.name == "VARCHAR":
        return quoted(name)
    value = f"trim({quoted(name)})" if kind.trim else quoted(name)
    empty = f"{value} IS NULL OR {value} = ''" if kind.trim else f"{value} IS NULL"
    fits, cast = _fit(value, kind)
    if proved:
        return (
            f"CASE WHEN {empty} THEN NULL ELSE {cast} END AS {quoted(name)}"
            if kind.trim
            else f"{cast} AS {quoted(name)}"
        )
    failed = f"error({literal(MISFIT + name)})"
    return f"CASE WHEN {empty} THEN NULL WHEN {fits} THEN {cast} ELSE {failed} END AS {quoted(name)}"


MISFIT = "footnote-misfit: "


def _fit(value: str, kind: ColumnType) -> tuple[str, str]:
    """(test, cast): the test is true only where the cast loses nothing."""
    cast = f"TRY_CAST({value} AS {kind.name})"
    if kind.name in ("BIGINT", "HUGEINT"):
        return f"CAST({cast} AS VARCHAR) = {value}", cast
    if kind.name.startswith("DECIMAL"):
        before = rf"0|[1-9][0-9]{{0,{kind.whole - 1}}}" if kind.whole else "0"
        fraction = rf"|\.[0-9]{{1,{kind.fraction}}}" if kind.fraction else ""
        return _matches(value, rf"-?(({before})(\.[0-9]{{0,{kind.fraction}}})?{fraction})"), cast
    if kind.name == "DOUBLE":
        return f"({_matches(value, _PLAIN)} OR {_matches(value, _EXPONENT)}) AND {_finite(value)}", cast
    if kind.name == "BOOLEAN":
        return f"lower({value}) IN ('true', 'false')", f"lower({value}) = 'true'"
    if kind.name == "DATE" and not kind.formats:
        return f"strlen({value}) = 10 AND CAST({cast} AS VARCHAR) = {value}", cast
    if kind.name == "DATE":
        parsed = _any_format(value, kind.formats)
        return f"{_matches(value, r'.*[0-9]{4}|[0-9]{4}.*')} AND {parsed} IS NOT NULL", f"CAST({parsed} AS DATE)"
    if kind.zoned:
        return f"{_matches(value, _ZONED)} AND {_utc(value)} IS NOT NULL", _utc(value)
    pattern = rf"{_DAY}([ T]{_TIME})?"
    return f"{_matches(value, pattern)} AND {cast} IS NOT NULL", cast
