"""Tells steps of a numbering (versions, sections: 1.9, 1.10, 1.11) from decimals: 1.10 and 1.1 are two steps and one
number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import duckdb

from runtime.ingest.columns import TEXT, ColumnType
from runtime.ingest.engine import reasons
from runtime.ingest.lexical import Facts, absent, quoted

_NAMES = re.compile(
    r"(.*[\s_./-])?(ver|versions?|versión|versione|versie|wersja|версия|release|firmware|(sub)?sections?|sección|sezione"
    r"|clause|chapter|chapitre|capítulo|capitolo|hoofdstuk|rozdział|paragraph|kapitel|abschnitt|ziffer|gliederung|outline"
    r"|wbs|§)([\s_./-]*(no|nr|num|number|nummer|code|id|#)\.?)?",
    re.IGNORECASE,
)
"""What columns of steps are called."""
_MOST = 2_000  # different values; what has more is measured
_STEP = re.compile(r"(?P<group>[0-9]{1,5})(\.(?P<step>[0-9]|[1-9][0-9]{1,2}))?")


def as_numbered(
    connection: duckdb.DuckDBPyConnection, source: str, name: str, facts: Facts, kind: ColumnType
) -> ColumnType:
    """`kind`, the type of a column with `facts`, or text if its numbers are steps of a numbering. They may only be that
    where not all have as many digits behind the point; only where a zero is the last of these are the different values
    in `source` looked at."""
    uneven = facts.least_fraction < facts.fraction or facts.count("int") > 0
    if not kind.name.startswith("DECIMAL") or not facts.fraction or not (uneven or facts.zero_ended):
        return kind
    named = bool(_NAMES.fullmatch(name.strip()))
    values = _different(connection, source, name) if facts.zero_ended and uneven else []
    if named or _counts_up(values):
        said = f"numbered like versions or sections{_example(values)}; column kept as text"
        return replace(TEXT, note=said)
    if twice := _written_twice(values):
        said = f"{twice} are both written and read as one number"
        return replace(kind, note="; ".join(filter(None, (kind.note, said))))
    return kind


def _different(connection: duckdb.DuckDBPyConnection, source: str, name: str) -> list[str]:
    """The different values of a column, none where these are too many or one is no step."""
    value = f"trim({quoted(name)})"
    there = f"{value} <> '' AND NOT {absent(value)}"
    with reasons():
        found = connection.execute(f"SELECT DISTINCT {value} FROM {source} WHERE {there} LIMIT {_MOST + 1}").fetchall()
    values = [str(row[0]) for row in found]
    return values if len(values) <= _MOST and all(map(_STEP.fullmatch, values)) else []


def _counts_up(values: Sequence[str]) -> bool:
    """Whether each step of two digits follows another one, as 1.10 follows 1.9."""
    known = set(values)
    long = [match for value in values if (match := _STEP.fullmatch(value)) and len(match["step"] or "") > 1]
    return bool(long) and all(f"{match['group']}.{int(match['step']) - 1}" in known for match in long)


def _written_twice(values: Sequence[str]) -> str:
    """Two values that are one number, unless others show that all are decimals."""
    long = [value for value in values if len(value.partition(".")[2]) > 1]
    if not all(value.endswith("0") for value in long):
        return ""
    short = sorted(value for value in long if value.rstrip("0") in values)
    return f"{short[0].rstrip('0')} and {short[0]}" if short else ""


def _example(values: Sequence[str]) -> str:
    last = sorted((value for value in values if value.endswith("0") and "." in value), key=float)
    return f" ({last[0]} is another value than {last[0].rstrip('0')})" if last else ""
