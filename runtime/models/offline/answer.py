"""The answer in words: every figure with its mark, then how the question was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from runtime.evidence import Json
from runtime.models.offline import results, tables
from runtime.models.offline.lexicon import MONTH_NAMES
from runtime.models.offline.periods import Period
from runtime.models.offline.plan import Plan
from runtime.models.offline.transcript import Done
from runtime.models.offline.weekdays import days_said
from runtime.models.offline.wording import (
    JOINTS,
    as_code,
    bound,
    column_name,
    conditions,
    figure,
    grouped,
    in_its_unit,
    measured,
    shown,
)

_TIED = 30
_MEANS = {"avg": "average", "median": "median"}
_NO_CHART = "I can't draw that as a chart; these are the figures it would show."
_DRAWN = "The chart is below."

Row = Mapping[str, Json]


def answer(plan: Plan, result: Done, chart: Done | None = None) -> str:
    """The answer to `plan` from the result of its query, and what became of the chart that was asked for."""
    plan = in_its_unit(plan)
    mark = f" [{result.evidence}]"
    rows = _rows(result.data)
    writers = {
        "scalar": _scalar,
        "groups": _groups,
        "extreme": _extreme,
        "group_count": _group_count,
        "rows": _listed,
        "share": _share,
        "ratio": _ratio,
        "average": _average,
        "change": _change,
        "correlation": _correlation,
        "months_over": _months_over,
        "several": _several,
    }
    total = result.data.get("row_count")
    whole = total is None or total == len(rows)
    if results.newest_first(plan):
        rows = rows[::-1]
    body = writers[plan.shape](replace(plan, trend=plan.trend and whole), rows, mark)
    if isinstance(total, int) and _one_winner(plan) and not plan.split and total > _TIED:
        body += f"\n\nThese are the first ones of {total:,} that tie; all are in the evidence{mark}."
    elif isinstance(total, int) and _in_groups(plan) and not _one_winner(plan):
        body += tables.only_some(plan, rows, total, mark, last=plan.in_time)
    near = _near(result.data) if not rows or _empty(rows) else ""
    lead = f"{_chart_words(chart)}\n" if plan.chart else ""
    return "\n\n".join(part for part in (lead + body, near, understood(plan)) if part)


def _in_groups(plan: Plan) -> bool:
    return plan.shape in ("groups", "extreme") or (
        plan.shape in ("share", "ratio", "several") and bool(plan.dimensions)
    )


def _chart_words(chart: Done | None) -> str:
    if chart is None:
        return _NO_CHART
    if not chart.ok:
        return f"{_NO_CHART} ({as_code(chart.error)})"
    said = "".join(f" {shown(sentence)}." for sentence in chart.data.get("said", ()))
    return f"{_DRAWN}{said}"


def understood(plan: Plan) -> str:
    """One short sentence: table, measure, filters, period, assumptions."""
    what = measured(plan) if plan.shape != "rows" else "the rows"
    if plan.shape == "correlation" and plan.aggregate.column and plan.other:
        what = f"correlation of `{plan.aggregate.column.name}` and `{plan.other.name}`"
    where = conditions(plan)
    what = f"share in the {what}" if plan.shape == "share" else what
    what = f"{_MEANS[plan.mean.function]} of the {what}" if plan.mean is not None else what
    text = f"How I read the question: {what} in `{plan.table.called}`"
    if plan.dimensions:
        text += f" by {' and '.join(_dimension_words(plan, exact=True))}"
    text += f", kept where it is {bound(plan.having, plan.aggregate.unit)}" if plan.having else ""
    text += f", where {where}" if where else ", all rows"
    if plan.against is not None:
        whole = conditions(plan.against)
        text += f"; held against the {measured(plan.against)} in `{plan.against.table.called}`"
        text += f", where {whole}" if whole else ", all rows"
    if plan.aggregate.divisor != 1 and plan.aggregate.column is not None:
        text += f"; converted from {plan.aggregate.column.unit}s to {plan.aggregate.unit}s"
    if plan.split:
        text += f"; kept apart by `{plan.split[0].name}`, because different ones must not be added up"
    for column in [one.column for one in plan.measures if one.column is not None and one.column.null_percent > 0]:
        text += f"; rows without a `{column.name}` are left out" + (" of it" if plan.beside else "")
    for note in (*plan.basis, *plan.assumed):
        text += f"; {note}"
    return f"_{text}._".replace("__", "_")


def _dimension_words(plan: Plan, *, exact: bool = False) -> list[str]:
    """What the groups are called, `exact` with the table of a column that is another table's."""
    if any(d.width for d in plan.dimensions):
        return [f"steps of `{d.column.name}`" for d in plan.dimensions]
    names = [column_name(d.column) for d in plan.dimensions] if exact else grouped(plan)
    return [f"{d.bucket} of {name}" if d.bucket else name for d, name in zip(plan.dimensions, names, strict=True)]


def _rows(data: Mapping[str, Any]) -> list[Row]:
    names = [str(column["name"]) for column in data.get("columns", ())]
    return [dict(zip(names, row, strict=False)) for row in data.get("rows", ())]


def _empty(rows: Sequence[Row]) -> bool:
    return len(rows) == 1 and (rows[0].get(results.FIGURE) is None or rows[0].get(results.ROWS) == 0)


def _near(data: Mapping[str, Any]) -> str:
    found = [
        f"`{item.get('column')}` has {', '.join(shown(value) for value in item['near'])}"
        for item in data.get("near_values", ())
        if item.get("near")
    ]
    return f"Near values: {'; '.join(found)}." if found else ""


def _scalar(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    if plan.split and rows:
        return f"The {measured(plan)}:\n\n{tables.groups(plan, rows, mark)}"
    row: Row = rows[0] if rows else {}
    value = row.get(results.FIGURE)
    if plan.aggregate.function not in ("count", "distinct") and value is None:
        return f"There is nothing to compute: no row with a value in `{_measure_name(plan)}` matches{mark}."
    number = figure(value, plan.aggregate)
    if plan.aggregate.function == "count":
        what = "row" if value == 1 else plan.table.rows_called
        return f"**{number}** {what} of `{plan.table.called}`{_period(plan)}{mark}."
    if plan.aggregate.function == "distinct":
        return f"There are **{number}** different values of `{_measure_name(plan)}`{mark}."
    return f"The {measured(plan)} is **{number}**{_period(plan)}{_of_rows(row)}{mark}."


def _several(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    if not rows:
        return f"No row matches{mark}."
    if plan.dimensions or plan.split:
        by = f" by {' and '.join(_dimension_words(plan))}" if plan.dimensions else ""
        return f"The {measured(plan)}{by}{_period(plan)}:\n\n{tables.several(plan, rows, mark, last=plan.in_time)}"
    row = rows[0]
    values = [row.get(results.figure_name(at)) for at, _ in enumerate(plan.measures, start=1)]
    if all(value is None for value in values):
        return f"There is nothing to compute: no row with a value matches{mark}."
    told = [figure(value, one) for value, one in zip(values, plan.measures, strict=True)]
    if plan.combined:
        joint = JOINTS[plan.combined]
        whole = f"**{figure(row.get(results.FIGURE), plan.aggregate)}**"
        return f"The {measured(plan)} is {whole}{_period(plan)}: {joint.join(told)}{mark}."
    names = [measured(replace(plan, aggregate=one, beside=())) for one in plan.measures]
    listed = [f"the {name} **{value}**" for name, value in zip(names, told, strict=True)]
    return f"These are {', '.join(listed[:-1])} and {listed[-1]}{_period(plan)}{mark}."


def _share(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    if plan.dimensions:
        return _shares(plan, rows, mark)
    if plan.split:
        return "\n".join(f"- {', '.join(tables.group_names(plan, row))}: {_share_of(plan, row, mark)}" for row in rows)
    return _share_of(plan, rows[0] if rows else {}, mark)


def _shares(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    if not rows:
        return f"No row matches{mark}."
    if len(rows) == 1 and plan.top is not None and not plan.split:
        word = "highest" if plan.top[0] == "max" else "lowest"
        return f"**{tables.group_said(plan, rows[0])}** has the {word} share. {_share_of(plan, rows[0], mark)}"
    groups = " and ".join(_dimension_words(plan))
    kept = conditions(replace(plan, period=None, values=tuple(v for v in plan.values if not v.base)))
    what = measured(plan)
    head = (
        f"The share of the {what} where {kept}, within each {groups}"
        if kept
        else f"Each {groups}'s share of the {what}"
    )
    return f"{head}{_period(plan)}:\n\n{tables.shares(plan, rows, mark, last=plan.in_time)}"


def _share_of(plan: Plan, row: Row, mark: str) -> str:
    if row.get(results.FIGURE) is None:
        return f"There is nothing to take a share of{mark}."
    part, whole = (figure(row.get(name), plan.aggregate) for name in (results.PART, results.WHOLE))
    return f"It is **{figure(row[results.FIGURE])}%**: {part} of {whole}{mark}."


def _ratio(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    assert plan.against is not None
    if not plan.dimensions and not plan.split:
        return _share_of(plan, rows[0] if rows else {}, mark)
    head = f"{_total_of(plan).capitalize()} as a share of {_total_of(plan.against)}"
    return f"{head}{_period(plan)}:\n\n{tables.shares(plan, rows, mark, last=plan.in_time)}"


def _total_of(plan: Plan) -> str:
    return f"the {measured(plan)} in `{plan.table.called}`"


def _average(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    row: Row = rows[0] if rows else {}
    if plan.mean is None or row.get(results.FIGURE) is None:
        return f"No row matches{mark}."
    unit = plan.dimensions[0].bucket or _dimension_words(plan)[0]
    kind = "on average" if plan.mean.function == "avg" else "as the median"
    per = f"per {unit} {kind}{_period(plan)}"
    found, everything = row.get(results.GROUPS), row.get(results.ALL_GROUPS)
    of_found = _meant(plan, row.get(results.FIGURE))
    if everything is None:
        return f"{of_found} {per}, over the {figure(found)} that have any; how many have none isn't known{mark}."
    whole = f"all {figure(everything)}" + (f" of `{plan.mean.of}`" if plan.mean.of else "")
    if everything == found:
        return f"{of_found} {per}, over {whole}{mark}."
    bare = figure(row[results.FIGURE], plan.aggregate)
    return (
        f"{_meant(plan, row.get(results.FIGURE_OF_ALL))} {per}, over {whole}, one without any counted as zero{mark}; "
        f"over the {figure(found)} that have any **{bare}**{mark}."
    )


def _meant(plan: Plan, value: Json) -> str:
    number = f"**{figure(value, plan.aggregate)}**"
    if plan.aggregate.column is None:
        return f"{number} {plan.table.rows_called} of `{plan.table.called}`"
    return f"{number} ({measured(plan)})"


def _change(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    if not rows or plan.earlier is None or plan.period is None:
        return f"No row matches{mark}."
    if plan.dimensions or plan.split:
        head = f"The {measured(plan)} in both periods"
        head += f", by {' and '.join(_dimension_words(plan))}" if plan.dimensions else ""
        head += f" ({_data_end(plan)})" if plan.data_end is not None else ""
        return f"{head}:\n\n{tables.changes(plan, rows, mark)}{tables.only_some(plan, rows, len(rows), mark)}"
    row = rows[0]
    before, after, change = (
        figure(row.get(name), plan.aggregate) for name in (results.BEFORE, results.AFTER, results.CHANGE)
    )
    percent = row.get(results.PERCENT)
    by = f", {figure(percent)}%" if percent is not None else ""
    later = _said(plan.period) + (f"; {_data_end(plan)}" if plan.data_end is not None else "")
    return (
        f"The {measured(plan)} went from **{before}** ({_said(plan.earlier)}) to **{after}** ({later}): a change of "
        f"**{change}**{by}{mark}."
    )


def _months_over(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    row: Row = rows[0] if rows else {}
    assert plan.top is not None and plan.earlier is not None and plan.period is not None
    word = "higher" if plan.top[0] == "max" else "lower"
    both = row.get(results.GROUPS)
    return (
        f"In **{figure(row.get(results.FIGURE))}** of {figure(both)} months the {measured(plan)} was {word} in "
        f"{_said(plan.period)} than in the same month of {_said(plan.earlier)}{mark}."
    )


def _said(period: Period) -> str:
    return period.said


def _correlation(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    row: Row = rows[0] if rows else {}
    assert plan.aggregate.column is not None and plan.other is not None
    pair = f"`{plan.aggregate.column.name}` and `{plan.other.name}`"
    r = row.get(results.FIGURE)
    if r is None:
        return f"There is nothing to correlate: {pair} don't vary over the rows that match{mark}."
    size = abs(float(str(r)))
    strength = "strong" if size >= 0.7 else "moderate" if size >= 0.4 else "weak" if size >= 0.1 else "next to no"
    return (
        f"The correlation of {pair} is **{figure(r)}** over {figure(row.get(results.ROWS))} rows, {strength} "
        f"(Pearson's r){mark}. That two figures go together doesn't say that one causes the other."
    )


def _measure_name(plan: Plan) -> str:
    return plan.aggregate.column.name if plan.aggregate.column else "rows"


def _period(plan: Plan) -> str:
    if plan.shape not in ("scalar", "groups", "share", "ratio", "average", "several"):
        return ""
    days = f" on {days_said(plan.weekdays)}" if plan.weekdays and plan.shape != "share" else ""
    if plan.period is None:
        return days
    return f"{days}{_period_said(plan.period)}{f' ({end})' if (end := _data_end(plan)) else ''}"


def _data_end(plan: Plan) -> str:
    return f"the data end on {plan.data_end}" if plan.data_end is not None else ""


def _period_said(period: Period) -> str:
    start, end, label = period.start, period.end, period.label
    if label.isdigit():
        return f" for January to December {label}"  # a bare year beside a figure reads like a figure
    if start and end and label[0].isdigit() and len(label) == len("2023 to 2024"):
        return f" for January {start.year} to December {end.year}"
    if label.startswith(MONTH_NAMES):
        return f" for {label}" if " to " in label else f" in {label}"
    return f" from {label}" if label[0].isdigit() else f" {label}"


def _of_rows(row: Row) -> str:
    count = row.get(results.ROWS)
    return f" (from {figure(count)} {'row' if count == 1 else 'rows'})" if count is not None else ""


def _one_winner(plan: Plan) -> bool:
    return plan.shape == "groups" and plan.top is not None and plan.top[1] == 1


def _groups(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    if not rows:
        return f"No row matches{mark}."
    if _one_winner(plan):
        return _winner(plan, rows, mark)
    if plan.in_time:
        return _in_time(plan, rows, mark)
    return f"{_groups_head(plan)}\n\n{tables.groups(plan, rows, mark)}"


def _groups_head(plan: Plan) -> str:
    return f"The {measured(plan)} by {' and '.join(_dimension_words(plan))}{_period(plan)}:"


def _in_time(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    """Groups in the order of time, the newest of them; their course in words where a trend is asked for."""
    course = _course(plan, rows, mark) if plan.trend and len(plan.dimensions) == 1 and not plan.split else ""
    return f"{course}{_groups_head(plan)}\n\n{tables.groups(plan, rows, mark, last=True)}"


def _course(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    known = [row for row in rows if isinstance(row.get(results.FIGURE), int | float)]
    if len(known) < 2:
        return ""
    low, *_, high = sorted(known, key=lambda row: float(str(row[results.FIGURE])))
    ends = [
        f"**{figure(row[results.FIGURE], plan.aggregate)}** in {tables.group_said(plan, row)}"
        for row in (known[0], known[-1])
    ]
    peaks = [f"{figure(row[results.FIGURE], plan.aggregate)} in {tables.group_said(plan, row)}" for row in (high, low)]
    return f"From {ends[0]} to {ends[1]}{mark}; the highest was {peaks[0]}, the lowest {peaks[1]}{mark}.\n\n"


def _winner(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    assert plan.top is not None
    word = "highest" if plan.top[0] == "max" else "lowest"
    number = figure(rows[0][results.FIGURE], plan.aggregate)
    names = [tables.group_said(plan, row) for row in rows[:_TIED]]
    if len(names) == 1:
        return f"**{names[0]}** has the {word} {measured(plan)}: **{number}**{mark}."
    return f"There is a tie for the {word} {measured(plan)}, **{number}** each{mark}: {', '.join(names)}."


def _extreme(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    column = plan.aggregate.column
    assert column is not None and plan.top is not None
    if not rows:
        return f"No row with a value in `{column.name}` matches{mark}."
    key = column.name if plan.aggregate.divisor == 1 else results.FIGURE
    word = "highest" if plan.top[0] == "max" else "lowest"
    if len(rows) == 1 and not plan.dimensions:
        value = _measured_cell(plan, rows[0].get(key))
        return f"The {word} `{column.name}` is that of {_row_words(plan, rows[0])}: **{value}**{mark}."
    one = plan.top[1] == 1
    if plan.dimensions:
        each = f"each {' and '.join(_dimension_words(plan))}"
        head = f"The {word} `{column.name}` of {each}:" if one else f"By `{column.name}`, {word} first within {each}:"
    elif one:
        head = f"These share the {word} `{column.name}`:"
    else:
        tied = "; the last of them are tied" if len(rows) > plan.top[1] else ""
        head = f"By `{column.name}`, {word} first{tied}:"
    others = tuple(other for other in results.extreme_columns(plan) if other.name != column.name)
    values = [_measured_cell(plan, row.get(key)) for row in rows]
    return f"{head}\n\n{tables.whole_rows(others, column.name, values, rows, mark)}"


def _measured_cell(plan: Plan, value: Json) -> str:
    column = plan.aggregate.column
    return shown(value) if column is not None and column.dated else figure(value, plan.aggregate)


def _row_words(plan: Plan, row: Row) -> str:
    """A row by its first telling column, the others in parentheses."""
    columns = [
        c for c in results.shown_columns(plan) if plan.aggregate.column is None or c.name != plan.aggregate.column.name
    ]
    if not columns:
        return "a row"
    keys = [c for c in columns if c.name in plan.table.keys]
    labels = [c for c in columns if c.kind == "label"]
    lead = next(iter([c for c in keys if c.kind == "label"] or keys or labels or columns))
    rest = [f"{c.name}: {shown(row.get(c.name), c)}" for c in columns if c != lead and row.get(c.name) is not None]
    name = f"{lead.name} " if lead.kind in ("id", "number", "year") else ""
    return f"{name}{shown(row.get(lead.name), lead)}" + (f" ({', '.join(rest)})" if rest else "")


def _group_count(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    noun = _dimension_words(plan)[0]
    if not rows:
        return f"None: the data have no such {noun}{mark}."
    total = _whole(rows[0][results.GROUPS], len(rows))
    which = f", by the {measured(plan)}" if plan.having else ""
    head = f"**{total:,}** {'value' if total == 1 else 'values'} of {noun}{which}{mark}:"
    return f"{head}\n\n{tables.groups(plan, rows, mark)}{tables.only_some(plan, rows, total, mark)}"


def _listed(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    if not rows:
        return f"No row matches{mark}."
    total = _whole(rows[0][results.IN_ALL], len(rows))
    head = f"**{total:,}** {'row matches' if total == 1 else 'rows match'}{mark}:"
    table = tables.whole_rows(results.shown_columns(plan), "", (), rows, mark)
    return f"{head}\n\n{table}{tables.only_some(plan, rows, total, mark)}"


def _whole(value: Json, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise
