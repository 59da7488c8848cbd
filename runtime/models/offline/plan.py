"""What the analyst decided to ask: a plan, or the reason why there is none."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field, replace
from typing import Literal

from runtime.models.offline.catalog import Column, Table
from runtime.models.offline.periods import Period

Function = Literal["sum", "avg", "median", "min", "max", "count", "distinct"]
Shape = Literal["scalar", "groups", "extreme", "group_count", "rows", "share", "ratio", "average", "change",
                "correlation", "months_over", "several"]  # fmt: skip
Combined = Literal["", "sum", "difference", "quotient"]
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
    """Rows whose `column` holds (or, negated, does not hold) one of `values`; for a flag, the one value "true". With
    `base` it holds for the whole that a share is of, too."""

    column: Column
    values: tuple[str, ...]
    negated: bool = False
    base: bool = False


@dataclass(frozen=True, slots=True)
class FigureFilter:
    """Rows whose `column`, divided by `divisor`, keeps `comparison`."""

    column: Column
    comparison: Comparison
    divisor: float = 1.0


@dataclass(frozen=True, slots=True)
class Dimension:
    """What rows are grouped by: a column, the `bucket` (day … year, weekday, hour) of a date column, or steps of a
    figure that are `width` wide. `label` is the name shown beside an id."""

    column: Column
    bucket: str = ""
    width: float = 0.0
    label: Column | None = None

    @property
    def in_time(self) -> bool:
        """True when its groups follow each other; weekdays and hours come again."""
        return self.bucket not in ("", "weekday", "hour")


@dataclass(frozen=True, slots=True)
class Mean:
    """The average of a figure over its groups. How many groups there are with those without a row: the `units` of the
    calendar, or a row each in `rows_of` (its SQL name; people call it `of`); 0 and empty where that isn't known."""

    function: Literal["avg", "median"]
    units: int = 0
    rows_of: str = ""
    of: str = ""


@dataclass(frozen=True, slots=True)
class Related:
    """Rows whose `key` is among those that the `rows` of another table point at (their `other` column), or, negated,
    is not."""

    key: Column
    rows: Plan
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """One question as one query over one table and the keys that it points at. `top` orders the groups or picks the
    extreme rows: (direction, how many ranks); a "share" holds the rows of its one filter against all rows of the
    period, group by group, or without a filter each group against all of them; `split` are columns that must not be
    mixed (currencies); a "change" compares `period` with the `earlier` one ("months_over": month by month), a
    "correlation" the measured column with the `other`; a "ratio" holds the figure `against` that of another plan, an
    "average" is taken over its groups as `mean` says, "several" has the figures `beside` it, `combined` to their sum,
    to the first less the second, or by it; only rows of the `weekdays` (1 for Monday) of `date` count, of
    none all; `data_end` is the last day of data that end within the period; `basis` (of the figure) and `assumed` (of
    the rest) go into the answer word for word; `score` says how firmly the table's own words carry the reading, `akin`
    that it rests on another word for a column, `trend` that the course over time is to be said, and `named` the table's
    own columns that the question names, which listed rows show."""

    table: Table
    shape: Shape
    aggregate: Aggregate
    values: tuple[ValueFilter, ...] = ()
    figures: tuple[FigureFilter, ...] = ()
    related: tuple[Related, ...] = ()
    period: Period | None = None
    date: Column | None = None
    weekdays: tuple[int, ...] = ()
    data_end: datetime.date | None = None
    dimensions: tuple[Dimension, ...] = ()
    top: tuple[Literal["max", "min"], int] | None = None
    having: Comparison | None = None
    split: tuple[Column, ...] = ()
    basis: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    chart: bool = False
    earlier: Period | None = None
    other: Column | None = None
    against: Plan | None = None
    mean: Mean | None = None
    beside: tuple[Aggregate, ...] = ()
    combined: Combined = ""
    score: float = 0.0
    akin: bool = False
    trend: bool = False
    named: frozenset[str] = frozenset()

    @property
    def in_time(self) -> bool:
        """True when the groups follow each other in time: the newest are then the ones to be seen."""
        groups = self.shape in ("groups", "share", "ratio", "several") and self.top is None
        return groups and bool(self.dimensions and self.dimensions[0].in_time)

    @property
    def measures(self) -> tuple[Aggregate, ...]:
        """All its figures."""
        return (self.aggregate, *self.beside)


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


def sourced(plan: Plan, source: str) -> Plan:
    """The plan with `source` as the table of every column that isn't looked up in another table."""

    def own(column: Column) -> Column:
        return replace(column, source=source) if column.via is None else column

    def measured(figure: Aggregate) -> Aggregate:
        return replace(figure, column=own(figure.column)) if figure.column else figure

    return replace(
        plan,
        table=replace(plan.table, columns=tuple(own(column) for column in plan.table.columns)),
        aggregate=measured(plan.aggregate),
        beside=tuple(measured(figure) for figure in plan.beside),
        other=own(plan.other) if plan.other else None,
        date=own(plan.date) if plan.date else None,
        values=tuple(replace(value, column=own(value.column)) for value in plan.values),
        figures=tuple(replace(item, column=own(item.column)) for item in plan.figures),
        related=tuple(replace(item, key=own(item.key)) for item in plan.related),
        dimensions=tuple(
            replace(dimension, column=own(dimension.column), label=own(dimension.label) if dimension.label else None)
            for dimension in plan.dimensions
        ),
        split=tuple(own(column) for column in plan.split),
    )
