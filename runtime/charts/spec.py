"""The drawing as a Vega-Lite specification: written by code alone, foreign text only ever as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runtime.charts.axes import VegaLite, figures, names, plain_figures, runs_across
from runtime.charts.capping import capped
from runtime.charts.cells import moment
from runtime.charts.model import Chart, Series
from runtime.charts.text import keys, wrapped
from runtime.charts.theme import CONFIG, HEIGHT, LINE_PX, WIDTH
from runtime.charts.words import flat, flat_sentences, gap_words

_TITLE_CELLS, _SUBTITLE_CELLS, _NAME_CELLS = 60, 84, 24
_HEAD_PX, _ROW_PX, _LINE_PX = 120, 26, 20
_TOO_SMALL = 1 / 400  # of the axis: less than a pixel


def spec(chart: Chart) -> VegaLite:
    """The Vega-Lite specification of a chart, as plain JSON, the same for equal charts."""
    drawn, cap_note = capped(chart)
    across = runs_across(drawn)
    body = _body(drawn, across)
    return {
        "width": WIDTH,
        "height": _height(drawn) if across else HEIGHT,
        "autosize": {"type": "fit", "contains": "padding"},
        "title": _title(chart, drawn, cap_note),
        "data": {"values": body.values},
        **body.drawing,
        "config": dict(CONFIG),
    }


@dataclass(frozen=True, slots=True)
class _Body:
    values: list[VegaLite]
    drawing: VegaLite


def _body(chart: Chart, across: bool) -> _Body:
    if chart.kind == "histogram":
        return _histogram(chart)
    if chart.kind == "scatter":
        return _scatter(chart)
    return _lines(chart) if chart.kind in ("line", "area") else _bars(chart, across)


def _title(chart: Chart, drawn: Chart, cap_note: str) -> VegaLite:
    said = [chart.unit, *flat_sentences(chart), gap_words(chart), cap_note, *chart.notes, _small_words(drawn)]
    text = " · ".join(part for part in said if part)
    title: VegaLite = {"text": wrapped(chart.title, _TITLE_CELLS, 2)}
    return title | ({"subtitle": wrapped(text, _SUBTITLE_CELLS, 3)} if text else {})


def _small_words(chart: Chart) -> str:
    """Bars that are there but have less than a pixel would read as zero."""
    if chart.kind not in ("bar", "stacked_bar"):
        return ""
    sizes = [abs(value) for series in chart.series for value in series.present if value]
    small = sum(size < max(sizes) * _TOO_SMALL for size in sizes) if sizes else 0
    return f"{small} {'value' if small == 1 else 'values'} too small to be seen" if small else ""


def _height(chart: Chart) -> int:
    two_lines = any("\n" in key for key in keys(chart.labels))
    bars = len(chart.series) if chart.kind == "bar" else 1
    row = max(_ROW_PX, _LINE_PX * 2 + 4 if two_lines else 0, 12 * bars + 8)
    return max(HEIGHT, _HEAD_PX + row * len(chart.labels))


def _series_names(chart: Chart) -> list[str]:
    return keys([series.name for series in chart.series], _NAME_CELLS, 1)


def _colour(chart: Chart) -> VegaLite:
    """The series by colour. `nominal` must be said: with a sort and no type two series get two blues."""
    domain = _series_names(chart)
    legend: VegaLite | None = None if len(domain) == 1 else {}
    return {"field": "s", "type": "nominal", "sort": domain, "scale": {"domain": domain}, "legend": legend}


def _records(chart: Chart, labels: Sequence[Any]) -> list[VegaLite]:
    return [
        {"x": label, "y": value, "s": name}
        for name, series in zip(_series_names(chart), chart.series, strict=True)
        for label, value in zip(labels, series.values, strict=True)
    ]


def _bars(chart: Chart, across: bool) -> _Body:
    labels = keys(chart.labels)
    label_side, figure_side, offset = ("y", "x", "yOffset") if across else ("x", "y", "xOffset")
    encoding: VegaLite = {
        label_side: names(labels, across=across, thinned=chart.scale != "category"),
        figure_side: figures(chart, zero=True),
        "color": _colour(chart),
    }
    if chart.kind == "bar" and len(chart.series) > 1:
        encoding[offset] = {"field": "s", "type": "nominal", "sort": _series_names(chart)}
    if chart.kind == "bar":
        encoding[figure_side]["stack"] = None
    return _Body(_records(chart, labels), {"mark": {"type": "bar"}, "encoding": encoding})


def _lines(chart: Chart) -> _Body:
    if chart.scale == "time":
        labels: Sequence[Any] = [moment(text).isoformat(timespec="seconds") + "Z" for text in chart.labels]
        x: VegaLite = {"field": "x", "type": "temporal", "scale": {"type": "utc"}, "title": None}
        x["axis"] = {"grid": False, "labelOverlap": "greedy", "tickCount": 7}
    else:
        labels = keys(chart.labels, 14, 2)
        x = names(labels, across=False, thinned=True)
    mark: VegaLite = {"type": chart.kind, "invalid": "break-paths-show-path-domains"}
    if chart.kind == "line":
        mark["strokeWidth"] = LINE_PX
    if len(chart.labels) <= 40 or any(map(_lonely, chart.series)):
        mark["point"] = {"size": 70, "filled": True}
    # A line that hardly moves keeps its zero: cut off, its noise would fill the picture.
    zero = chart.kind == "area" or any(map(flat, chart.series)) or len(chart.labels) == 1
    encoding = {"x": x, "y": {**figures(chart, zero=zero), "stack": None}, "color": _colour(chart)}
    if chart.kind == "line":
        del encoding["y"]["stack"]
    return _Body(_records(chart, labels), {"mark": mark, "encoding": encoding})


def _lonely(series: Series) -> bool:
    """Whether a value stands between two gaps: no line leads to it."""
    padded = (None, *series.values, None)
    triples = zip(padded, padded[1:], padded[2:], strict=False)
    return any(value is not None and before is None and after is None for before, value, after in triples)


def _scatter(chart: Chart) -> _Body:
    values = [
        {"x": x, "y": y, "s": name}
        for name, series in zip(_series_names(chart), chart.series, strict=True)
        for x, y in zip(chart.places, series.values, strict=True)
        if y is not None
    ]
    one = chart.series[0].name if len(chart.series) == 1 else ""
    encoding = {
        "x": plain_figures("x", chart.places, chart.label_name),
        "y": {**figures(chart, zero=False), "title": wrapped(one, 30, 1)[0] or None},
        "color": _colour(chart),
    }
    return _Body(values, {"mark": {"type": "point", "filled": True, "size": 80, "opacity": 0.7}, "encoding": encoding})


def _histogram(chart: Chart) -> _Body:
    counts = chart.series[0].values
    values = [{"x": chart.places[at], "x2": chart.places[at + 1], "y": count} for at, count in enumerate(counts)]
    x = plain_figures("x", chart.places, chart.label_name)
    x |= {"bin": "binned"}
    encoding = {"x": x, "x2": {"field": "x2"}, "y": {**figures(chart, zero=True), "title": "rows", "stack": None}}
    return _Body(values, {"mark": {"type": "bar", "binSpacing": 2}, "encoding": encoding})
