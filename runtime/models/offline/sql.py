"""A plan as one query of its engine: quoted names, quoted text, nothing taken over from the question as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from runtime.models.offline import dialects
from runtime.models.offline.catalog import Column
from runtime.models.offline.dialects import quoted as name
from runtime.models.offline.expressions import (
    FUNCTIONS,
    aggregate,
    comparison,
    dated,
    figure_filter,
    folded,
    grouped_by,
    keys_of,
    on_weekdays,
    ref,
    related_filter,
    scaled,
    split_of,
    tables_read,
    unqualified,
    value_filter,
    where,
    within,
)
from runtime.models.offline.plan import Plan
from runtime.models.offline.results import (
    AFTER,
    ALL_GROUPS,
    BEFORE,
    CHANGE,
    FIGURE,
    FIGURE_OF_ALL,
    GROUPS,
    IN_ALL,
    LISTED_ROWS,
    PART,
    PERCENT,
    ROWS,
    WHOLE,
    dimension_name,
    extreme_columns,
    figure_name,
    label_name,
    newest_first,
    shown_columns,
)


def query(plan: Plan) -> str:
    """The query that answers `plan`."""
    plan = unqualified(plan)
    builders = {
        "scalar": _scalar,
        "groups": _groups,
        "extreme": _extreme,
        "group_count": _group_count,
        "rows": _rows,
        "share": _share,
        "ratio": _ratio,
        "average": _average,
        "change": _change,
        "correlation": _correlation,
        "months_over": _months_over,
        "several": _several,
    }
    return builders[plan.shape](plan)


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
    keys = [f"{shown} AS {called}" for shown, called in keys_of(plan)]
    column = plan.aggregate.column
    cells = ref(column) if column is not None and column.null_percent > 0 else "*"  # only cells with a value count
    counted = [] if plan.aggregate.function == "count" else [f"count({cells}) AS {ROWS}"]
    selected = ", ".join([*keys, f"{figure} AS {FIGURE}", *counted])
    groups = ", ".join([*(grouped_by(d, plan) for d in plan.dimensions), *split_of(plan)])
    return f"SELECT {selected} FROM {tables_read(plan)}{where(plan)}" + (f" GROUP BY {groups}" if groups else "")


def _medians(plan: Plan) -> str:
    """The middle values by their places, for an engine without a median."""
    assert plan.aggregate.column is not None
    measured = ref(plan.aggregate.column)
    keys = [(grouped_by(d, plan), dimension_name(d)) for d in plan.dimensions]
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
    outer += [f"round({scaled(middle, plan.aggregate.divisor)}, 6) AS {FIGURE}", f"count(*) AS {ROWS}"]
    groups = ", ".join(f"key_{at}" for at in range(1, len(keys) + 1))
    return (
        f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} FROM {tables_read(plan)}"
        f"{where(plan, f'{measured} IS NOT NULL')}) AS ordered" + (f" GROUP BY {groups}" if groups else "")
    )


def _groups(plan: Plan) -> str:
    keys = [called for _, called in keys_of(plan)]
    if plan.top:
        return _ranked(plan, _grouped(plan), [FIGURE] if plan.aggregate.function == "count" else [FIGURE, ROWS])
    order = f"{len(keys) + 1} DESC NULLS LAST, 1" if _by_figure(plan) else _places(plan, len(keys))
    return f"{_grouped(plan)} ORDER BY {order}"


def _several(plan: Plan) -> str:
    """Figures of several columns by the groups, after what they come to together."""
    figures = [str(aggregate(replace(plan, aggregate=one))) for one in plan.measures]
    selected = [f"{shown} AS {called}" for shown, called in keys_of(plan)]
    if plan.combined:
        whole = (
            all("INT" in one.column.type for one in plan.measures if one.column) and plan.aggregate.function == "sum"
        )
        added = " + ".join(f"coalesce({figure}, 0)" for figure in figures)
        quotient = f"1.0 * {figures[0]} / nullif({figures[-1]}, 0)"
        together = {"sum": added, "quotient": quotient}.get(plan.combined, " - ".join(figures))
        together = (
            together if whole and plan.combined != "quotient" else dialects.rounded(together, 6, plan.table.dialect)
        )
        selected.append(f"{together} AS {FIGURE}")
    selected += [f"{figure} AS {figure_name(at)}" for at, figure in enumerate(figures, start=1)]
    groups = [*(grouped_by(d, plan) for d in plan.dimensions), *split_of(plan)]
    written = f"SELECT {', '.join(selected)} FROM {tables_read(plan)}{where(plan)}"
    if not groups:
        return written
    keys = len(keys_of(plan))
    order = f"{keys + 1} DESC NULLS LAST, 1" if plan.dimensions and _by_figure(plan) else _places_of(plan, keys)
    return f"{written} GROUP BY {', '.join(groups)} ORDER BY {order}"


def _places_of(plan: Plan, keys: int) -> str:
    return _places(plan, keys) if plan.dimensions else ", ".join(str(place) for place in range(1, keys + 1))


def _ranked(plan: Plan, grouped: str, figures: Sequence[str]) -> str:
    """The first ranks of the groups by their figure, with all ties, apart for what must not be mixed."""
    assert plan.top is not None
    direction = "DESC" if plan.top[0] == "max" else "ASC"
    keys = [called for _, called in keys_of(plan)]
    apart = f"PARTITION BY {', '.join(name(column.name) for column in plan.split)} " if plan.split else ""
    listed = ", ".join([*keys, *figures])
    return (
        f"WITH grouped AS ({grouped}), ranked AS (SELECT {listed}, rank() OVER ({apart}ORDER BY {FIGURE} "
        f"{direction} NULLS LAST) AS place FROM grouped) SELECT {listed} FROM ranked "
        f"WHERE place <= {plan.top[1]} ORDER BY {'place' if not plan.split else f'{len(keys)}, place'}, 1"
    )


def _places(plan: Plan, count: int) -> str:
    """The order of the first `count` columns, the newest first where that is wanted."""
    places = [str(place) for place in range(1, count + 1)]
    at = 0
    for dimension in plan.dimensions:
        if dimension.bucket == "weekday" and plan.shape == "ratio":
            places[at] = dialects.in_week_order(f"w.{name(dimension_name(dimension))}")
        elif dimension.bucket == "weekday" and aggregate(plan) is None:
            places[at] = dialects.in_week_order(f"key_{plan.dimensions.index(dimension) + 1}")
        elif dimension.bucket == "weekday":
            places[at] = f"min({dialects.weekday(dated(dimension.column, plan), plan.table.dialect)})"
        at += 1 + (dimension.label is not None)
    return ", ".join([*(["1 DESC NULLS LAST"] if newest_first(plan) else places[:1]), *places[1:]])


def _by_figure(plan: Plan) -> bool:
    ordered = plan.dimensions[0].bucket or plan.dimensions[0].width
    return not ordered and len(plan.dimensions) == 1 and not plan.split


def _group_count(plan: Plan) -> str:
    keys = ", ".join(called for _, called in keys_of(plan))
    kept = f" WHERE {comparison(FIGURE, plan)}" if plan.having else ""
    weekly = plan.dimensions[0].bucket == "weekday"
    order = dialects.in_week_order(name(dimension_name(plan.dimensions[0]))) if weekly else "1"
    return (
        f"WITH grouped AS ({_grouped(plan)}) SELECT {keys}, {FIGURE}, count(*) OVER () AS {GROUPS} "
        f"FROM grouped{kept} ORDER BY {order}"
    )


def _share(plan: Plan) -> str:
    """The part that the one condition takes of each group, or, without a condition, each group of all of them."""
    conditions = [value_filter(value, plan) for value in plan.values if not value.base]
    conditions += [figure_filter(item) for item in plan.figures]
    conditions += [related_filter(item) for item in plan.related]
    conditions += [on_weekdays(plan)] if plan.weekdays else []
    column = plan.aggregate.column
    total = "count(*)" if column is None else f"sum({ref(column)})"
    part = f"coalesce({total} FILTER (WHERE {' AND '.join(conditions)}), 0)" if conditions else total
    split = split_of(plan)
    apart = f"PARTITION BY {', '.join(split)}" if split else ""
    whole = aggregate(plan) if conditions else f"sum({total}) OVER ({apart})"
    share = dialects.rounded(f"100.0 * {part} / nullif({total if conditions else whole}, 0)", 4, plan.table.dialect)
    keys = keys_of(plan)
    selected = [f"{shown} AS {called}" for shown, called in keys]
    selected += [f"{share} AS {FIGURE}", f"{part} AS {PART}", f"{whole} AS {WHOLE}"]
    groups = [*(grouped_by(d, plan) for d in plan.dimensions), *split]
    whole_rows = replace(plan, values=tuple(v for v in plan.values if v.base), figures=(), related=(), weekdays=())
    written = f"SELECT {', '.join(selected)} FROM {tables_read(plan)}{where(whole_rows)}"
    if not groups:
        return written
    written += f" GROUP BY {', '.join(groups)}"
    if plan.top:
        return _ranked(plan, written, [FIGURE, PART, WHOLE])
    by_figure = bool(plan.dimensions) and _by_figure(plan)
    return f"{written} ORDER BY {f'{len(keys) + 1} DESC, 1' if by_figure else _places(plan, len(keys))}"


def _ratio(plan: Plan) -> str:
    """A total as a share of another, by the groups of both."""
    assert plan.against is not None
    sides = [_grouped(unqualified(one)) for one in (plan, plan.against)]
    keys = [[called for _, called in keys_of(_unlabelled(one))] for one in (plan, plan.against)]
    share = dialects.rounded(f"100.0 * coalesce(p.{FIGURE}, 0) / nullif(w.{FIGURE}, 0)", 4, plan.table.dialect)
    selected = [f"w.{whole} AS {part}" for part, whole in zip(*keys, strict=True)]
    selected += [f"{share} AS {FIGURE}", f"coalesce(p.{FIGURE}, 0) AS {PART}", f"w.{FIGURE} AS {WHOLE}"]
    joined = " AND ".join(f"p.{part} = w.{whole}" for part, whole in zip(*keys, strict=True))
    how = f"LEFT JOIN ({sides[0]}) AS p ON {joined}" if joined else f"CROSS JOIN ({sides[0]}) AS p"
    order = f" ORDER BY {_places(_unlabelled(plan), len(keys[0]))}" if keys[0] else ""
    return f"SELECT {', '.join(selected)} FROM ({sides[1]}) AS w {how}{order}"


def _unlabelled(plan: Plan) -> Plan:
    return replace(plan, dimensions=tuple(replace(one, label=None) for one in plan.dimensions))


def _average(plan: Plan) -> str:
    """The average, or the middle value, over the groups that have a row, and over all of them where these are known:
    one without a row counts as zero."""
    assert plan.mean is not None
    mean, dialect = plan.mean, plan.table.dialect
    known = str(mean.units) if mean.units else f"(SELECT count(*) FROM {mean.rows_of})" if mean.rows_of else ""
    everything = "everything"
    if mean.function == "avg":
        figure = f"avg({FIGURE})"
        of_all = f"sum({FIGURE}) * 1.0 / max({everything})"
    else:
        middle = "2 * place BETWEEN found AND found + 2"
        figure = f"sum({FIGURE}) FILTER (WHERE {middle}) * 1.0 / count(*) FILTER (WHERE {middle})"
        middle = f"2 * (place + {everything} - found) BETWEEN {everything} AND {everything} + 2"
        of_all = f"coalesce(sum({FIGURE}) FILTER (WHERE {middle}), 0) * 1.0 / (2 - max({everything}) % 2)"
    selected = [f"{dialects.rounded(figure, 6, dialect)} AS {FIGURE}", f"count(*) AS {GROUPS}"]
    if known and (mean.function == "avg" or plan.aggregate.function != "sum"):
        selected += [f"{dialects.rounded(of_all, 6, dialect)} AS {FIGURE_OF_ALL}", f"max({everything}) AS {ALL_GROUPS}"]
    ranked = f"{FIGURE}, row_number() OVER (ORDER BY {FIGURE}) AS place, count(*) OVER () AS found"
    ranked += f", {known} AS {everything}" if known else ""
    return (
        f"WITH grouped AS ({_grouped(plan)}), ranked AS (SELECT {ranked} FROM grouped) "
        f"SELECT {', '.join(selected)} FROM ranked"
    )


def _change(plan: Plan) -> str:
    """The figure in two periods, what it changed by, and by how many percent."""
    assert plan.period is not None and plan.earlier is not None and plan.date is not None
    ends = [within(dated(plan.date, plan), period, plan.table.dialect) for period in (plan.earlier, plan.period)]
    keys = [f"{shown} AS {called}" for shown, called in keys_of(plan)]
    groups = [*(grouped_by(d, plan) for d in plan.dimensions), *split_of(plan)]
    before, after = (_filtered(plan, " AND ".join(end)) for end in ends)
    either = " OR ".join(f"({' AND '.join(end)})" for end in ends)
    inner = ", ".join([*keys, f"{before} AS {BEFORE}", f"{after} AS {AFTER}"])
    base = f"SELECT {inner} FROM {tables_read(plan)}{where(replace(plan, period=None), f'({either})')}"
    base += f" GROUP BY {', '.join(groups)}" if groups else ""
    names = [called for _, called in keys_of(plan)]
    change = dialects.rounded(f"{AFTER} - {BEFORE}", 6, plan.table.dialect)
    percent = dialects.rounded(f"100.0 * ({AFTER} - {BEFORE}) / nullif({BEFORE}, 0)", 2, plan.table.dialect)
    selected = ", ".join([*names, BEFORE, AFTER, f"{change} AS {CHANGE}", f"{percent} AS {PERCENT}"])
    order = f" ORDER BY {len(names)}, 1" if names else ""
    return f"SELECT {selected} FROM ({base}) AS compared{order}"


def _months_over(plan: Plan) -> str:
    """In how many months the figure was higher, or lower, than in the same month of the earlier period. A month
    without rows in one of them is in neither."""
    assert plan.period is not None and plan.earlier is not None and plan.date is not None and plan.top is not None
    dialect, day = plan.table.dialect, dated(plan.date, plan)
    ends = [within(day, period, dialect) for period in (plan.earlier, plan.period)]
    before, after = (_filtered(plan, " AND ".join(end), empty=False) for end in ends)
    either = " OR ".join(f"({' AND '.join(end)})" for end in ends)
    month = dialects.month_of_year(day, dialect)
    base = f"SELECT {month} AS month, {before} AS {BEFORE}, {after} AS {AFTER} FROM {tables_read(plan)}"
    base += f"{where(replace(plan, period=None, top=None), f'({either})')} GROUP BY {month}"
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
        return f"count(DISTINCT {folded(figure.column)}) {kept}"
    expression = scaled(f"{FUNCTIONS[figure.function]}({ref(figure.column)}) {kept}", figure.divisor)
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
    return f"SELECT {figure} AS {FIGURE}, count(*) AS {ROWS} FROM {tables_read(plan)}{where(plan, both)}"


def _extreme(plan: Plan) -> str:
    column = plan.aggregate.column
    assert column is not None and plan.top is not None
    direction = "DESC" if plan.top[0] == "max" else "ASC"
    value = dated(column, plan) if column.dated else ref(column)
    figure = scaled(value, plan.aggregate.divisor)
    called = name(column.name if plan.aggregate.divisor == 1 else FIGURE)
    others = [c for c in extreme_columns(plan) if c.name != column.name]
    shown = [*(_selected(c, plan) if c.via is None else f"{ref(c)} AS {name(c.name)}" for c in others)]
    shown.append(f"{figure} AS {called}")
    names = [*(name(c.name) for c in others), called]
    groups = [grouped_by(dimension, plan) for dimension in plan.dimensions]
    apart = f"PARTITION BY {', '.join(groups)} " if groups else ""
    shown += [f"{group} AS group_{at}" for at, group in enumerate(groups, start=1)]
    order = ", ".join([*(f"group_{at}" for at in range(1, len(groups) + 1)), "place", "1"])
    return (
        f"SELECT {', '.join(names)} FROM (SELECT {', '.join(shown)}, rank() OVER ({apart}ORDER BY {value} {direction}) "
        f"AS place FROM {tables_read(plan)}{where(plan, f'{value} IS NOT NULL')}) AS ranked "
        f"WHERE place <= {plan.top[1]} ORDER BY {order}"
    )


def _rows(plan: Plan) -> str:
    shown = ", ".join(_selected(column, plan) for column in shown_columns(plan))
    order = f" ORDER BY {dated(plan.date, plan)}" if plan.date else " ORDER BY 1"
    return (
        f"SELECT {shown}, count(*) OVER () AS {IN_ALL} FROM {tables_read(plan)}{where(plan)}{order} LIMIT {LISTED_ROWS}"
    )


def _selected(column: Column, plan: Plan) -> str:
    return f"{dated(column, plan)} AS {name(column.name)}" if column.date_format or column.zone else ref(column)
