"""`sql()` of a program: which source it means, what it may cost, and cells as Python numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from guest import GuestSqlError
from runtime.capability import READABLE, CallContext, InnerRows
from runtime.errors import CallError
from runtime.evidence import Column, Json

_DEFAULT_SOURCE = "workspace"
_INTEGERS = frozenset({"INTEGER", "BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT"})
_FLOATS = frozenset({"DOUBLE", "FLOAT", "REAL"})
_LEAST_SECONDS = 0.05
_QUERY_CHARS = 200  # of a query that the model wrote itself; evidence holds it whole


@dataclass(slots=True)
class InnerSql:
    """The SQL function of one program: `await inner(query, source)`. `spent_s` is its SQL time so far, `exhausted`
    the bound that refused a query, in words; `queries` are the answered ones with their row counts, `notes` those of
    everything that was read."""

    context: CallContext
    spent_s: float = 0.0
    exhausted: str | None = None
    queries: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    notes: dict[str, None] = field(default_factory=dict[str, None])

    async def __call__(self, query: str, source: str | None) -> tuple[list[str], list[list[Any]]]:
        """Column names and rows. Raises GuestSqlError for what the program may handle, and CallError
        `admission_changed`, which ends the run whatever the program does."""
        chosen = self._source(source)
        seconds = min(self.context.limits.sql_seconds, self._left())
        rows_kept = self.context.limits.python_sql_rows
        began = self.context.clock.monotonic()
        try:
            result = await self.context.read(chosen, query, seconds=seconds, rows_kept=rows_kept)
        except CallError as error:
            if error.code == "admission_changed":
                raise
            raise GuestSqlError(f"{error.message} {error.hint}".strip()) from error
        finally:
            self.spent_s += self.context.clock.monotonic() - began
        self._whole(result)
        self.queries.append((query[:_QUERY_CHARS], len(result.rows)))
        self.notes.update(dict.fromkeys(result.notes))
        readers = [_reader(column) for column in result.columns]
        rows = [[read(cell) for read, cell in zip(readers, row, strict=True)] for row in result.rows]
        return [column.name for column in result.columns], rows

    def _source(self, named: str | None) -> str:
        known = self.context.scope.of_kind(*READABLE)
        if named is None and len(known) == 1:
            return known[0]
        if named is None and _DEFAULT_SOURCE in known:
            return _DEFAULT_SOURCE
        if named in known:
            return str(named)
        wrong = "Several sources are open" if named is None else f"No source {named!r} is open here"
        raise GuestSqlError(f"{wrong}: say sql(query, source=…) with one of {', '.join(known)}.")

    def _left(self) -> float:
        bound = self.context.limits.python_sql_seconds
        left = bound - self.spent_s
        if left < _LEAST_SECONDS:
            self.exhausted = f"its queries took all of their {bound} s"
            raise GuestSqlError(f"The queries of this program have taken all of their {bound} s.")
        return left

    def _whole(self, result: InnerRows) -> None:
        """A program never computes on a part of a result without knowing it."""
        if result.truncated is None:
            return
        total = result.truncated.total
        found = f"{result.row_count:,} or more" if total is None else f"{total:,}"
        most = min(self.context.limits.python_sql_rows, len(result.rows))
        raise GuestSqlError(
            f"The query gives {found} rows and only {most:,} fit into one sql() call; nothing was passed on. "
            "Aggregate or filter in SQL, or read in parts with ORDER BY … LIMIT … OFFSET."
        )


def _reader(column: Column) -> Callable[[Json], Any]:
    """How a column's cells become Python values: exact numbers that travel as text are numbers again."""
    kind = column.type.upper()
    if kind in _INTEGERS:
        return _integer
    if kind in _FLOATS:
        return _float
    return _decimal if kind.startswith(("DECIMAL", "NUMERIC")) else _same


def _same(cell: Json) -> Any:
    return cell


def _integer(cell: Json) -> Any:
    return int(cell) if isinstance(cell, str) else cell


def _decimal(cell: Json) -> Any:
    return Decimal(cell) if isinstance(cell, str) else cell


def _float(cell: Json) -> Any:
    """NaN and infinities are no values to compute with; they are missing."""
    if isinstance(cell, str):
        return None
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def table_columns(names: Sequence[str], rows: Sequence[Sequence[Json]]) -> tuple[Column, ...]:
    """Columns of a table that a program published, with the narrowest type that holds all its cells."""
    return tuple(Column(str(name), _type([row[at] for row in rows])) for at, name in enumerate(names))


def _type(cells: Sequence[Json]) -> str:
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        return "BIGINT"
    return "DOUBLE" if kinds and kinds <= {int, float} else "VARCHAR"
