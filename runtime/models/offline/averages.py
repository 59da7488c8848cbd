"""Averages of what is first counted or added up by group: "average number of orders per customer", "orders per day"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from runtime.models.offline.catalog import Table
from runtime.models.offline.clues import Clues, is_adverb
from runtime.models.offline.lexicon import BUSINESS_WORDS, BUYERS
from runtime.models.offline.measures import Measure, find_measure, named_numbers
from runtime.models.offline.parts import COUNT, Parts, figure_of, functions_said, planned
from runtime.models.offline.plan import Aggregate, Dimension, Mean, Plan, Reading

_PER = ("per", "each", "every", "in")
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def average_per(parts: Parts) -> Reading | None:
    """The average, or median, of a figure over the groups that "per" names; None where none is asked for."""
    clues, functions = parts.clues, functions_said(parts)
    wanted = functions & {"avg", "median"}
    if len(wanted) != 1 or functions - wanted - {"count"} or not says_per(clues) or clues.extremes or parts.bounds:
        return None
    figure = _figure(parts)
    if figure is None:
        return None
    if len(parts.dimensions) != 1:
        return parts.cannot("I can average over one kind of group only.")
    dimension = parts.dimensions[0]
    if dimension.bucket in ("weekday", "hour") or dimension.width or figure.column == dimension.column:
        return parts.cannot("I can't tell over what that average is to be taken.")
    units = 0 if clues.weekdays else _units(dimension, parts)
    function = "avg" if "avg" in wanted else "median"
    return replace(planned(parts, "average", figure), mean=Mean(function, units), chart=False)


def says_per(clues: Clues) -> bool:
    """True for "per", "each" and "daily", which name the groups that an average is over; "by" names those it is of."""
    by = any(clue == "by" and clues.tokens[first].low in _PER for clue, first, _ in clues.phrases)
    return by or any(is_adverb(clues.tokens[at]) for _, at in clues.buckets)


def _figure(parts: Parts) -> Aggregate | None:
    """What is counted or added up within each group; None where it can't be told from a figure of single rows."""
    clues = parts.clues
    named = named_numbers(clues, parts.measure_tokens)
    target = parts.targets[0] if len(parts.targets) == 1 else None
    if len(parts.targets) > 1 or clues.trade in ("sold", "ordered"):
        return None
    if target is not None and not named and not clues.money:
        if target.kind == "rows":
            return COUNT
        counts = target.kind == "label" and target.column is not None
        return Aggregate("distinct", target.column) if counts else None
    if target is None and not named and not clues.money and (clues.rows_at or any(m.table for m in clues.mentions)):
        return COUNT
    return _total(parts, named) if target is None else None


def _total(parts: Parts, named: Sequence[Measure]) -> Aggregate | None:
    """Amounts that are known by their total: revenue per month, what is spent per customer."""
    if any(not BUSINESS_WORDS.intersection(measure.column.words) for measure in named):
        return None
    dimension = parts.dimensions[0] if parts.dimensions else None
    of_buyers = dimension is not None and bool(BUYERS.intersection(dimension.column.words))
    if dimension is None or not (dimension.bucket or of_buyers):
        return None
    measure = find_measure(parts.clues, "money" if not named else "", parts.measure_tokens)
    return figure_of("sum", measure) if isinstance(measure, Measure) and measure.column.additive else None


def _units(dimension: Dimension, parts: Parts) -> int:
    """How many days … years there are in the data, or in the part of them that the period leaves; 0 for no calendar."""
    first, last = dimension.column.first_day(), dimension.column.last_day()
    if not dimension.bucket or first is None or last is None:
        return 0
    period = parts.span.period
    if period is not None and parts.span.column != dimension.column:
        return 0
    if period is not None:
        first, last = max(first, period.start or first), min(last, period.end or last)
    return _between(first, last, dimension.bucket)


def _between(first: date, last: date, unit: str) -> int:
    if unit == "day":
        return (last - first).days + 1
    if unit == "week":
        return ((last.toordinal() - 1) // 7) - ((first.toordinal() - 1) // 7) + 1
    months = _MONTHS[unit]
    return (last.year * 12 + last.month - 1) // months - (first.year * 12 + first.month - 1) // months + 1


def completed(plan: Plan, tables: Sequence[Table]) -> Plan:
    """The average with the table that has a row for each of its groups, those without anything to count too. Where a
    condition is one of that table's, how many there are isn't known."""
    if plan.mean is None or plan.dimensions[0].bucket or plan.aggregate.function != "count":
        return plan
    column = plan.dimensions[0].column
    narrowed = plan.related or any(one.column.via is not None for one in (*plan.values, *plan.figures))
    by_id = {table.id: table for table in tables}
    own = by_id.get(plan.table.id, plan.table)
    joins = [join for join in own.joins if join.column == column.name] if column.via is None else []
    other = by_id.get(joins[0].table) if len(joins) == 1 else None
    if other is None or narrowed or joins[0].other_column not in other.keys or other.source != own.source:
        return plan
    return replace(plan, mean=replace(plan.mean, rows_of=other.sql, of=other.called))
