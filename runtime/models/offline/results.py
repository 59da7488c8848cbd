"""The rows of a result: what its columns are called, which of a table's it shows, and in what order."""

from __future__ import annotations

from runtime.models.offline.catalog import Column
from runtime.models.offline.plan import Dimension, Plan

FIGURE, ROWS, GROUPS, IN_ALL = "figure", "rows", "groups_found", "rows_found"
FIGURE_OF_ALL, ALL_GROUPS = "figure_of_all", "groups_in_all"
PART, WHOLE = "part", "whole"
BEFORE, AFTER, CHANGE, PERCENT = "before", "after", "change", "change_percent"
SHOWN_COLUMNS, LISTED_ROWS = 7, 50
_SHOWN_ROWS = 100  # of a longer result a model sees the first rows only
_STEP_DAYS = {"day": 1, "week": 7, "month": 28, "quarter": 90, "year": 365}


def dimension_name(dimension: Dimension) -> str:
    """The result column's name of a dimension."""
    return dimension.bucket or (f"{dimension.column.name}_from" if dimension.width else dimension.column.name)


def figure_name(at: int) -> str:
    """The result column's name of one of several figures, counted from 1."""
    return f"{FIGURE}_{at}"


def label_name(dimension: Dimension, plan: Plan) -> str:
    """The result column's name of the name beside an id: its own where no other column has it."""
    assert dimension.label is not None
    names = [dimension_name(one) for one in plan.dimensions] + [column.name for column in plan.split]
    names += [one.label.name for one in plan.dimensions if one.label is not None] + [FIGURE, ROWS, GROUPS]
    return dimension.label.name if names.count(dimension.label.name) == 1 else f"{dimension.column.name}_name"


def shown_columns(plan: Plan) -> tuple[Column, ...]:
    """The columns that listed rows are shown with, the measured one last."""
    measured = plan.aggregate.column
    others = [c for c in plan.table.columns if c.via is None and (measured is None or c.name != measured.name)]
    others = [c for c in others if c.formula is None and (c.name in plan.named or not c.masked)]
    room = SHOWN_COLUMNS - (measured is not None) - sum(column.name in plan.named for column in others)
    rest = {column.name for column in [c for c in others if c.name not in plan.named][: max(room, 0)]}
    others = [column for column in others if column.name in plan.named or column.name in rest]
    return (*others, measured) if measured is not None else tuple(others)


def extreme_columns(plan: Plan) -> tuple[Column, ...]:
    """The columns that extreme rows are shown with: first those of other tables that they are grouped by."""
    pointed = tuple(one.column for one in plan.dimensions if one.column.via is not None and not one.bucket)
    return (*pointed, *shown_columns(plan))


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
