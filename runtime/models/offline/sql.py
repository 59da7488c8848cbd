"""A plan as one query of its engine: quoted names, quoted text, nothing taken over from the question as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from runtime.models.offline import dialects
from runtime.models.offline.catalog import Column, Dialect, Join, Table
from runtime.models.offline.dialects import quoted as name
from runtime.models.offline.dialects import text
from runtime.models.offline.periods import Period
from runtime.models.offline.plan import Dimension, FigureFilter, Plan, Related, ValueFilter, sourced

FIGURE, ROWS, GROUPS, IN_ALL = "figure", "rows", "groups_found", "rows_found"
PART, WHOLE = "part", "whole"
BEFORE, AFTER, CHANGE, PERCENT = "before", "after", "change", "change_percent"
SHOWN_COLUMNS, LISTED_ROWS = 7, 50
_SHOWN_ROWS = 100  # of a longer result a model sees the first rows only
_STEP_DAYS = {"day": 1, "week": 7, "month": 28, "quarter": 90, "year": 365}
_FUNCTIONS = {"sum": "sum", "avg": "avg", "min": "min", "max": "max"}


def query(plan: Plan) -> str:
    """The query that answers `plan`."""
    plan = _unqualified(plan)
    builders = {
        "scalar": _scalar,
        "groups": _groups,
        "extreme": _extreme,
        "group_count": _group_count,
        "rows": _rows,
        "share": _share,
        "change": _change,
        "correlation": _correlation,
        "months_over": _months_over,
    }
    return builders[plan.shape](plan)


# Names ---------------------------------------------------------------------------------------------------------------


def ref(column: Column) -> str:
    """A column, with its table where more than one is read."""
    if column.formula is not None:
        above, below, factor = (column.formula[0], column.formula[1], column.formula[2])
        where = f"{_alias(column.source)}." if column.source else ""
        return f"({where}{name(above)} * {factor!r} / nullif({where}{name(below)}, 0))"
    return f"{_alias(column.source)}.{name(column.name)}" if column.source else name(column.name)


def _alias(table_id: str) -> str:
    """How a table is called inside a query: its own name, without database and schema."""
    _, slash, own = table_id.rpartition("/")
    return name(own.rpartition(".")[2] if slash else own)


def _from(plan: Plan) -> str:
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


def _unqualified(plan: Plan) -> Plan:
    """The plan without the table before each name, where only one table is read."""
    return plan if " JOIN " in _from(plan) else sourced(plan, "")


def _way(join: Join | None) -> list[Join]:
    return [] if join is None else [*_way(join.before), join]


def _dated(column: Column, plan: Plan) -> str:
    return dialects.date_expression(column, ref(column), plan.table.dialect)


def shown_columns(plan: Plan) -> tuple[Column, ...]:
    """The columns that listed rows are shown with, the measured one last."""
    measured = plan.aggregate.column
    others = [c for c in plan.table.columns if c.via is None and (measured is None or c.name != measured.name)]
    others = [c for c in others if c.formula is None and (c.name in plan.named or not c.masked)]
    room = SHOWN_COLUMNS - (measured is not None) - sum(column.name in plan.named for column in others)
    rest = {column.name for column in [c for c in others if c.name not in plan.named][: max(room, 0)]}
    others = [column for column in others if column.name in plan.named or column.name in rest]
    return (*others, measured) if measured is not None else tuple(others)


# Shapes --------------------------------------------------------------------------------------------------------------


def _scalar(plan: Plan) -> str:
    if not plan.split:
        return _grouped(plan)
    places = ", ".join(str(place) for place in range(1, len(plan.split) + 1))
    return f"{_grouped(plan)} ORDER BY {places}"


def _grouped(plan: Plan) -> str:
    """The figure by the plan's dimensions and by what must not be mixed, in no order. A count needs no second one."""
    figure = aggregate(plan)
    if figure is None:
        return _medians(plan)
    keys = [f"{shown} AS {called}" for shown, called in _keys(plan)]
    column = plan.aggregate.column
    cells = ref(column) if column is not None and column.null_percent > 0 else "*"  # only cells with a value count
    counted = [] if plan.aggregate.function == "count" else [f"count({cells}) AS {ROWS}"]
    selected = ", ".join([*keys, f"{figure} AS {FIGURE}", *counted])
    groups = ", ".join([*(_dimension(d, plan) for d in plan.dimensions), *_split(plan)])
    return f"SELECT {selected} FROM {_from(plan)}{_where(plan)}" + (f" GROUP BY {groups}" if groups else "")


def _keys(plan: Plan) -> list[tuple[str, str]]:
    """What says which group a row of the result is, each with its name there: the dimensions, the names of ids, and
    what must not be mixed."""
    found: list[tuple[str, str]] = []
    for dimension in plan.dimensions:
        found.append((_shown_dimension(dimension, plan), name(dimension_name(dimension))))
        if dimension.label is not None:
            found.append((f"min({ref(dimension.label)})", name(label_name(dimension, plan))))
    return found + [(ref(column), name(column.name)) for column in plan.split]


def _split(plan: Plan) -> list[str]:
    return [ref(column) for column in plan.split]


def _medians(plan: Plan) -> str:
    """The middle values by their places, for an engine without a median."""
    assert plan.aggregate.column is not None
    measured = ref(plan.aggregate.column)
    keys = [(_dimension(d, plan), dimension_name(d)) for d in plan.dimensions]
    keys += [(ref(column), column.name) for column in plan.split]
    apart = f"PARTITION BY {', '.join(key for key, _ in keys)} " if keys else ""
    labels = [
        (at, d.label, label_name(d, plan)) for at, d in enumerate(plan.dimensions, start=1) if d.label is not None
    ]
    inner = [f"{key} AS key_{at}" for at, (key, _) in enumerate(keys, start=1)]
    inner += [f"{ref(label)} AS label_{at}" for at, label, _ in labels]
    inner += [f"{ref(d.column)} AS shown_{at}" for at, d in enumerate(plan.dimensions, start=1) if d.column.folds]
    inner += [
        f"{measured} AS measured",
        f"row_number() OVER ({apart}ORDER BY {measured}) AS place",
        f"count(*) OVER ({apart.strip()}) AS found",
    ]
    folded = {at for at, d in enumerate(plan.dimensions, start=1) if d.column.folds}
    outer = [
        f"{f'min(shown_{at})' if at in folded else f'key_{at}'} AS {name(called)}"
        for at, (_, called) in enumerate(keys, start=1)
    ]
    outer += [f"min(label_{at}) AS {name(called)}" for at, _, called in labels]
    middle = "avg(measured) FILTER (WHERE place IN ((found + 1) / 2, (found + 2) / 2))"
    outer += [f"round({_scaled(middle, plan.aggregate.divisor)}, 6) AS {FIGURE}", f"count(*) AS {ROWS}"]
    groups = ", ".join(f"key_{at}" for at in range(1, len(keys) + 1))
    return (
        f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} FROM {_from(plan)}"
        f"{_where(plan, f'{measured} IS NOT NULL')}) AS ordered" + (f" GROUP BY {groups}" if groups else "")
    )


def _groups(plan: Plan) -> str:
    keys = [called for _, called in _keys(plan)]
    if plan.top:
        return _ranked(plan, _grouped(plan), [FIGURE] if plan.aggregate.function == "count" else [FIGURE, ROWS])
    order = f"{len(keys) + 1} DESC NULLS LAST, 1" if _by_figure(plan) else _places(plan, len(keys))
    return f"{_grouped(plan)} ORDER BY {order}"


def _ranked(plan: Plan, grouped: str, figures: Sequence[str]) -> str:
    """The first ranks of the groups by their figure, with all ties, apart for what must not be mixed."""
    assert plan.top is not None
    direction = "DESC" if plan.top[0] == "max" else "ASC"
    keys = [called for _, called in _keys(plan)]
    within = f"PARTITION BY {', '.join(name(column.name) for column in plan.split)} " if plan.split else ""
    listed = ", ".join([*keys, *figures])
    return (
        f"WITH grouped AS ({grouped}), ranked AS (SELECT {listed}, rank() OVER ({within}ORDER BY {FIGURE} "
        f"{direction} NULLS LAST) AS place FROM grouped) SELECT {listed} FROM ranked "
        f"WHERE place <= {plan.top[1]} ORDER BY {'place' if not plan.split else f'{len(keys)}, place'}, 1"
    )


def _places(plan: Plan, count: int) -> str:
    """The order of the first `count` columns, the newest first where that is wanted."""
    first = "1 DESC NULLS LAST" if newest_first(plan) else "1"
    return ", ".join([first, *(str(place) for place in range(2, count + 1))])


def newest_first(plan: Plan) -> bool:
    """True for so many steps of time that a result would be cut where the newest are."""
    if not plan.in_time:
        return False
    dimension = plan.dimensions[0]
    first, last = dimension.column.first_day(), dimension.column.last_day()
    if first is None or last is None:
        return False
    if plan.period is not None and plan.date == dimension.column:
        first, last = max(first, plan.period.start or first), min(last, plan.period.end or last)
    rows = (last - first).days / _STEP_DAYS[dimension.bucket] + 1
    for column in [one.column for one in plan.dimensions[1:]] + list(plan.split):
        rows *= max(column.distinct, 1)
    return rows > _SHOWN_ROWS


def _by_figure(plan: Plan) -> bool:
    ordered = plan.dimensions[0].bucket or plan.dimensions[0].width
    return not ordered and len(plan.dimensions) == 1 and not plan.split


def _group_count(plan: Plan) -> str:
    keys = ", ".join(called for _, called in _keys(plan))
    kept = f" WHERE {_comparison(FIGURE, plan)}" if plan.having else ""
    return (
        f"WITH grouped AS ({_grouped(plan)}) SELECT {keys}, {FIGURE}, count(*) OVER () AS {GROUPS} "
        f"FROM grouped{kept} ORDER BY 1"
    )


def _share(plan: Plan) -> str:
    """The part that the one condition takes of each group, or, without a condition, each group of all of them."""
    conditions = [_value_filter(value, plan) for value in plan.values if not value.base]
    conditions += [_figure_filter(item) for item in plan.figures]
    conditions += [_related_filter(item) for item in plan.related]
    column = plan.aggregate.column
    total = "count(*)" if column is None else f"sum({ref(column)})"
    part = f"coalesce({total} FILTER (WHERE {' AND '.join(conditions)}), 0)" if conditions else total
    split = _split(plan)
    apart = f"PARTITION BY {', '.join(split)}" if split else ""
    whole = aggregate(plan) if conditions else f"sum({total}) OVER ({apart})"
    share = dialects.rounded(f"100.0 * {part} / nullif({total if conditions else whole}, 0)", 4, plan.table.dialect)
    keys = _keys(plan)
    selected = [f"{shown} AS {called}" for shown, called in keys]
    selected += [f"{share} AS {FIGURE}", f"{part} AS {PART}", f"{whole} AS {WHOLE}"]
    groups = [*(_dimension(d, plan) for d in plan.dimensions), *split]
    whole_rows = replace(plan, values=tuple(v for v in plan.values if v.base), figures=(), related=())
    written = f"SELECT {', '.join(selected)} FROM {_from(plan)}{_where(whole_rows)}"
    if not groups:
        return written
    written += f" GROUP BY {', '.join(groups)}"
    if plan.top:
        return _ranked(plan, written, [FIGURE, PART, WHOLE])
    by_figure = bool(plan.dimensions) and _by_figure(plan)
    return f"{written} ORDER BY {f'{len(keys) + 1} DESC, 1' if by_figure else _places(plan, len(keys))}"


def _change(plan: Plan) -> str:
    """The figure in two periods, what it changed by, and by how many percent."""
    assert plan.period is not None and plan.earlier is not None and plan.date is not None
    ends = [_within(_dated(plan.date, plan), period, plan.table.dialect) for period in (plan.earlier, plan.period)]
    keys = [f"{shown} AS {called}" for shown, called in _keys(plan)]
    groups = [*(_dimension(d, plan) for d in plan.dimensions), *_split(plan)]
    before, after = (_filtered(plan, " AND ".join(end)) for end in ends)
    either = " OR ".join(f"({' AND '.join(end)})" for end in ends)
    inner = ", ".join([*keys, f"{before} AS {BEFORE}", f"{after} AS {AFTER}"])
    base = f"SELECT {inner} FROM {_from(plan)}{_where(replace(plan, period=None), f'({either})')}"
    base += f" GROUP BY {', '.join(groups)}" if groups else ""
    names = [called for _, called in _keys(plan)]
    change = dialects.rounded(f"{AFTER} - {BEFORE}", 6, plan.table.dialect)
    percent = dialects.rounded(f"100.0 * ({AFTER} - {BEFORE}) / nullif({BEFORE}, 0)", 2, plan.table.dialect)
    selected = ", ".join([*names, BEFORE, AFTER, f"{change} AS {CHANGE}", f"{percent} AS {PERCENT}"])
    order = f" ORDER BY {len(names)}, 1" if names else ""
    return f"SELECT {selected} FROM ({base}) AS compared{order}"


def _months_over(plan: Plan) -> str:
    """In how many months the figure was higher, or lower, than in the same month of the earlier period. A month
    without rows in one of them is in neither."""
    assert plan.period is not None and plan.earlier is not None and plan.date is not None and plan.top is not None
    dialect, dated = plan.table.dialect, _dated(plan.date, plan)
    ends = [_within(dated, period, dialect) for period in (plan.earlier, plan.period)]
    before, after = (_filtered(plan, " AND ".join(end), empty=False) for end in ends)
    either = " OR ".join(f"({' AND '.join(end)})" for end in ends)
    month = dialects.month_of_year(dated, dialect)
    base = f"SELECT {month} AS month, {before} AS {BEFORE}, {after} AS {AFTER} FROM {_from(plan)}"
    base += f"{_where(replace(plan, period=None, top=None), f'({either})')} GROUP BY {month}"
    over = f"{AFTER} {'>' if plan.top[0] == 'max' else '<'} {BEFORE}"
    return (
        f"SELECT count(*) FILTER (WHERE {over}) AS {FIGURE}, count({AFTER} + {BEFORE}) AS {GROUPS} "
        f"FROM ({base}) AS compared"
    )


def _filtered(plan: Plan, condition: str, *, empty: bool = True) -> str:
    """The plan's figure over the rows that keep `condition`. Nothing added up is 0, or nothing where `empty` is False;
    nothing counted is then nothing, too."""
    figure = plan.aggregate
    kept = f"FILTER (WHERE {condition})"
    if figure.column is None:
        return f"count(*) {kept}" if empty else f"nullif(count(*) {kept}, 0)"
    if figure.function == "distinct":
        return f"count(DISTINCT {_folded(figure.column)}) {kept}"
    expression = _scaled(f"{_FUNCTIONS[figure.function]}({ref(figure.column)}) {kept}", figure.divisor)
    expression = f"coalesce({expression}, 0)" if figure.function == "sum" and empty else expression
    return dialects.rounded(expression, 6, plan.table.dialect)


def _correlation(plan: Plan) -> str:
    """Pearson's r of two columns over the rows that have both."""
    assert plan.aggregate.column is not None and plan.other is not None
    x, y = ref(plan.aggregate.column), ref(plan.other)
    if plan.table.dialect == "sqlite":
        n = "count(*)"
        spread = [f"{n} * sum(1.0 * {v} * {v}) - sum(1.0 * {v}) * sum(1.0 * {v})" for v in (x, y)]
        together = f"{n} * sum(1.0 * {x} * {y}) - sum(1.0 * {x}) * sum(1.0 * {y})"
        r = f"({together}) / nullif(sqrt(({spread[0]}) * ({spread[1]})), 0)"
    else:
        r = f"corr({x}, {y})"
    figure = dialects.rounded(r, 4, plan.table.dialect)
    both = f"{x} IS NOT NULL AND {y} IS NOT NULL"
    return f"SELECT {figure} AS {FIGURE}, count(*) AS {ROWS} FROM {_from(plan)}{_where(plan, both)}"


def _extreme(plan: Plan) -> str:
    column = plan.aggregate.column
    assert column is not None and plan.top is not None
    direction = "DESC" if plan.top[0] == "max" else "ASC"
    value = _dated(column, plan) if column.dated else ref(column)
    figure = _scaled(value, plan.aggregate.divisor)
    called = name(column.name if plan.aggregate.divisor == 1 else FIGURE)
    others = [c for c in shown_columns(plan) if c.name != column.name]
    shown = [*(_selected(c, plan) for c in others), f"{figure} AS {called}"]
    names = [*(name(c.name) for c in others), called]
    return (
        f"SELECT {', '.join(names)} FROM (SELECT {', '.join(shown)}, rank() OVER (ORDER BY {value} {direction}) "
        f"AS place FROM {_from(plan)}{_where(plan, f'{value} IS NOT NULL')}) AS ranked WHERE place <= {plan.top[1]} "
        f"ORDER BY place, 1"
    )


def _rows(plan: Plan) -> str:
    shown = ", ".join(_selected(column, plan) for column in shown_columns(plan))
    order = f" ORDER BY {_dated(plan.date, plan)}" if plan.date else " ORDER BY 1"
    return f"SELECT {shown}, count(*) OVER () AS {IN_ALL} FROM {_from(plan)}{_where(plan)}{order} LIMIT {LISTED_ROWS}"


def _selected(column: Column, plan: Plan) -> str:
    return f"{_dated(column, plan)} AS {name(column.name)}" if column.date_format or column.zone else ref(column)


# Parts ---------------------------------------------------------------------------------------------------------------


def aggregate(plan: Plan) -> str | None:
    """The figure as an expression; sums of floating values are rounded far below what is shown, so that ties hold.
    None for a median where the engine has none."""
    figure = plan.aggregate
    if figure.column is None:
        return "count(*)"
    if figure.function == "distinct":
        return f"count(DISTINCT {_folded(figure.column)})"
    column = ref(figure.column)
    if figure.function == "median":
        written = dialects.median(column, plan.table.dialect)
        if written is None:
            return None
    else:
        written = f"{_FUNCTIONS[figure.function]}({column})"
    expression = _scaled(written, figure.divisor)
    exact = figure.function in ("min", "max") or (figure.function == "sum" and "INT" in figure.column.type)
    whole = exact and figure.divisor == 1
    return expression if whole else dialects.rounded(expression, 6, plan.table.dialect)


def _scaled(expression: str, divisor: float) -> str:
    if divisor == 1:
        return expression
    return f"{expression} / {divisor:.1f}" if divisor > 1 else f"{expression} * {1 / divisor:.1f}"


def dimension_name(dimension: Dimension) -> str:
    """The result column's name of a dimension."""
    return dimension.bucket or (f"{dimension.column.name}_from" if dimension.width else dimension.column.name)


def label_name(dimension: Dimension, plan: Plan) -> str:
    """The result column's name of the name beside an id: its own where no other column has it."""
    assert dimension.label is not None
    names = [dimension_name(one) for one in plan.dimensions] + [column.name for column in plan.split]
    names += [one.label.name for one in plan.dimensions if one.label is not None] + [FIGURE, ROWS, GROUPS]
    return dimension.label.name if names.count(dimension.label.name) == 1 else f"{dimension.column.name}_name"


def _dimension(dimension: Dimension, plan: Plan) -> str:
    if dimension.bucket:
        return dialects.bucket(dimension.bucket, _dated(dimension.column, plan), plan.table.dialect)
    if dimension.width:
        width = _number(dimension.width)
        return f"floor({ref(dimension.column)} / {dimension.width!r}) * {width}"
    return _folded(dimension.column)


def _folded(column: Column) -> str:
    """The column, without case and outer blanks where values differ in these only."""
    return dialects.folded(ref(column)) if column.folds else ref(column)


def _shown_dimension(dimension: Dimension, plan: Plan) -> str:
    """A group's value; of several spellings the same one in all groups."""
    value, spelled = _dimension(dimension, plan), f"min({ref(dimension.column)})"
    several = len(plan.dimensions) + len(plan.split) > 1
    spelled = f"min({spelled}) OVER (PARTITION BY {value})" if several else spelled
    return spelled if dimension.column.folds else value


def _where(plan: Plan, extra: str = "") -> str:
    parts = [_value_filter(value, plan) for value in plan.values]
    parts += [_figure_filter(figure) for figure in plan.figures]
    parts += [_related_filter(item) for item in plan.related]
    if plan.period is not None and plan.date is not None:
        parts += _within(_dated(plan.date, plan), plan.period, plan.table.dialect)
    if plan.top or plan.shape == "group_count" or any(dimension.width for dimension in plan.dimensions):
        parts += [f"{_dimension(dimension, plan)} IS NOT NULL" for dimension in plan.dimensions]
    parts += [extra] if extra else []
    return f" WHERE {' AND '.join(parts)}" if parts else ""


def _within(expression: str, period: Period, dialect: Dialect) -> list[str]:
    parts = [f"{expression} >= {dialects.day(period.start, dialect)}"] if period.start else []
    if period.end:
        parts.append(f"{expression} < {dialects.day(period.end + timedelta(days=1), dialect)}")
    return parts


def _value_filter(value: ValueFilter, plan: Plan) -> str:
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


def _figure_filter(figure: FigureFilter) -> str:
    expression = _scaled(ref(figure.column), figure.divisor)
    comparison = figure.comparison
    if comparison.operator == "between":
        return f"{expression} BETWEEN {_number(comparison.low)} AND {_number(comparison.high)}"
    return f"{expression} {comparison.operator} {_number(comparison.low)}"


def _related_filter(item: Related) -> str:
    """Whether a row's key is among those that rows of another table point at; asked once, for all rows."""
    rows = _unqualified(item.rows)
    assert rows.other is not None
    pointing = ref(rows.other)
    found = f"SELECT {pointing} FROM {_from(rows)}{_where(rows, f'{pointing} IS NOT NULL')}"
    return f"{ref(item.key)} {'NOT IN' if item.negated else 'IN'} ({found})"


def _comparison(figure: str, plan: Plan) -> str:
    bound = plan.having
    assert bound is not None
    if bound.operator == "between":
        return f"{figure} BETWEEN {_number(bound.low)} AND {_number(bound.high)}"
    return f"{figure} {bound.operator} {_number(bound.low)}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


# Look-ups ------------------------------------------------------------------------------------------------------------


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
