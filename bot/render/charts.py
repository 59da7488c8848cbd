"""Charts in an answer: natively where Slack's own limits take all of it, and as a picture with its words always."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.render import blocks, limits
from bot.render.blocks import Block
from bot.render.clean import blank, one_line
from bot.render.files import FilePart
from bot.render.measure import chars, cut, json_bytes
from bot.render.text import name_text
from runtime.charts import Chart, alt_text
from runtime.evidence import Evidence

_NATIVE = {"bar": "bar", "line": "line", "area": "area", "histogram": "bar"}


def charted(items: Sequence[Evidence]) -> Iterator[tuple[Evidence, Chart]]:
    """The run's charts in their order, each once, at most four."""
    found = [item for item in items if item.chart is not None and not item.failed and item.repeat_of is None]
    for item in found[: limits.CHART_FILES]:
        if item.chart is not None:
            yield item, Chart.from_json(item.chart)


def native_charts(items: Sequence[Evidence]) -> list[Block]:
    """The native blocks of the charts that fit, at most two: those of one message."""
    found = (native(chart) for _, chart in charted(items))
    return [block for block in found if block is not None][: limits.CHARTS_PER_MESSAGE]


def native(chart: Chart) -> Block | None:
    """The whole chart as Slack draws it, or None when Slack's form cannot hold all of it as it is: too many or too
    long labels, gaps, a kind that it does not have."""
    categories, names = _labels(chart.labels), _labels([series.name for series in chart.series])
    values = [series.present for series in chart.series]
    fits = (
        chart.kind in _NATIVE
        and 1 <= len(categories) <= limits.CHART_CATEGORIES
        and 1 <= len(names) <= limits.CHART_SERIES
        and all(len(found) == len(categories) for found in values)
    )
    if not fits or not _distinct(categories) or not _distinct(names):
        return None
    title = name_text(chart.title, limits.CHART_TITLE_CHARS)
    unit = "" if blank(chart.unit) else name_text(chart.unit, limits.CHART_AXIS_CHARS)
    pairs = list(zip(names, values, strict=True))
    block = blocks.data_visualization(_NATIVE[chart.kind], title, categories, pairs, y_label=unit)
    return block if json_bytes(block) <= limits.CHART_BYTES else None


def _labels(texts: Sequence[str]) -> list[str]:
    """Inert, and not cut: what is too long is left to `_distinct`."""
    return [name_text(text, limits.CHART_LABEL_CHARS + 1) for text in texts]


def _distinct(labels: Sequence[str]) -> bool:
    return len(set(labels)) == len(labels) and all(chars(label) <= limits.CHART_LABEL_CHARS for label in labels)


def chart_part(item: Evidence, chart: Chart, png: bytes) -> FilePart:
    """The picture as a file, with words for those who cannot see it."""
    title = name_text(f"{item.id} · {one_line(chart.title)}", limits.FILE_TITLE_CHARS)
    alt = name_text(alt_text(chart), limits.FILE_ALT_CHARS)
    return FilePart(f"{item.id}-chart.png", title, cut(alt, limits.FILE_ALT_CHARS), png)
