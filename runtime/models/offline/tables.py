"""Results as Markdown tables: the first rows beside the words, the whole in the evidence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from runtime.evidence import Json
from runtime.models.offline import results
from runtime.models.offline.catalog import Column
from runtime.models.offline.plan import Dimension, Plan
from runtime.models.offline.wording import bucket, figure, grouped, measured, shown, small, unit_name

Row = Mapping[str, Json]

_MOST = 10  # more are read better in the fold and the file
_MOST_OF_A_PERIOD = 31


def inline(rows: Sequence[Row], *, last: bool = False) -> Sequence[Row]:
    """The rows that stand beside the words: the first ones, or the `last`."""
    return rows[-_MOST:] if last else rows[:_MOST]


def _beside(plan: Plan, rows: Sequence[Row], *, last: bool = False) -> Sequence[Row]:
    """The groups that stand beside the words: every step of a period that was asked for, or of a day, as far as they
    are read well; else those of `inline`."""
    ends = plan.period is not None and plan.period.start is not None and plan.period.end is not None
    whole = (ends and plan.in_time) or (plan.top is None and any(one.bucket == "hour" for one in plan.dimensions))
    return rows if whole and len(rows) <= _MOST_OF_A_PERIOD else inline(rows, last=last)


def group_names(plan: Plan, row: Row) -> list[str]:
    """What a group is, cell by cell: its dimensions, an id behind its name, and the columns that keep it apart."""
    names: list[str] = []
    for dimension in plan.dimensions:
        if dimension.label is not None:
            names.append(shown(row.get(results.label_name(dimension, plan))))
        names.append(_group_name(row.get(results.dimension_name(dimension)), dimension))
    return names + [shown(row.get(column.name)) for column in plan.split]


def group_said(plan: Plan, row: Row) -> str:
    """What a group is, in words."""
    cells = iter(group_names(plan, row))
    said = [
        next(cells) if one.label is None else f"{next(cells)} (`{one.column.name}` {next(cells)})"
        for one in plan.dimensions
    ]
    return ", ".join([*said, *cells])


def _group_name(value: Json, dimension: Dimension) -> str:
    column = dimension.column
    return bucket(value, dimension.bucket) if dimension.bucket else shown(_usual(value, column), column)


def _usual(value: Json, column: Column) -> Json:
    """Of a label that is spelled in several ways, the most common one."""
    if not column.folds or not isinstance(value, str):
        return value
    folded = value.strip().casefold()
    return next((one.strip() for one in column.values if one.strip().casefold() == folded), value)


def groups(plan: Plan, rows: Sequence[Row], mark: str, *, last: bool = False) -> str:
    """Groups with their figure, and from how many rows it comes. The figure's column carries the mark."""
    counted = plan.aggregate.function != "count" and bool(rows) and rows[0].get(results.ROWS) is not None
    bare = replace(plan.aggregate, unit="")
    head = [*_group_heads(plan), _figure_head(plan, mark), *(["rows"] if counted else [])]
    lines = [
        [
            *group_names(plan, row),
            figure(row.get(results.FIGURE), bare),
            *([figure(row[results.ROWS])] if counted else []),
        ]
        for row in _beside(plan, rows, last=last)
    ]
    return _markdown(head, lines, 1 + counted)


def changes(plan: Plan, rows: Sequence[Row], mark: str) -> str:
    """Groups with their figure in both periods, the change, and the change in percent."""
    assert plan.earlier is not None and plan.period is not None
    bare = replace(plan.aggregate, unit="")
    heads = [*_group_heads(plan), plan.earlier.said, plan.period.said, "change", "change in %"]
    heads[-1] += mark
    lines = [
        [
            *group_names(plan, row),
            *(figure(row.get(name), bare) for name in (results.BEFORE, results.AFTER, results.CHANGE)),
            figure(row.get(results.PERCENT)),
        ]
        for row in inline(rows)
    ]
    return _markdown(heads, lines, 4)


def shares(plan: Plan, rows: Sequence[Row], mark: str, *, last: bool = False) -> str:
    """Groups with their share in percent, the part, and the whole that it is of."""
    bare = replace(plan.aggregate, unit="")
    heads = [*_group_heads(plan), f"share in %{mark}", "part", "whole"]
    lines = [
        [
            *group_names(plan, row),
            figure(row.get(results.FIGURE)),
            *(figure(row.get(name), bare) for name in (results.PART, results.WHOLE)),
        ]
        for row in _beside(plan, rows, last=last)
    ]
    return _markdown(heads, lines, 3)


def several(plan: Plan, rows: Sequence[Row], mark: str, *, last: bool = False) -> str:
    """Groups with several figures, and what these come to together."""
    figures = [(results.figure_name(at), one) for at, one in enumerate(plan.measures, start=1)]
    heads = [_measure_head(replace(plan, aggregate=one, beside=())) for _, one in figures]
    if plan.combined:
        figures.append((results.FIGURE, plan.aggregate))
        heads.append({"sum": "together", "quotient": "one per the other"}.get(plan.combined, "difference"))
    heads[-1] += mark
    lines = [
        [*group_names(plan, row), *(figure(row.get(name), replace(one, unit="")) for name, one in figures)]
        for row in _beside(plan, rows, last=last)
    ]
    return _markdown([*_group_heads(plan), *heads], lines, len(figures))


def whole_rows(columns: Sequence[Column], measure: str, figures: Sequence[str], rows: Sequence[Row], mark: str) -> str:
    """Rows by `columns`; with a `measure`, `figures` are its cells, to the right of the others."""
    head = [_plain(column.name) for column in columns] + ([_plain(measure)] if measure else [])
    head[-1] += mark
    lines = [[shown(row.get(column.name), column) for column in columns] for row in inline(rows)]
    if measure:
        lines = [[*line, cell] for line, cell in zip(lines, figures, strict=False)]
    return _markdown(head, lines, 1 if measure else 0)


def only_some(plan: Plan, rows: Sequence[Row], total: int, mark: str, *, last: bool = False) -> str:
    """What is said when rows are left to the evidence; empty when all are shown."""
    shown_rows, which = len(_beside(plan, rows)), "last" if last else "first"
    if total <= shown_rows:
        return ""
    kept = "all" if plan.shape != "rows" or total <= results.LISTED_ROWS else f"the first {results.LISTED_ROWS}"
    kept += " are in the evidence" + (", the newest first" if results.newest_first(plan) else "")
    return f"\n\nThese are the {which} {small(shown_rows)} of {total:,} rows; {kept}{mark}."


def _group_heads(plan: Plan) -> list[str]:
    heads: list[str] = []
    for dimension, name in zip(plan.dimensions, grouped(plan), strict=True):
        heads += [_plain(dimension.label.name)] if dimension.label is not None else []
        heads.append(_group_head(dimension, name))
    return heads + [_plain(column.name) for column in plan.split]


def _group_head(dimension: Dimension, name: str) -> str:
    if dimension.width:
        return f"{_plain(dimension.column.name)} from"
    return dimension.bucket or _plain(name.strip("`"))


def _figure_head(plan: Plan, mark: str) -> str:
    return _measure_head(plan) + mark


def _measure_head(plan: Plan) -> str:
    said = measured(plan).replace("`", "")
    unit = unit_name(plan.aggregate) if plan.aggregate.function not in ("count", "distinct") else ""
    known = unit.casefold() in re.split(r"[\W_]+", said.casefold())
    return _plain(said) + (f" ({unit})" if unit and not known else "")


def _plain(name: str) -> str:
    """A column's name inside a cell: what would end the cell or format it is taken out, underscores stay."""
    return shown(name.replace("_", "\0")).replace("\0", "\\_")


def _markdown(head: Sequence[str], lines: Sequence[Sequence[str]], numbers: int) -> str:
    """A pipe table whose last `numbers` columns are set to the right."""
    rules = ["---"] * (len(head) - numbers) + ["---:"] * numbers
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rules, *lines))
