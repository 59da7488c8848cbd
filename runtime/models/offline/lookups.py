"""The queries made before a reading stands: which values a word may mean, and which texts are dates."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.models.offline import dialects
from runtime.models.offline.catalog import Column, Table
from runtime.models.offline.dialects import quoted as name
from runtime.models.offline.dialects import text
from runtime.models.offline.expressions import ref


def values_query(table: Table, columns: Sequence[Column], parts: tuple[str, ...]) -> str:
    """The values of `columns` that hold one of `parts` of words, at most 20 a column."""
    selects: list[str] = []
    for column in columns:
        quoted = name(column.name)
        tests = " OR ".join(dialects.holds(quoted, part, table.dialect) for part in parts)
        selects.append(
            f"SELECT looked_in, looked_at, found FROM (SELECT DISTINCT {text(table.id)} AS looked_in, "
            f"{text(column.name)} AS looked_at, {quoted} AS found FROM {table.sql} WHERE {tests} "
            "ORDER BY 3 LIMIT 20) AS looked_up"
        )
    return " UNION ALL ".join(selects)


def dates_query(table: Table, column: Column) -> str:
    """How many of a text column's cells read as dates, and from when to when."""
    parsed = dialects.date_expression(column, ref(column), table.dialect)
    return (
        f"SELECT {text(table.id)} AS dated_in, {text(column.name)} AS dated_at, count({ref(column)}) AS cells, "
        f"count({parsed}) AS dates, min({parsed}) AS first_day, max({parsed}) AS last_day FROM {table.sql}"
    )
