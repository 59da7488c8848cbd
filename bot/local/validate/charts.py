"""Limits of the `data_visualization` block: pie, bar, area and line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .problem import Problem
from .shapes import Check, anything, choice, items, number, shape, tagged, text

#: The documented number; twelve were seen accepted, which nobody promises.
SERIES = 6
CATEGORIES = 20
LABEL = text(20, 1)


def _positive(value: Any, pointer: str) -> Iterator[Problem]:
    yield from number()(value, pointer)
    if isinstance(value, (int, float)) and value <= 0:
        yield Problem(pointer, "must be greater than 0")


def _unique(values: list[Any], pointer: str, what: str) -> Iterator[Problem]:
    if len(set(map(str, values))) != len(values):
        yield Problem(pointer, f"{what} must be unique")


def _names(rows: Any, field: str) -> list[Any]:
    return [row.get(field) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _unique_segments(value: Any, pointer: str) -> Iterator[Problem]:
    yield from _unique(_names(value.get("segments"), "label"), f"{pointer}/segments", "labels")


def _points_match(value: Any, pointer: str) -> Iterator[Problem]:
    axis = value.get("axis_config")
    categories = axis.get("categories") if isinstance(axis, dict) else None
    if not isinstance(categories, list):
        return
    yield from _unique(categories, f"{pointer}/axis_config/categories", "categories")
    series = value.get("series")
    yield from _unique(_names(series, "name"), f"{pointer}/series", "names")
    for place, one in enumerate(series if isinstance(series, list) else []):
        labels = _names(one.get("data") if isinstance(one, dict) else None, "label")
        if sorted(map(str, labels)) != sorted(map(str, categories)):
            yield Problem(f"{pointer}/series/{place}/data", "exactly one data point per category is required")


_POINT = shape({"label": LABEL, "value": number()})
_SERIES = shape({"name": LABEL, "data": items(_POINT, 1, CATEGORIES)})
_AXIS = shape({"categories": items(LABEL, 1, CATEGORIES)}, {"x_label": text(50), "y_label": text(50)})
_XY = shape({"type": anything, "series": items(_SERIES, 1, SERIES), "axis_config": _AXIS}, {}, _points_match)
_PIE = shape(
    {"type": anything, "segments": items(shape({"label": LABEL, "value": _positive}), 1, SERIES)}, {}, _unique_segments
)

DATA_VISUALIZATION: Check = shape(
    {
        "type": choice("data_visualization"),
        "title": text(50, 1),
        "chart": tagged({"pie": _PIE, "bar": _XY, "area": _XY, "line": _XY}, "chart"),
    },
    {"block_id": text(255)},
)
