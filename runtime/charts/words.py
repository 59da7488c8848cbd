"""What a chart shows, in words: for screen readers, for the small print, and for a line that hardly moves."""

from __future__ import annotations

from runtime.charts.model import Chart, Series

ALT_CHARS = 1_000
_FLAT = 0.02  # a range under 2 % of the values' size can't be told from a flat line at 360 px
_FLAT_POINTS = 3
_NAMED = {
    "bar": "Bar chart",
    "line": "Line chart",
    "area": "Area chart",
    "stacked_bar": "Stacked bar chart",
    "scatter": "Scatter plot",
    "histogram": "Histogram",
}
_ALL_SAID = 12


def counted(number: int, noun: str) -> str:
    """`1 row`, `1,204 rows`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def figure(value: float) -> str:
    """A number as it is said: thousands marks, 15 digits, powers of ten only where nobody could count the zeros."""
    if value == 0 or 1e-4 <= abs(value) < 1e15:
        return f"{value:,.15g}".replace("-", "−")
    return f"{value:.3g}".replace("-", "−")


def flat(series: Series) -> bool:
    """Whether the series hardly moves: three points or more, within 2 % of their size, not all of them zero."""
    found = series.present
    if len(found) < _FLAT_POINTS:
        return False
    size = max(map(abs, found))
    return size > 0 and max(found) - min(found) <= _FLAT * size


def flat_sentences(chart: Chart) -> tuple[str, ...]:
    """One sentence for each series that hardly moves."""
    if chart.kind in ("scatter", "histogram"):
        return ()
    return tuple(_flat_sentence(series) for series in chart.series if flat(series))


def _flat_sentence(series: Series) -> str:
    low, high = min(series.present), max(series.present)
    if low == high:
        return f"{series.name} is flat: always {figure(low)}"
    part = 100 * (high - low) / max(abs(low), abs(high))
    return f"{series.name} is nearly flat: {figure(low)} to {figure(high)}, a range of {part:.2g} %"


def gap_words(chart: Chart) -> str:
    """Which values are missing, or ''."""
    gaps = [
        (series.name, label)
        for series in chart.series
        for label, value in zip(chart.labels, series.values, strict=False)
        if value is None
    ]
    if not gaps:
        return ""
    if len(gaps) > 2:
        return f"gaps: {counted(len(gaps), 'value')} missing"
    one = len(chart.series) == 1
    return "no value for " + " and ".join(label[:40] if one else f"{name[:30]}, {label[:40]}" for name, label in gaps)


def alt_text(chart: Chart) -> str:
    """What the chart shows, in at most 1,000 characters: kind, title, what is on it, and each series with its values
    when they are few, else its ends, its lowest and its highest."""
    unit = f", in {chart.unit}" if chart.unit else ""
    text = f"{_NAMED[chart.kind]}: {chart.title}{unit}. {_extent(chart)}"
    for sentence in (*(_said(chart, series) for series in chart.series), *flat_sentences(chart), gap_words(chart)):
        if sentence:
            text += f" {sentence[:1].upper()}{sentence[1:]}."
    for note in chart.notes:
        text += f" {note[:1].upper()}{note[1:]}."
    return text if len(text) <= ALT_CHARS else text[: ALT_CHARS - 1].rstrip() + "…"


def _extent(chart: Chart) -> str:
    if chart.kind == "scatter":
        low, high = figure(min(chart.places)), figure(max(chart.places))
        return f"{counted(len(chart.places), 'point')}, {chart.label_name} from {low} to {high}."
    if chart.kind == "histogram":
        total = int(sum(chart.series[0].present))
        low, high = figure(chart.places[0]), figure(chart.places[-1])
        return f"{counted(total, 'row')} by {chart.label_name} from {low} to {high}."
    span = f", {chart.labels[0][:40]} to {chart.labels[-1][:40]}" if chart.scale != "category" else ""
    return f"{counted(len(chart.labels), 'value')} of {chart.label_name}{span}."


def _said(chart: Chart, series: Series) -> str:
    pairs = [(label, value) for label, value in zip(chart.labels, series.values, strict=False) if value is not None]
    if chart.kind == "scatter":
        found = series.present
        return f"{series.name} from {figure(min(found))} to {figure(max(found))}" if found else ""
    if not pairs:
        return f"{series.name} has no values"
    if len(pairs) <= _ALL_SAID:
        return f"{series.name}: " + ", ".join(f"{label[:40]} {figure(value)}" for label, value in pairs)
    low, high = min(pairs, key=lambda pair: pair[1]), max(pairs, key=lambda pair: pair[1])
    text = f"{series.name}: highest {figure(high[1])} at {high[0][:40]}, lowest {figure(low[1])} at {low[0][:40]}"
    if chart.scale in ("time", "ordered"):
        text += f", first {figure(pairs[0][1])}, last {figure(pairs[-1][1])}"
    return text
