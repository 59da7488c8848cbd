"""Decides a column's type from every value in it, and writes the SQL that casts it while checking each value again.

A column has a type only when the lexical classes of *all* its values allow it. The cast checks every value once more
and stops the reading at the first that does not fit, so types may be guessed from a part of a large file without ever
being wrong for the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from runtime.ingest.alike import Alike
from runtime.ingest.lexical import (
    DATED,
    DAY,
    DAY_FIRST,
    DAY_OR_MOMENT,
    EXPONENT,
    MONTH_FIRST,
    NAMED_FORMATS,
    NUMERIC,
    PLAIN,
    TIME,
    WITH_YEAR,
    YEAR_FIRST,
    ZONED,
    Facts,
    absent,
    any_format,
    literal,
    matches,
    quoted,
    untold,
    utc,
    with_clock,
)
from runtime.ingest.numerals import Numeral

_NUMBERS = ("int", "decimal", "exponent")
_DATES = ("date", "slashed", "ymd", "named")
_MAX_FRACTION = 6
_DOUBLE_DIGITS = 17
_EXACT_DIGITS = 38


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A decided type and the note that goes with it. `settled` is False when more values could still make a type out of
    a column that is text so far (nothing in it yet, or dates whose order nothing has decided), or when it was read from
    all its values. `absent`: some are words for a missing one; `numeral`: how its numbers are written, if not plainly.
    `told`: some of its texts are written as ="…"; `empty`: none of the values looked at was there; `alike`: what
    those of a `numeral` had in common. `odd`: whether a quarter of a text's values or more are numbers or dates, None
    when not all were looked at.
    """

    name: str
    note: str = ""
    settled: bool = True
    trim: bool = False
    formats: tuple[str, ...] = ()
    whole: int = 0
    fraction: int = 0
    zoned: bool = False
    absent: bool = False
    numeral: Numeral | None = None
    odd: bool | None = None
    told: bool = False
    empty: bool = False
    alike: Alike | None = None


TEXT = ColumnType("VARCHAR")


def decide(facts: Facts, *, comma_land: bool) -> ColumnType:
    """The type that fits every value, or VARCHAR. `comma_land`: other signs in the file say that the point may mark
    thousands here (a column with decimal commas, semicolons between values)."""
    total = facts.values
    trim = facts.padded > 0
    if not total:
        return ColumnType("VARCHAR", settled=False, empty=True)
    if facts.count(*_NUMBERS) == total:
        return _number(facts, trim, comma_land)
    if facts.count("boolean") == total:
        return ColumnType("BOOLEAN", trim=trim)
    if facts.count(*_DATES) == total:
        return _date(facts, trim)
    if facts.count("moment", "slashed") == total:
        return _slashed(facts, ColumnType("TIMESTAMP", trim=trim))
    if facts.count("date", "timestamp") == total:
        return ColumnType("TIMESTAMP", trim=trim)
    if facts.count("zoned") == total:
        return ColumnType("TIMESTAMP", "times with an offset are turned into UTC", trim=trim, zoned=True)
    if told := facts.count("told"):
        return replace(
            TEXT, note=f'{told:,} values written as ="…" are read as the text inside', settled=False, told=True
        )
    if (scaled := facts.count("scaled")) and scaled + facts.count(*NUMERIC) == total:
        return replace(TEXT, note=f"{scaled:,} values have letters for thousands or millions; column kept as text")
    return replace(TEXT, odd=4 * facts.count(*NUMERIC, *DATED) >= total)


def may_be_numbers(facts: Facts) -> bool:
    """True when every value is a number, however written, or a word for a missing one, and some are not plain."""
    plain = facts.count(*_NUMBERS)
    return bool(facts.values) and plain + facts.count("marked") == facts.values and plain < facts.values


def with_numeral(numeral: Numeral) -> ColumnType:
    """The type of a column whose numbers are written as `numeral` says."""
    return ColumnType(numeral.type_name(), "; ".join(numeral.notes), settled=False, numeral=numeral)


def _number(facts: Facts, trim: bool, comma_land: bool) -> ColumnType:
    whole, fraction = facts.whole, facts.fraction
    if facts.count("int") == facts.values:
        if whole > _EXACT_DIGITS:
            return ColumnType("VARCHAR", f"kept as text: whole numbers of up to {whole} digits fit no number type")
        if facts.beyond:
            # Parquet has no wider whole number: there HUGEINT would be rounded to floating point.
            return ColumnType("DECIMAL(38,0)", trim=trim, whole=_EXACT_DIGITS)
        return ColumnType("BIGINT", trim=trim)
    if facts.count("exponent") or fraction > _MAX_FRACTION or whole + fraction > _EXACT_DIGITS:
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
    kind = ColumnType("DATE", trim=trim)
    if facts.count("slashed"):
        kind = _slashed(facts, kind)
        if kind.name == "VARCHAR":
            return kind
    formats = kind.formats
    if facts.count("ymd"):
        formats += YEAR_FIRST
    if facts.count("named"):
        formats += NAMED_FORMATS
    if len(formats) and facts.count("date"):
        formats += ("%Y-%m-%d",)
    return replace(kind, formats=formats)


def _slashed(facts: Facts, kind: ColumnType) -> ColumnType:
    """`kind` with the order of day and month that the values decide, or text when they don't, or when one of them is
    no day of the calendar in that order: such a value must not vanish."""
    day_first, month_first = facts.first_part > 12, facts.second_part > 12
    if day_first == month_first:
        return ColumnType("VARCHAR", settled=day_first)
    total = facts.count("slashed", "moment")
    lost = total - (facts.as_day_first if day_first else facts.as_month_first)
    if lost:
        return ColumnType(
            "VARCHAR", f"{lost:,} of {total:,} dates are no days of the calendar; column kept as text", settled=True
        )
    days = DAY_FIRST if day_first else MONTH_FIRST
    order = "day first (d/m/y)" if day_first else "month first (m/d/y)"
    formats = with_clock(days) if kind.name == "TIMESTAMP" else days
    return replace(kind, formats=formats, note=f"dates read {order}, as its values decide")


def copy_sql(source: str, names: Sequence[str], types: Sequence[ColumnType], *, proved: bool) -> str:
    """SQL: the columns of `source` cast to their types. Unless all values are `proved` to fit, one that does not stops
    the query with an error that names the column. Cells of blanks only are NULL except in text."""
    pairs = list(zip(names, types, strict=True))
    if proved:
        plain = (f"{_cast(_value(name, kind), kind)} AS {quoted(name)}" for name, kind in pairs)
        return f"SELECT {', '.join(plain)} FROM {source}"
    inner: list[str] = []
    outer: list[str] = []
    for place, (name, kind) in enumerate(pairs):
        value, cast = f"v{place}", f"c{place}"
        # Cast once, then compare: the result is used by the test and kept by the copy.
        inner += [f"{_value(name, kind)} AS {value}", f"{_cast(_value(name, kind), kind)} AS {cast}"]
        outer.append(f"{_checked(name, value, cast, kind)} AS {quoted(name)}")
    return f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} FROM {source})"


def formats_sql(source: str, names: Sequence[str], types: Sequence[ColumnType]) -> str:
    """SQL: one row that counts, for each format of each type in turn, the values of `source` that are written so."""
    pairs = list(zip(names, types, strict=True))
    counts = (f"count({any_format(_value(name, kind), (each,))})" for name, kind in pairs for each in kind.formats)
    return f"SELECT {', '.join(counts)} FROM {source}"


def with_seen_formats(types: Sequence[ColumnType], counts: Sequence[int]) -> tuple[ColumnType, ...]:
    """The types with those of their formats that `formats_sql` counted at all, most frequent first: each that a value
    is tried in vain in takes five times as long as the right one."""
    left = iter(counts)
    seen = [sorted(((next(left), each) for each in kind.formats), key=lambda pair: -pair[0]) for kind in types]
    return tuple(
        replace(kind, formats=tuple(each for count, each in formats if count) or kind.formats)
        for kind, formats in zip(types, seen, strict=True)
    )


def _checked(name: str, value: str, cast: str, kind: ColumnType) -> str:
    """SQL: `cast` where `value` fits, NULL where there is none, else the error."""
    misfit = f"error({literal(MISFIT + name)})"
    if kind.empty:
        bare = f"trim({value})"
        return f"CASE WHEN {value} IS NULL OR {bare} = '' OR {absent(bare)} THEN {cast} ELSE {misfit} END"
    if kind.name == "VARCHAR":
        return cast
    empty = f"{value} IS NULL OR {value} = ''" if kind.trim else f"{value} IS NULL"
    return f"CASE {_fits(value, cast, kind)} WHEN {empty} THEN NULL ELSE {misfit} END"


def _value(name: str, kind: ColumnType) -> str:
    value = f"trim({quoted(name)})" if kind.trim or kind.absent or kind.numeral else quoted(name)
    if kind.numeral:  # what is left of a number without its marks is cast as it is, and '' is no number
        value = f"nullif({value}, '')"
    # Only a column read from all its values has these, and its query is not checked value by value.
    return f"CASE WHEN {absent(value)} THEN NULL ELSE {value} END" if kind.absent else value


def _cast(value: str, kind: ColumnType) -> str:
    if kind.name == "VARCHAR":
        return untold(value) if kind.told else value
    if kind.numeral and kind.alike:
        number = f"CAST({kind.alike.sql(kind.numeral, value)} AS {kind.name})"
        return f"CASE WHEN {matches(value, kind.alike.pattern)} THEN {number} END"
    if kind.numeral:
        return f"CAST({kind.numeral.sql(value)} AS {kind.name})"
    if kind.formats:
        return f"CAST({any_format(value, kind.formats)} AS {kind.name})"
    if kind.zoned:
        return utc(value)
    return f"TRY_CAST({value} AS {kind.name})"


def _fits(value: str, cast: str, kind: ColumnType) -> str:
    """WHEN clauses that give `cast` where it loses nothing. Most values come back as they were written, which is the
    cheap test; the others have to match the type's pattern."""
    same = f"WHEN CAST({cast} AS VARCHAR) = {value} THEN {cast}"
    if kind.alike:
        return f"WHEN {cast} IS NOT NULL THEN {cast}"
    if kind.name in ("BIGINT", "DECIMAL(38,0)"):
        return same
    if kind.name == "DATE" and not kind.formats:
        return f"{_whole_day(value, cast)} {same}"
    if kind.formats:
        written = DAY_OR_MOMENT if kind.name == "TIMESTAMP" else WITH_YEAR
        return f"WHEN {matches(value, written)} AND {cast} IS NOT NULL THEN {cast}"
    if kind.name == "BOOLEAN":
        return f"WHEN lower({value}) IN ('true', 'false') THEN {cast}"
    if kind.zoned:
        return f"WHEN {matches(value, ZONED)} THEN {cast}"
    if kind.name == "TIMESTAMP":
        return f"{same} WHEN {cast} IS NOT NULL AND {matches(value, rf'{DAY}([ T]{TIME})?')} THEN {cast}"
    if kind.name == "DOUBLE":
        pattern = f"{matches(value, PLAIN)} OR {matches(value, EXPONENT)}"
        return f"WHEN isfinite({cast}) AND ({_pointed(value)} OR {pattern}) THEN {cast}"
    before = rf"0|[1-9][0-9]{{0,{kind.whole - 1}}}" if kind.whole else "0"
    fraction = rf"|\.[0-9]{{1,{kind.fraction}}}" if kind.fraction else ""
    pattern = rf"-?(({before})(\.[0-9]{{0,{kind.fraction}}})?{fraction})"
    return f"{same} WHEN {cast} IS NOT NULL AND {matches(value, pattern)} THEN {cast}"


def _pointed(value: str) -> str:
    """SQL: whether a text that DuckDB takes for a number has a point, a digit at its end, and no zero too many in
    front. Beside such texts it takes only those with blanks behind them. Asking that costs half of a pattern."""
    begins = (("1", ":"), ("0.", "0/"), ("-1", "-:"), ("-0.", "-0/"))
    within = " OR ".join(f"{value} BETWEEN '{least}' AND '{behind}'" for least, behind in begins)
    return f"(({within}) AND contains({value}, '.') AND {value}[-1] BETWEEN '0' AND '9')"


def _whole_day(value: str, cast: str) -> str:
    """A WHEN clause for what fills the ten bytes of a day in those years: whatever DuckDB takes for a day then is its
    year, month and day in this order, with one kind of mark between them. Asking that costs a tenth of writing each
    day out and comparing."""
    return f"WHEN strlen({value}) = 10 AND {cast} BETWEEN DATE '1000-01-01' AND DATE '9999-12-31' THEN {cast}"


MISFIT = "footnote-misfit: "
