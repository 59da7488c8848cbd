"""Decides a column's type from every value in it, and writes the SQL that casts it while checking each value again.

Each value falls into exactly one lexical class; a column has a type only when the classes of *all* its values allow it.
The cast checks every value once more and stops the reading at the first that does not fit, so types may be guessed from
a part of a large file without ever being wrong for the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

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
_NAMED = r".*[A-Za-z].*[0-9]{4}"
_MAY_BE_VALUE = r".*[0-9].*|[TtFf][A-Za-z]{3,4}"
_SLASHED = r"[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{4}"
_MARKED = (
    r"[-+(]?\s*([A-Z]{3}|[$€£¥₹])?\s*[-+]?[0-9][0-9.,'’  ]*\s*(%|[$€£¥₹]|[A-Z]{3})?\s*\)?-?"  # $5.00, 1,234.50, (12.00)
)
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
    """SQL: the lexical class of a VARCHAR expression that is already trimmed and not NULL."""
    tests = (
        ("blank", f"{value} = ''"),
        # Most words end here cheaply: no class below begins with a letter, except dates, booleans and currency codes.
        ("word", f"{value} > ':' AND NOT {_matches(value, _MAY_BE_VALUE)}"),
        ("int", _matches(value, "0|-?[1-9][0-9]*")),
        ("decimal", _matches(value, _PLAIN)),
        ("zeros", _matches(value, _ZEROS)),
        ("date", f"{_matches(value, _DAY)} AND TRY_CAST({value} AS DATE) IS NOT NULL"),
        ("timestamp", f"{_matches(value, _ISO_TIME)} AND TRY_CAST({value} AS TIMESTAMP) IS NOT NULL"),
        ("zoned", f"{_matches(value, _ZONED)} AND {_utc(value)} IS NOT NULL"),
        ("boolean", f"lower({value}) IN ('true', 'false')"),
        ("exponent", f"{_matches(value, _EXPONENT)} AND {_finite(value)}"),
        ("slashed", _matches(value, _SLASHED)),
        ("ymd", f"{_matches(value, _YEAR_FIRST_DAY)} AND {_any_format(value, _YEAR_FIRST)} IS NOT NULL"),
        ("named", f"{_matches(value, _NAMED)} AND {_any_format(value, NAMED_FORMATS)} IS NOT NULL"),
        ("marked", _matches(value, _MARKED)),
    )
    return "CASE " + " ".join(f"WHEN {test} THEN '{name}'" for name, test in tests) + " ELSE 'word' END"


def _finite(value: str) -> str:
    return f"coalesce(isfinite(TRY_CAST({value} AS DOUBLE)), false)"


def _utc(value: str) -> str:
    return f"(TRY_CAST({value} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')"


@dataclass(frozen=True, slots=True)
class Facts:
    """What all looked-at values of one column have in common. `classes` counts them by lexical class, NULLs left out;
    `beyond` counts
    whole numbers outside 64 bits; `fraction` and `whole` are the most digits behind and before the point; `digits` the most that carry meaning;
    `first_part` and `second_part` the largest of the two short parts of slashed dates."""

    classes: Mapping[str, int] = field(default_factory=dict[str, int])
    padded: int = 0
    beyond: int = 0
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


def facts_sql(columns: tuple[str, ...], source: str) -> str:
    """SQL: one row with eight fields for each column, in order; see `facts_from`."""
    trimmed = ", ".join(
        f"{quoted(name)} AS v{place}, trim({quoted(name)}) AS t{place}" for place, name in _each(columns)
    )
    classed = ", ".join(
        f"v{place}, t{place}, CASE WHEN t{place} IS NOT NULL THEN {class_of(f't{place}')} END AS k{place}"
        for place, _ in _each(columns)
    )
    wanted = ", ".join(_aggregates(f"v{place}", f"t{place}", f"k{place}") for place, _ in _each(columns))
    return f"SELECT {wanted} FROM (SELECT {classed} FROM (SELECT {trimmed} FROM {source}))"


def _each(columns: tuple[str, ...]) -> list[tuple[int, str]]:
    return list(enumerate(columns))


def _aggregates(value: str, trimmed: str, kind: str) -> str:
    number = f"{kind} IN ('int', 'decimal')"
    point = f"strpos({trimmed}, '.')"
    significant = f"strlen(ltrim(replace(replace({trimmed}, '-', ''), '.', ''), '0'))"
    before = f"strlen(ltrim(split_part({trimmed}, '.', 1), '-'))"

    def part(which: int) -> str:
        return (
            f"max(TRY_CAST(regexp_extract({trimmed}, '([0-9]+).([0-9]+)', {which}) AS INT)) FILTER ({kind} = 'slashed')"
        )

    return ", ".join(
        (
            f"histogram({kind})",
            f"count_if({value} <> {trimmed})",
            f"count_if({kind} = 'int' AND TRY_CAST({trimmed} AS BIGINT) IS NULL)",
            f"max(strlen({trimmed}) - {point}) FILTER ({kind} = 'decimal' AND {point} > 0)",
            f"max({before}) FILTER ({number})",
            f"max({significant}) FILTER ({number})",
            part(1),
            part(2),
        )
    )


FACT_FIELDS = 8


def facts_from(row: tuple[object, ...], place: int) -> Facts:
    """The facts of the column at `place` from the row that `facts_sql` gives."""
    classes, padded, *numbers = row[place * FACT_FIELDS : (place + 1) * FACT_FIELDS]
    counted = classes if isinstance(classes, dict) else {}
    whole = [int(str(number)) if number is not None else 0 for number in (padded, *numbers)]
    return Facts({str(key): int(str(value)) for key, value in counted.items()}, *whole)


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


def decide(facts: Facts) -> ColumnType:
    """The type that fits every value, or VARCHAR."""
    total = facts.values
    trim = facts.padded > 0
    if not total:
        return ColumnType("VARCHAR", settled=False)
    if facts.count(*_NUMBERS) == total:
        return _number(facts, trim)
    if facts.count("boolean") == total:
        return ColumnType("BOOLEAN", trim=trim)
    if facts.count(*_DATES) == total:
        return _date(facts, trim)
    if facts.count("date", "timestamp") == total:
        return ColumnType("TIMESTAMP", trim=trim)
    if facts.count("zoned") == total:
        return ColumnType("TIMESTAMP", "times with an offset are turned into UTC", trim=trim, zoned=True)
    return TEXT


def _number(facts: Facts, trim: bool) -> ColumnType:
    whole, fraction = facts.whole, facts.fraction
    if facts.count("int") == facts.values:
        if whole > _HUGEINT_DIGITS:
            return ColumnType("VARCHAR", f"kept as text: whole numbers of up to {whole} digits fit no number type")
        return ColumnType("HUGEINT" if facts.beyond else "BIGINT", trim=trim)
    if facts.count("exponent") or fraction > MAX_FRACTION or whole + fraction > _HUGEINT_DIGITS:
        lossy = facts.digits > _DOUBLE_DIGITS
        note = f"values of up to {facts.digits} digits are rounded to floating point" if lossy else ""
        return ColumnType("DOUBLE", note, trim=trim)
    width = 18 if whole + fraction <= 18 else 38
    return ColumnType(f"DECIMAL({width},{fraction})", trim=trim, whole=width - fraction, fraction=fraction)


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


def cast_sql(name: str, kind: ColumnType) -> str:
    """SQL: the column cast to its type; a value that does not fit stops the query with an error that names the column.
    Cells of blanks only are NULL except in text."""
    if kind.name == "VARCHAR":
        return quoted(name)
    value = f"trim({quoted(name)})" if kind.trim else quoted(name)
    empty = f"{value} IS NULL OR {value} = ''" if kind.trim else f"{value} IS NULL"
    fits, cast = _fit(value, kind)
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
