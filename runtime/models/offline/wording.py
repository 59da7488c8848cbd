"""How figures, dates, columns and filters are put into words."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from runtime.evidence import Json
from runtime.models.offline.catalog import Column
from runtime.models.offline.lexicon import CURRENCIES, MONEY_COLUMNS, MONTH_NAMES, QUANTITY_WORDS
from runtime.models.offline.periods import Period
from runtime.models.offline.plan import Aggregate, Comparison, FigureFilter, Plan, Related, ValueFilter
from runtime.models.offline.weekdays import days_said

_UNIT_NAMES = {"minute": "minutes", "hour": "hours", "second": "seconds", "mile": "miles", "percent": "percent"}
_UNIT_CODE = re.compile(r"[A-Z]{2,4}")  # a currency's code; a longer name would read badly behind each figure
_OPERATORS = {"=": "exactly", "<": "under", "<=": "at most", ">": "over", ">=": "at least"}
_BEFORE = {"week": "the week of", "hour": "hour"}
_SMALL = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_FUNCTIONS = {"sum": "total", "avg": "average", "median": "median", "min": "lowest", "max": "highest"}
JOINTS = {"sum": " plus ", "difference": " less ", "quotient": " per "}
_OTHERWISE = {"total": "sum", "average": "mean"}


def figure(value: Json, aggregate: Aggregate | None = None) -> str:
    """A number as people read it: thousands marks, at most two decimals (four below one), money with two."""
    number = _decimal(value)
    if number is None:
        return shown(value)
    column = aggregate.column if aggregate else None
    unit = unit_name(aggregate) if aggregate else ""
    money = column is not None and column.kind == "number" and bool(set(column.words) & MONEY_COLUMNS)
    if aggregate is not None and aggregate.function in ("count", "distinct"):
        money, unit = False, ""
    return _grouped(number, money) + (f" {unit}" if unit else "")


def in_its_unit(plan: Plan) -> Plan:
    """The plan with the unit of its figures, where the filters leave one: amounts of `currency` EUR alone are EUR."""
    beside = tuple(_in_unit(figure, plan) for figure in plan.beside)
    return replace(plan, aggregate=_in_unit(plan.aggregate, plan), beside=beside)


def _in_unit(aggregate: Aggregate, plan: Plan) -> Aggregate:
    column, known = aggregate.column, {column.name for column in plan.table.unit_columns}
    if aggregate.unit or column is None or column.kind != "number" or aggregate.function in ("count", "distinct"):
        return aggregate
    if column.words[-1] in QUANTITY_WORDS or (plan.table.borrowed and not MONEY_COLUMNS.intersection(column.words)):
        return aggregate  # pieces of an order in EUR are no euros
    kept = [value for value in plan.values if value.column.name in known and not value.negated]
    units = {text.strip().upper() for value in kept for text in value.values}
    if len(units) != 1 or not _UNIT_CODE.fullmatch(unit := units.pop()):
        return aggregate
    money = [one.name for one in plan.table.of_kind("number") if MONEY_COLUMNS.intersection(one.words)]
    if money and column.name not in money and unit in CURRENCIES.values():
        return aggregate  # nor are the clicks of a campaign beside its cost
    return replace(aggregate, unit=unit)


def unit_name(aggregate: Aggregate) -> str:
    """The figure's unit as it is said behind numbers; empty when there is none."""
    return _UNIT_NAMES.get(aggregate.unit, aggregate.unit)


def _grouped(number: Decimal, money: bool) -> str:
    if number == number.to_integral_value() and not money:
        return f"{int(number):,}"
    places = 2 if money or abs(number) >= 1 else 4
    text = f"{number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):,.{places}f}"
    return text if money else text.rstrip("0").rstrip(".")


def _decimal(value: Json) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def shown(value: Json, column: Column | None = None) -> str:
    """A cell: text as it stands (marks that would format are taken out), nothing as "(no value)"."""
    if value is None:
        return "(no value)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float) and (column is None or column.kind not in ("id", "year")):
        return figure(value, Aggregate("max", column) if column else None)
    return re.sub(r"[*_`~\[\]|<>\n\r]", " ", str(value)).strip()


def as_code(words: str) -> str:
    """An engine's own words, set apart as code: a number in them is no figure of the answer."""
    return f"`{' '.join(words.replace('`', ' ').split())}`"


def bucket(value: Json, kind: str) -> str:
    """A calendar bucket: "2024-10" → "October 2024"."""
    if kind == "month" and isinstance(value, str) and re.match(r"^\d{4}-\d{2}$", value):
        return f"{MONTH_NAMES[int(value[5:]) - 1]} {value[:4]}"
    if kind == "quarter" and isinstance(value, str):
        return f"{value[-2:]} {value[:4]}"
    return f"{named} {value}" if (named := _BEFORE.get(kind)) and value is not None else str(value)


def measured(plan: Plan) -> str:
    """What the figure is: "total of `amount`"; of several, all of them."""
    if plan.beside:
        return _together(plan)
    aggregate = plan.aggregate
    if aggregate.column is None:
        return f"number of {plan.table.rows_called}"
    if aggregate.function == "distinct":
        return f"number of different values of `{aggregate.column.name}`"
    return f"{_function(plan)} of `{aggregate.column.name}`{_per_row(plan)}"


def _together(plan: Plan) -> str:
    """ "total of `a` less `b`", "total of `a`, `b` and `c`"."""
    names = [f"`{one.column.name}`" for one in plan.measures if one.column is not None]
    joint = JOINTS.get(plan.combined)
    listed = joint.join(names) if joint else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{_function(plan)} of {listed}{_per_row(plan)}"


def _function(plan: Plan) -> str:
    said = _FUNCTIONS[plan.aggregate.function]
    twice = any(said in one.column.words for one in plan.measures if one.column is not None)  # a "total of total"
    return _OTHERWISE.get(said, said) if twice else said


def _per_row(plan: Plan) -> str:
    return " per row" if plan.aggregate.function in ("avg", "median") else ""


def conditions(plan: Plan) -> str:
    """The exact filters and period: "category is “transport”, month from 2023-07-01 to 2023-12-31"."""
    parts = [_value(value) + (" in the whole, too" if value.base else "") for value in plan.values]
    parts += [_figure(bound) for bound in plan.figures]
    parts += [_related(item) for item in plan.related]
    if plan.period is not None and plan.earlier is not None and plan.date is not None:
        parts.append(f"{column_name(plan.date)} in {_ends(plan.period)} against {_ends(plan.earlier)}")
    elif plan.period is not None and plan.date is not None:
        start, end = plan.period.start, plan.period.end
        ends = [f"from {start.isoformat()}"] if start else []
        ends += [f"to {end.isoformat()}"] if end else []
        parts.append(f"{column_name(plan.date)} {' '.join(ends)}")
    if plan.weekdays and plan.date is not None:
        parts.append(f"{column_name(plan.date)} on {days_said(plan.weekdays)}")
    return ", ".join(parts)


def _related(item: Related) -> str:
    where = conditions(item.rows)
    kept = f" where {where}" if where else ""
    return f"{'no' if item.negated else 'a'} row of `{item.rows.table.called}`{kept} belongs to it"


def _ends(period: Period) -> str:
    return f"{period.start} to {period.end}"


def bound(comparison: Comparison, unit: str = "") -> str:
    """A bound: "over 1,500"."""
    after = f" {_UNIT_NAMES.get(unit, unit)}" if unit else ""
    if comparison.operator == "between":
        return f"between {_threshold(comparison.low)} and {_threshold(comparison.high)}{after}"
    return f"{_OPERATORS[comparison.operator]} {_threshold(comparison.low)}{after}"


def _threshold(value: float) -> str:
    """A bound's number; small whole ones in words, since they are often said so and are no finding."""
    return small(int(value)) if value == int(value) and 0 <= value < len(_SMALL) else figure(value)


def small(number: int) -> str:
    """A whole number, in words up to twelve: said of the answer itself, it is no finding."""
    return _SMALL[number] if 0 <= number < len(_SMALL) else f"{number:,}"


def column_name(column: Column) -> str:
    """A column as people read it; one of another table with that table."""
    return f"`{column.via.table}.{column.name}`" if column.via else f"`{column.name}`"


def grouped(plan: Plan) -> tuple[str, ...]:
    """What the groups are called in a heading: their plain columns; one of another table with that table only where two
    are called the same."""
    names = [one.column.name for one in plan.dimensions if not one.bucket] + [column.name for column in plan.split]
    return tuple(
        column_name(one.column) if names.count(one.column.name) > 1 else f"`{one.column.name}`"
        for one in plan.dimensions
    )


def _value(value: ValueFilter) -> str:
    if value.column.kind == "flag":
        return f"`{value.column.name}` is {'no' if value.negated else 'yes'}"
    folded = list({text.strip().casefold(): text.strip() for text in reversed(value.values)}.values())[::-1]
    listed = " or ".join(f"“{shown(text)}”" for text in folded)
    if value.negated and len(folded) > 1:
        return f"{column_name(value.column)} is neither {' nor '.join(f'“{shown(text)}”' for text in folded)}"
    return f"{column_name(value.column)} is {'not ' if value.negated else ''}{listed}"


def _figure(item: FigureFilter) -> str:
    return f"{column_name(item.column)} {bound(item.comparison)}" + (" (converted)" if item.divisor != 1 else "")
