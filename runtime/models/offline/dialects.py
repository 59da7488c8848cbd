"""How the three engines spell what a plan needs: names, texts, days, calendar buckets, parts of texts."""

from __future__ import annotations

from datetime import date

from runtime.models.offline.catalog import Column, Dialect

_BUCKETS: dict[Dialect, dict[str, str]] = {
    "duckdb": {
        "day": "CAST({0} AS DATE)",
        "week": "CAST(date_trunc('week', {0}) AS DATE)",
        "month": "strftime({0}, '%Y-%m')",
        "quarter": "(year({0}) || '-Q' || quarter({0}))",
        "year": "year({0})",
    },
    "sqlite": {
        "day": "date({0})",
        "week": "date({0}, 'weekday 0', '-6 days')",
        "month": "strftime('%Y-%m', {0})",
        "quarter": "(strftime('%Y', {0}) || '-Q' || ((CAST(strftime('%m', {0}) AS INTEGER) + 2) / 3))",
        "year": "CAST(strftime('%Y', {0}) AS INTEGER)",
    },
    "postgresql": {
        "day": "CAST({0} AS DATE)",
        "week": "CAST(date_trunc('week', {0}) AS DATE)",
        "month": "to_char({0}, 'YYYY-MM')",
        "quarter": "to_char({0}, 'YYYY-\"Q\"Q')",
        "year": "CAST(extract(year FROM {0}) AS INTEGER)",
    },
}
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEKDAYS: dict[Dialect, str] = {
    "duckdb": "isodow({0})",
    "sqlite": "((CAST(strftime('%w', {0}) AS INTEGER) + 6) % 7 + 1)",
    "postgresql": "CAST(extract(isodow FROM {0}) AS INTEGER)",
}
_HOURS: dict[Dialect, str] = {
    "duckdb": "hour({0})",
    "sqlite": "CAST(strftime('%H', {0}) AS INTEGER)",
    "postgresql": "CAST(extract(hour FROM {0}) AS INTEGER)",
}
_HOLDS: dict[Dialect, str] = {
    "duckdb": "contains(lower({0}), {1})",
    "sqlite": "instr(lower({0}), {1}) > 0",
    "postgresql": "strpos(lower({0}), {1}) > 0",
}
_MEDIANS: dict[Dialect, str] = {
    "duckdb": "median({0})",
    "postgresql": "percentile_cont(0.5) WITHIN GROUP (ORDER BY {0})",
}
_KNOWN: dict[str, Dialect] = {"duckdb": "duckdb", "sqlite": "sqlite", "postgres": "postgresql"}
QUERY_TOOLS: dict[Dialect, str] = {
    "duckdb": "run_sql",
    "sqlite": "data_query_sqlite",
    "postgresql": "data_query_postgresql",
}


def named(dialect: str) -> Dialect | None:
    """The dialect that a catalog speaks of, if it is one of ours."""
    return _KNOWN.get(dialect)


def quoted(name: str) -> str:
    """A quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A quoted string."""
    return "'" + value.replace("'", "''") + "'"


def day(value: date, dialect: Dialect) -> str:
    """A day to compare with."""
    written = text(value.isoformat())
    return written if dialect == "sqlite" else f"DATE {written}"


def moment(expression: str, dialect: Dialect, zone: str) -> str:
    """A moment as the clock in `zone` shows it."""
    return f"({expression} AT TIME ZONE {text(zone)})" if zone and dialect == "postgresql" else expression


def date_expression(column: Column, reference: str, dialect: Dialect) -> str:
    """The column as a date or timestamp."""
    if column.date_format is not None:
        return f"CAST(try_strptime({reference}, {text(column.date_format)}) AS DATE)"
    return moment(reference, dialect, column.zone)


def bucket(unit: str, expression: str, dialect: Dialect) -> str:
    """The calendar unit in which a date lies; a weekday by its name."""
    if unit == "weekday":
        number = weekday(expression, dialect)
        named = " ".join(f"WHEN {at} THEN {text(name)}" for at, name in enumerate(WEEKDAYS, start=1))
        return f"CASE {number} {named} END"
    if unit == "hour":
        return _HOURS[dialect].format(expression)
    return _BUCKETS[dialect][unit].format(expression)


def weekday(expression: str, dialect: Dialect) -> str:
    """1 for Monday to 7 for Sunday."""
    return _WEEKDAYS[dialect].format(expression)


def in_week_order(name: str) -> str:
    """What puts weekdays that are told by their names in order."""
    named = " ".join(f"WHEN {text(day)} THEN {at}" for at, day in enumerate(WEEKDAYS, start=1))
    return f"CASE {name} {named} END"


def month_of_year(expression: str, dialect: Dialect) -> str:
    """1 for January to 12 for December."""
    ways = {"duckdb": "month({0})", "sqlite": "CAST(strftime('%m', {0}) AS INTEGER)"}
    return ways.get(dialect, "CAST(extract(month FROM {0}) AS INTEGER)").format(expression)


def holds(expression: str, part: str, dialect: Dialect) -> str:
    """True where the text holds `part`, which is in small letters."""
    return _HOLDS[dialect].format(expression, text(part))


def folded(expression: str) -> str:
    """A text without case and outer blanks."""
    return f"lower(trim({expression}))"


def median(expression: str, dialect: Dialect) -> str | None:
    """The median as an aggregate; None where the engine has none."""
    known = _MEDIANS.get(dialect)
    return known.format(expression) if known else None


def rounded(expression: str, places: int, dialect: Dialect) -> str:
    """A figure rounded; PostgreSQL rounds exact numbers only."""
    exact = f"CAST({expression} AS numeric)" if dialect == "postgresql" else expression
    return f"round({exact}, {places})"
