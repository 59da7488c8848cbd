"""The last answer as percent: each group's share of all of them, or the share of the one condition in the whole."""

from __future__ import annotations

from dataclasses import replace

from runtime.models.offline.plan import Cannot, Plan, Reading

_ASK_ANEW = "ask the whole question, as in “what share of … was …?”"


def in_percent(plan: Plan) -> Reading:
    """`plan` told in percent; a refusal where the whole that the percent are of can't be told."""
    if plan.shape in ("share", "ratio"):
        return plan
    if plan.shape == "change":
        return Cannot("The change in percent stands in the answer before, where it can be told.", plan.table)
    figure = plan.aggregate
    summed = figure.function == "count" or (figure.function == "sum" and figure.column is not None)
    if plan.shape not in ("groups", "scalar") or not summed or figure.divisor != 1:
        return Cannot(f"That figure is no part of a whole; {_ASK_ANEW}", plan.table)
    narrowed = bool(plan.figures or plan.related or plan.weekdays)
    if plan.shape == "groups":
        return _of_groups(plan, narrowed=narrowed)
    parts = [value for value in plan.values if not _keeps_unit(plan, value.column.name)]
    if narrowed or len(parts) != 1:
        return Cannot(f"I can't tell of what whole that is to be a part; {_ASK_ANEW}", plan.table)
    values = tuple(replace(value, base=value not in parts) for value in plan.values)
    return replace(plan, shape="share", values=values)


def _of_groups(plan: Plan, *, narrowed: bool) -> Reading:
    if narrowed or len(plan.dimensions) != 1 or plan.dimensions[0].width:
        return Cannot(f"I can't tell of what whole these groups are to be parts; {_ASK_ANEW}", plan.table)
    return replace(plan, shape="share", values=tuple(replace(value, base=True) for value in plan.values))


def _keeps_unit(plan: Plan, name: str) -> bool:
    """True for a condition on the currency of an amount: one in EUR is no part of one in all currencies."""
    return plan.aggregate.column is not None and any(column.name == name for column in plan.table.unit_columns)
