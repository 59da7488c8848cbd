"""The parts of a query: columns, tables, groups, figures and conditions of a plan as expressions of its engine."""

from __future__ import annotations

from datetime import timedelta

from runtime.models.offline import dialects
from runtime.models.offline.catalog import Column, Dialect, Join
from runtime.models.offline.dialects import quoted as name
from runtime.models.offline.dialects import text
from runtime.models.offline.periods import Period
from runtime.models.offline.plan import Dimension, FigureFilter, Plan, Related, ValueFilter, sourced
from runtime.models.offline.results import dimension_name, label_name

FUNCTIONS = {"sum": "sum", "avg": "avg", "min": "min", "max": "max"}


def ref(column: Column) -> str:
    """A column, with its table where more than one is read."""
    if column.formula is not None:
        above, below, factor = (column.formula[0], column.formula[1], column.formula[2])
        table = f"{_alias(column.source)}." if column.source else ""
        return f"({table}{name(above)} * {factor!r} / nullif({table}{name(below)}, 0))"
    return f"{_alias(column.source)}.{name(column.name)}" if column.source else name(column.name)


def _alias(table_id: str) -> str:
    """How a table is called inside a query: its own name, without database and schema."""
    _, slash, own = table_id.rpartition("/")
    return name(own.rpartition(".")[2] if slash else own)


def tables_read(plan: Plan) -> str:
    """The table, joined step by step to the keys of those that the plan's columns come from."""
    written = plan.table.sql
    columns = [plan.aggregate.column, plan.other, plan.date, *(value.column for value in plan.values), *plan.split]
    columns += [column for dimension in plan.dimensions for column in (dimension.column, dimension.label)]
    columns += [figure.column for figure in plan.figures]
    steps = [step for column in columns if column is not None for step in _way(column.via)]
    for join in dict.fromkeys(steps):
        mine = f"{_alias(join.origin)}.{name(join.column)}"
        written += f" LEFT JOIN {join.sql} ON {mine} = {_alias(join.table)}.{name(join.other_column)}"
    return written


def unqualified(plan: Plan) -> Plan:
    """The plan without the table before each name, where only one table is read."""
    return plan if " JOIN " in tables_read(plan) else sourced(plan, "")


def _way(join: Join | None) -> list[Join]:
    return [] if join is None else [*_way(join.before), join]


def dated(column: Column, plan: Plan) -> str:
    """The column as a day or a moment."""
    return dialects.date_expression(column, ref(column), plan.table.dialect)


def keys_of(plan: Plan) -> list[tuple[str, str]]:
    """What says which group a row of the result is, each with its name there: the dimensions, the names of ids, and
    what must not be mixed."""
    found: list[tuple[str, str]] = []
    for dimension in plan.dimensions:
        found.append((_shown_dimension(dimension, plan), name(dimension_name(dimension))))
        if dimension.label is not None:
            found.append((f"min({ref(dimension.label)})", name(label_name(dimension, plan))))
    return found + [(ref(column), name(column.name)) for column in plan.split]


def split_of(plan: Plan) -> list[str]:
    """The columns that must not be mixed."""
    return [ref(column) for column in plan.split]


def aggregate(plan: Plan) -> str | None:
    """The figure as an expression; sums of floating values are rounded far below what is shown, so that ties hold.
    None for a median where the engine has none."""
    figure = plan.aggregate
    if figure.column is None:
        return "count(*)"
    if figure.function == "distinct":
        return f"count(DISTINCT {folded(figure.column)})"
    column = ref(figure.column)
    if figure.function == "median":
        written = dialects.median(column, plan.table.dialect)
        if written is None:
            return None
    else:
        written = f"{FUNCTIONS[figure.function]}({column})"
    expression = scaled(written, figure.divisor)
    exact = figure.function in ("min", "max") or (figure.function == "sum" and "INT" in figure.column.type)
    whole = exact and figure.divisor == 1
    return expression if whole else dialects.rounded(expression, 6, plan.table.dialect)


def scaled(expression: str, divisor: float) -> str:
    """The figure in the unit that is asked for."""
    if divisor == 1:
        return expression
    return f"{expression} / {divisor:.1f}" if divisor > 1 else f"{expression} * {1 / divisor:.1f}"


def grouped_by(dimension: Dimension, plan: Plan) -> str:
    """What tells the groups of a dimension apart."""
    if dimension.bucket:
        return dialects.bucket(dimension.bucket, dated(dimension.column, plan), plan.table.dialect)
    if dimension.width:
        width = _number(dimension.width)
        return f"floor({ref(dimension.column)} / {dimension.width!r}) * {width}"
    return folded(dimension.column)


def folded(column: Column) -> str:
    """The column, without case and outer blanks where values differ in these only."""
    return dialects.folded(ref(column)) if column.folds else ref(column)


def _shown_dimension(dimension: Dimension, plan: Plan) -> str:
    """A group's value; of several spellings the same one in all groups."""
    value, spelled = grouped_by(dimension, plan), f"min({ref(dimension.column)})"
    several = len(plan.dimensions) + len(plan.split) > 1
    spelled = f"min({spelled}) OVER (PARTITION BY {value})" if several else spelled
    return spelled if dimension.column.folds else value


def where(plan: Plan, extra: str = "") -> str:
    """The conditions of the plan, and `extra`, with their WHERE; empty when there is none."""
    parts = [value_filter(value, plan) for value in plan.values]
    parts += [figure_filter(figure) for figure in plan.figures]
    parts += [related_filter(item) for item in plan.related]
    if plan.period is not None and plan.date is not None:
        parts += within(dated(plan.date, plan), plan.period, plan.table.dialect)
    if plan.weekdays:
        parts.append(on_weekdays(plan))
    if plan.top or plan.shape in ("group_count", "average") or any(dimension.width for dimension in plan.dimensions):
        parts += [f"{grouped_by(dimension, plan)} IS NOT NULL" for dimension in plan.dimensions]
    parts += [extra] if extra else []
    return f" WHERE {' AND '.join(parts)}" if parts else ""


def on_weekdays(plan: Plan) -> str:
    """The condition that a row's day is one of the weekdays of the plan."""
    assert plan.date is not None
    day = dialects.weekday(dated(plan.date, plan), plan.table.dialect)
    return f"{day} IN ({', '.join(str(number) for number in plan.weekdays)})"


def within(expression: str, period: Period, dialect: Dialect) -> list[str]:
    """The conditions that keep a day in a period."""
    parts = [f"{expression} >= {dialects.day(period.start, dialect)}"] if period.start else []
    if period.end:
        parts.append(f"{expression} < {dialects.day(period.end + timedelta(days=1), dialect)}")
    return parts


def value_filter(value: ValueFilter, plan: Plan) -> str:
    """The condition that a column holds, or does not hold, one of some values."""
    column = ref(value.column)
    if value.column.type == "BOOLEAN":
        return f"{column} = {'false' if value.negated else 'true'}"
    if value.column.kind == "id":
        written = [item if value.column.type == "BIGINT" and item.isdigit() else text(item) for item in value.values]
        return f"{column} {'NOT IN' if value.negated else 'IN'} ({', '.join(written)})"
    values = value.values if value.column.kind == "label" else (value.column.true_value or "",)
    if value.column.kind == "label" and value.column.complete:
        listed = ", ".join(text(item) for item in values)
    else:
        column = dialects.folded(column)
        listed = ", ".join(text(item) for item in dict.fromkeys(item.strip().lower() for item in values))
    return f"{column} {'NOT IN' if value.negated else 'IN'} ({listed})"


def figure_filter(figure: FigureFilter) -> str:
    """The condition that a figure of each row keeps its bound."""
    expression = scaled(ref(figure.column), figure.divisor)
    comparison = figure.comparison
    if comparison.operator == "between":
        return f"{expression} BETWEEN {_number(comparison.low)} AND {_number(comparison.high)}"
    return f"{expression} {comparison.operator} {_number(comparison.low)}"


def related_filter(item: Related) -> str:
    """Whether a row's key is among those that rows of another table point at; asked once, for all rows."""
    rows = unqualified(item.rows)
    assert rows.other is not None
    pointing = ref(rows.other)
    found = f"SELECT {pointing} FROM {tables_read(rows)}{where(rows, f'{pointing} IS NOT NULL')}"
    return f"{ref(item.key)} {'NOT IN' if item.negated else 'IN'} ({found})"


def comparison(figure: str, plan: Plan) -> str:
    """The condition that a group's figure keeps the bound of the plan."""
    bound = plan.having
    assert bound is not None
    if bound.operator == "between":
        return f"{figure} BETWEEN {_number(bound.low)} AND {_number(bound.high)}"
    return f"{figure} {bound.operator} {_number(bound.low)}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
