"""Bars that are too many to read: the largest stay, the others become one bar where adding up is right."""

from __future__ import annotations

from dataclasses import replace

from runtime.charts.model import Chart, Series

MOST_BARS = 30


def capped(chart: Chart) -> tuple[Chart, str]:
    """The chart with at most 30 labels and one for the others, and a note when something is not drawn by itself.
    Labels in an order of their own (time, numbers) are all kept; others are added up only where the values are sums
    or counts, since a sum of averages is nothing."""
    count = len(chart.labels)
    if chart.kind not in ("bar", "stacked_bar") or chart.scale != "category" or count <= MOST_BARS:
        return chart, ""
    by_size = sorted(range(count), key=lambda at: -sum(abs(one.values[at] or 0.0) for one in chart.series))
    kept, others = sorted(by_size[:MOST_BARS]), by_size[MOST_BARS:]
    labels = tuple(chart.labels[at] for at in kept)
    series = tuple(Series(one.name, tuple(one.values[at] for at in kept)) for one in chart.series)
    note = f"the {MOST_BARS} largest of {count:,}"
    if chart.additive:
        labels = (*labels, f"others ({len(others):,})")
        series = tuple(
            Series(one.name, (*one.values, sum(whole.values[at] or 0.0 for at in others)))
            for one, whole in zip(series, chart.series, strict=True)
        )
        note += ", the others added up"
    else:
        note += f", {len(others):,} others not drawn"
    return replace(chart, labels=labels, series=series), note
