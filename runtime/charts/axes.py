"""Axes: which way bars run, how figures are written, which labels may be left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.charts.model import Chart
from runtime.charts.text import one_line, width, wrapped

VegaLite = dict[str, Any]
"""A part of a Vega-Lite specification, as plain JSON."""
_SIDE_BY_SIDE, _CELL_PX, _ROOM_PX = 12, 9.5, 620
# Constant expressions: no word of the data ever stands in one.
_IN_LINES = "split(datum.value, '\\n')"
_SHORT = "replace(replace(format(datum.value, '~s'), 'G', 'bn'), 'T', 'tn')"
_POWERS = "format(datum.value, '.2~e')"


def runs_across(chart: Chart) -> bool:
    """Whether bars lie: many of them, or labels that would not fit side by side."""
    if chart.kind not in ("bar", "stacked_bar") or chart.scale != "category":
        return False
    count = len(chart.labels)
    widest = max(width(one_line(label)) for label in chart.labels)
    return count > _SIDE_BY_SIDE or widest * _CELL_PX > _ROOM_PX / count


def names(labels: Sequence[str], *, across: bool, thinned: bool) -> VegaLite:
    """An axis of names in the order given. `thinned`: labels that would overlap are left out, since their neighbours
    tell what they are."""
    # No limit: the lines are cut already, and to cut to pixels each label would be measured many times.
    axis: VegaLite = {"labelExpr": _IN_LINES, "labelLimit": 0, "grid": False, "labelAngle": 0}
    if thinned:
        axis["labelOverlap"] = "greedy"
    if across:
        axis["labelLineHeight"] = 18
    scale = {"paddingInner": 0.2, "paddingOuter": 0.1}
    return {"field": "x", "type": "nominal", "sort": list(labels), "title": None, "axis": axis} | (
        {"scale": scale} if across else {}
    )


def figures(chart: Chart, *, zero: bool) -> VegaLite:
    """The axis of the values."""
    found = [value for series in chart.series for value in series.present]
    return plain_figures("y", found, "") | {"scale": {"zero": zero, "nice": True}}


def plain_figures(field: str, values: Sequence[float], title: str) -> VegaLite:
    """An axis of numbers that is not forced to begin at zero."""
    axis: VegaLite = {"tickCount": 6, "labelOverlap": "greedy"}
    largest = max(map(abs, values), default=0.0)
    if largest >= 1e15 or 0 < largest < 1e-4:
        axis["labelExpr"] = _POWERS
    elif largest >= 1e4:
        axis["labelExpr"] = _SHORT
    return {
        "field": field,
        "type": "quantitative",
        "title": wrapped(title, 40, 1)[0] or None,
        "axis": axis,
        "scale": {"zero": False, "nice": True},
    }
