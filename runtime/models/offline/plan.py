"""What the analyst decided to ask: a plan, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from runtime.models.offline.catalog import Column, Table
from runtime.models.offline.periods import Period

Function = Literal["sum", "avg", "median", "min", "max", "count", "distinct"]
Shape = Literal["scalar", "groups", "extreme", "group_count", "rows", "share"]
Operator = Literal["=", "<", "<=", ">", ">=", "between"]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A figure over rows. `column` is None for a count of rows; the result is divided by `divisor`, which turns the
    column's unit into `unit`; `assumed` explains a column that no word of the question chose."""

    function: Function
    column: Column | None = None
    divisor: float = 1.0
    unit: str = ""
    assumed: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A bound on a figure; `high` is used by "between" only."""

    operator: Operator
    low: float
    high: float = 0.0


@dataclass(frozen=True, slots=True)
class ValueFilter:
    """Rows whose `column` holds (or, negated, does not hold) one of `values`; for a flag, the one value "true"."""

    column: Column
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class FigureFilter:
    """Rows whose `column`, divided by `divisor`, keeps `comparison`."""

    column: Column
    comparison: Comparison
    divisor: float = 1.0


@dataclass(frozen=True, slots=True)
class Dimension:
    """What rows are grouped by: a column, or the `bucket` (day … year) of a date column."""

    column: Column
    bucket: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """One question as one query over one table. `top` orders the groups or picks the extreme rows: (direction, how
    many ranks); a "share" holds the rows of its one filter against all rows of the period; `split` are columns that
    must not be mixed (currencies); `assumed` goes into the answer word for word; `score` says how firmly the table's
    own words carry the reading."""

    table: Table
    shape: Shape
    aggregate: Aggregate
    values: tuple[ValueFilter, ...] = ()
    figures: tuple[FigureFilter, ...] = ()
    period: Period | None = None
    date: Column | None = None
    dimensions: tuple[Dimension, ...] = ()
    top: tuple[Literal["max", "min"], int] | None = None
    having: Comparison | None = None
    split: tuple[Column, ...] = ()
    assumed: tuple[str, ...] = ()
    chart: bool = False
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Ask:
    """A question back, with at most three choices."""

    question: str
    choices: tuple[str, ...]
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Cannot:
    """No plan: `reason` is a sentence for the person; `unknown` are the words that nothing here explains."""

    reason: str
    table: Table | None = None
    unknown: tuple[str, ...] = field(default_factory=tuple[str, ...])
    score: float = 0.0


Reading = Plan | Ask | Cannot
