"""The one look of every chart, measured to read at 360 px: 16 px labels, 20 px title, 3 px lines, legend on top."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WIDTH, HEIGHT = 720, 400  # CSS pixels
# Pixels of the PNG for each of them. A tall picture has fewer: it costs by its area, and three for each pixel of a
# 360 px wide screen are still enough.
SCALE, TALL_SCALE, TALL = 2.0, 1.5, 900
TITLE_PX, LABEL_PX, SMALL_PX = 20, 16, 15
COLOURS = ("#2563eb", "#f59e0b", "#059669", "#c026d3", "#475569")
LINE_PX = 3

_INK, _GRID, _SOFT = "#111827", "#e5e7eb", "#374151"
# What is missing in the first is looked for in the others, then in every font of the machine.
_FONT = "Liberation Sans, DejaVu Sans, Droid Sans Fallback, Noto Color Emoji, sans-serif"

CONFIG: Mapping[str, Any] = {
    "font": _FONT,
    "background": "white",
    "padding": 12,
    "view": {"stroke": None},
    "range": {"category": list(COLOURS)},
    "title": {
        "anchor": "start",
        "frame": "bounds",
        "fontSize": TITLE_PX,
        "color": _INK,
        "subtitleFontSize": SMALL_PX,
        "subtitleColor": _SOFT,
        "subtitlePadding": 4,
        "offset": 10,
    },
    "axis": {
        "labelFontSize": LABEL_PX,
        "titleFontSize": LABEL_PX,
        "titleFontWeight": "normal",
        "labelColor": _INK,
        "titleColor": _SOFT,
        "gridColor": _GRID,
        "domainColor": "#9ca3af",
        "ticks": False,
        "labelPadding": 6,
    },
    "legend": {
        "orient": "top",
        "title": None,
        "labelFontSize": LABEL_PX,
        "labelColor": _INK,
        "labelLimit": 220,
        "symbolType": "square",
        "symbolSize": 160,
        "columns": 3,
    },
    "bar": {"color": COLOURS[0]},
    "point": {"color": COLOURS[0]},
    "line": {"strokeWidth": LINE_PX},
    "area": {"line": {"strokeWidth": LINE_PX}, "fillOpacity": 0.25},
}
