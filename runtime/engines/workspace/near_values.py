"""Fixed SQL that looks for values like one that a filter did not find."""

from __future__ import annotations

from runtime.evidence import Column, Json
from runtime.ingest.columns import quoted

_DISTINCT = 200_000
_ALIKE = 0.72


def near_values_sql(table: str, column: Column, value: str, most: int) -> tuple[str, tuple[Json, ...]]:
    """SQL and parameters: one column, best first. Text by likeness (case and blanks folded, containing, Jaro-Winkler);
    numbers, dates and times by distance, when `value` is one."""
    name, source = quoted(column.name), quoted(table)
    distinct = f"SELECT DISTINCT {name} AS v FROM {source} WHERE {name} IS NOT NULL LIMIT {_DISTINCT}"
    if column.type == "VARCHAR":
        return (
            f"SELECT v FROM (SELECT v, {_likeness()} AS likeness FROM ({distinct}) AS t, (SELECT lower(trim(?)) AS w))"
            f" WHERE likeness >= {_ALIKE} ORDER BY likeness DESC, v LIMIT {most}",
            (value,),
        )
    distance = _distance(column.type)
    if distance is None:
        return f"SELECT v FROM ({distinct}) AS t ORDER BY v LIMIT {most}", ()
    return (
        f"SELECT v FROM ({distinct}) AS t, (SELECT TRY_CAST(? AS {column.type}) AS w) WHERE w IS NOT NULL"
        f" ORDER BY {distance}, v LIMIT {most}",
        (value,),
    )


def _likeness() -> str:
    folded = "lower(trim(v))"
    return (
        f"CASE WHEN {folded} = w THEN 2 WHEN w <> '' AND (contains({folded}, w) OR contains(w, {folded}))"
        f" AND {folded} <> '' THEN 1 ELSE jaro_winkler_similarity({folded}, w) END"
    )


def _distance(kind: str) -> str | None:
    if kind == "DATE":
        return "abs(v - w)"
    if kind.startswith("TIMESTAMP"):
        return "abs(epoch(v) - epoch(w))"
    if kind.endswith(("INT", "INTEGER")) or kind.startswith(("DECIMAL", "DOUBLE", "FLOAT")):
        return "abs(CAST(v AS DOUBLE) - CAST(w AS DOUBLE))"
    return None
