"""A plan as one DuckDB query: quoted names, quoted text, nothing taken over from the question as it stands."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from runtime.models.offline.catalog import Column, Table
from runtime.models.offline.plan import Aggregate, Dimension, FigureFilter, Plan, ValueFilter

FIGURE, ROWS, GROUPS, IN_ALL = "figure", "rows", "groups_found", "rows_found"
PART, WHOLE = "part", "whole"
SHOWN_COLUMNS, LISTED_ROWS = 7, 50
_FUNCTIONS = {"sum": "sum", "avg": "avg", "median": "median", "min": "min", "max": "max"}
_BUCKETS = {
    "day": "CAST({0} AS DATE)",
    "week": "CAST(date_trunc('week', {0}) AS DATE)",
    "month": "strftime({0}, '%Y-%m')",
    "quarter": "(year({0}) || '-Q' || quarter({0}))",
    "year": "year({0})",
}


def query(plan: Plan) -> str:
    """The query that answers `plan`."""
    builders = {
        "scalar": _scalar,
        "groups": _groups,
        "extreme": _extreme,
        "group_count": _group_count,
        "rows": _rows,
        "share": _share,
    }
    return builders[plan.shape](plan)


def name(text: str) -> str:
    """A quoted identifier."""
    return '"' + text.replace('"', '""') + '"'


def text(value: str) -> str:
    """A quoted string."""
    return "'" + value.replace("'", "''") + "'"


def ref(column: Column) -> str:
    """A column, with its table where more than one is read."""
    return f"{name(column.source)}.{name(column.name)}" if column.source else name(column.name)


def _from(plan: Plan) -> str:
    """The table, joined to the keys of those that the plan's columns come from."""
    text = name(plan.table.name)
    columns = [plan.aggregate.column, plan.date, *(value.column for value in plan.values), *plan.split]
    columns += [dimension.column for dimension in plan.dimensions]
    joins = dict.fromkeys(column.via for column in columns if column is not None and column.via is not None)
    for join in joins:
        mine = f"{name(plan.table.name)}.{name(join.column)}"
        text += f" LEFT JOIN {name(join.table)} ON {mine} = {name(join.table)}.{name(join.other_column)}"
    return text


def date_expression(column: Column) -> str:
    """The column as a date or timestamp."""
    if column.date_format is None:
        return ref(column)
    return f"CAST(try_strptime({ref(column)}, {text(column.date_format)}) AS DATE)"


def shown_columns(plan: Plan) -> tuple[Column, ...]:
    """The columns that listed rows are shown with, the measured one last."""
    measured = plan.aggregate.column
    others = [c for c in plan.table.columns if c.via is None and (measured is None or c.name != measured.name)]
    others = others[: SHOWN_COLUMNS - (measured is not None)]
    return (*others, measured) if measured is not None else tuple(others)


def _scalar(plan: Plan) -> str:
    figure = aggregate(plan.aggregate)
    if not plan.split:
        return f"SELECT {figure} AS {FIGURE}, count(*) AS {ROWS} FROM {_from(plan)}{_where(plan)}"
    units = ", ".join(ref(column) for column in plan.split)
    return (
        f"SELECT {units}, {figure} AS {FIGURE}, count(*) AS {ROWS} FROM {_from(plan)}{_where(plan)} "
        f"GROUP BY {units} ORDER BY {units}"
    )


def _groups(plan: Plan) -> str:
    keys = [f"{_shown_dimension(d)} AS {name(dimension_name(d))}" for d in plan.dimensions]
    keys += [ref(column) for column in plan.split]
    groups = ", ".join([*(_dimension(d) for d in plan.dimensions), *(ref(column) for column in plan.split)])
    places = ", ".join(str(place) for place in range(1, len(keys) + 1))
    figure = aggregate(plan.aggregate)
    sql = f"SELECT {', '.join(keys)}, {figure} AS {FIGURE}, count(*) AS {ROWS} FROM {_from(plan)}"
    sql += f"{_where(plan)} GROUP BY {groups}"
    if plan.top:
        direction = "DESC" if plan.top[0] == "max" else "ASC"
        order = f"ORDER BY {figure} {direction} NULLS LAST"
        return f"{sql} QUALIFY rank() OVER ({order}) <= {plan.top[1]} {order}, 1"
    by_figure = not plan.dimensions[0].bucket and len(plan.dimensions) == 1 and not plan.split
    return f"{sql} ORDER BY {figure} DESC NULLS LAST, 1" if by_figure else f"{sql} ORDER BY {places}"


def _group_count(plan: Plan) -> str:
    dimension = plan.dimensions[0]
    figure = aggregate(plan.aggregate)
    having = f" HAVING {_comparison(figure, plan)}" if plan.having else ""
    return (
        f"SELECT {_shown_dimension(dimension)} AS {name(dimension_name(dimension))}, {figure} AS {FIGURE}, "
        f"count(*) OVER () AS {GROUPS} FROM {_from(plan)}{_where(plan)} "
        f"GROUP BY {_dimension(dimension)}{having} ORDER BY 1"
    )


def _share(plan: Plan) -> str:
    conditions = [*(_value_filter(value) for value in plan.values), *(_figure_filter(item) for item in plan.figures)]
    whole = aggregate(plan.aggregate)
    column = plan.aggregate.column
    counted = "count(*)" if column is None else f"sum({ref(column)})"
    part = f"{counted} FILTER (WHERE {' AND '.join(conditions)})"
    return (
        f"SELECT round(100.0 * {part} / nullif({counted}, 0), 4) AS {FIGURE}, {part} AS {PART}, {whole} AS {WHOLE} "
        f"FROM {_from(plan)}{_where(replace(plan, values=(), figures=()))}"
    )


def _extreme(plan: Plan) -> str:
    column = plan.aggregate.column
    assert column is not None and plan.top is not None
    direction = "DESC" if plan.top[0] == "max" else "ASC"
    value = date_expression(column) if column.dated else ref(column)
    extra = f"{value} IS NOT NULL"
    figure = _scaled(value, plan.aggregate.divisor)
    shown = ", ".join(_selected(c) for c in shown_columns(plan) if c.name != column.name)
    shown = f"{shown}, " if shown else ""
    return (
        f"SELECT {shown}{figure} AS {name(column.name if plan.aggregate.divisor == 1 else FIGURE)} "
        f"FROM {_from(plan)}{_where(plan, extra)} "
        f"QUALIFY rank() OVER (ORDER BY {value} {direction}) <= {plan.top[1]} ORDER BY {value} {direction}, 1"
    )


def _rows(plan: Plan) -> str:
    shown = ", ".join(_selected(column) for column in shown_columns(plan))
    order = f" ORDER BY {date_expression(plan.date)}" if plan.date else " ORDER BY 1"
    return f"SELECT {shown}, count(*) OVER () AS {IN_ALL} FROM {_from(plan)}{_where(plan)}{order} LIMIT {LISTED_ROWS}"


def _selected(column: Column) -> str:
    return f"{date_expression(column)} AS {name(column.name)}" if column.date_format else ref(column)


def aggregate(figure: Aggregate) -> str:
    """The figure as an expression; sums of floating values are rounded far below what is shown, so that ties hold."""
    if figure.column is None:
        return "count(*)"
    column = ref(figure.column)
    if figure.function == "distinct":
        return f"count(DISTINCT {_folded(figure.column)})"
    expression = _scaled(f"{_FUNCTIONS[figure.function]}({column})", figure.divisor)
    exact = figure.function in ("min", "max") or (figure.function == "sum" and "INT" in figure.column.type)
    return expression if exact and figure.divisor == 1 else f"round({expression}, 6)"


def _scaled(expression: str, divisor: float) -> str:
    if divisor == 1:
        return expression
    return f"{expression} / {divisor:.1f}" if divisor > 1 else f"{expression} * {1 / divisor:.1f}"


def dimension_name(dimension: Dimension) -> str:
    """The result column's name of a dimension."""
    return dimension.bucket or dimension.column.name


def _dimension(dimension: Dimension) -> str:
    if not dimension.bucket:
        return _folded(dimension.column)
    return _BUCKETS[dimension.bucket].format(date_expression(dimension.column))


def _folded(column: Column) -> str:
    """The column, without case and outer blanks where values differ in these only."""
    return f"lower(trim({ref(column)}))" if column.folds else ref(column)


def _shown_dimension(dimension: Dimension) -> str:
    return f"min({ref(dimension.column)})" if dimension.column.folds else _dimension(dimension)


def _where(plan: Plan, extra: str = "") -> str:
    parts = [_value_filter(value) for value in plan.values]
    parts += [_figure_filter(figure) for figure in plan.figures]
    if plan.period is not None and plan.date is not None:
        column = date_expression(plan.date)
        if plan.period.start:
            parts.append(f"{column} >= DATE '{plan.period.start.isoformat()}'")
        if plan.period.end:
            parts.append(f"{column} < DATE '{(plan.period.end + timedelta(days=1)).isoformat()}'")
    if plan.top or plan.shape == "group_count":
        parts += [f"{_dimension(dimension)} IS NOT NULL" for dimension in plan.dimensions]
    parts += [extra] if extra else []
    return f" WHERE {' AND '.join(parts)}" if parts else ""


def _value_filter(value: ValueFilter) -> str:
    column = ref(value.column)
    if value.column.type == "BOOLEAN":
        return f"{column} = {'false' if value.negated else 'true'}"
    values = value.values if value.column.kind == "label" else (value.column.true_value or "",)
    if value.column.kind == "label" and value.column.complete:
        listed = ", ".join(text(item) for item in values)
    else:
        column = f"lower(trim({column}))"
        listed = ", ".join(text(item) for item in dict.fromkeys(item.strip().lower() for item in values))
    return f"{column} {'NOT IN' if value.negated else 'IN'} ({listed})"


def _figure_filter(figure: FigureFilter) -> str:
    expression = _scaled(ref(figure.column), figure.divisor)
    comparison = figure.comparison
    if comparison.operator == "between":
        return f"{expression} BETWEEN {_number(comparison.low)} AND {_number(comparison.high)}"
    return f"{expression} {comparison.operator} {_number(comparison.low)}"


def _comparison(figure: str, plan: Plan) -> str:
    bound = plan.having
    assert bound is not None
    if bound.operator == "between":
        return f"{figure} BETWEEN {_number(bound.low)} AND {_number(bound.high)}"
    return f"{figure} {bound.operator} {_number(bound.low)}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


# Look-ups ------------------------------------------------------------------------------------------------------------


def values_query(table: str, columns: tuple[Column, ...], parts: tuple[str, ...]) -> str:
    """The values of `columns` that hold one of `parts` of words, at most 20 a column."""
    selects: list[str] = []
    for column in columns:
        quoted = name(column.name)
        tests = " OR ".join(f"contains(lower({quoted}), {text(part)})" for part in parts)
        selects.append(
            f"SELECT * FROM (SELECT DISTINCT {text(table)} AS looked_in, {text(column.name)} AS looked_at, "
            f"{quoted} AS found FROM {name(table)} WHERE {tests} ORDER BY 3 LIMIT 20)"
        )
    return " UNION ALL ".join(selects)


def dates_query(table: Table, column: Column) -> str:
    """How many of a text column's cells read as dates, and from when to when."""
    parsed = date_expression(column)
    return (
        f"SELECT {text(table.name)} AS dated_in, {text(column.name)} AS dated_at, count({ref(column)}) AS cells, "
        f"count({parsed}) AS dates, min({parsed}) AS first_day, max({parsed}) AS last_day FROM {name(table.name)}"
    )
