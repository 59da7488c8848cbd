"""From rows to a chart: the shape is checked, nothing is guessed, and what cannot be drawn right is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from runtime.charts.bins import binned
from runtime.charts.cells import label, numbers, numeric, refused, scale_of
from runtime.charts.model import MOST_SERIES, Chart, Field, Kind, Series
from runtime.charts.words import counted

Row = Sequence[object]
_SHAPE = f"First column the labels, then one to {MOST_SERIES} numeric columns; or label, series name, number."


def chart_of(
    kind: Kind, fields: Sequence[Field], rows: Sequence[Row], *, title: str, unit: str = "", additive: bool = False
) -> Chart:
    """The chart of `rows`. `additive`: the figures are sums or counts, so that several may be added up. Raises
    CallError `chart_refused` with what to change: no rows, wrong columns, a label (of a series) twice, a value that
    is not finite."""
    if not rows:
        raise refused("The query found no rows, so there is nothing to draw.", "Check the filters first.")
    if kind == "histogram":
        return _histogram(fields, rows, title, unit)
    if len(fields) < 2:
        raise refused(f"One column cannot be drawn as {kind}.", _SHAPE)
    if kind == "scatter":
        return _scatter(fields, rows, title, unit)
    labels, series, first = _series(fields, rows)
    chart = Chart(kind, title, unit, fields[0].name, labels, series, scale_of(fields[0], first), additive=additive)
    _drawable(chart)
    return _in_time(chart) if chart.scale == "time" else chart


def _series(
    fields: Sequence[Field], rows: Sequence[Row]
) -> tuple[tuple[str, ...], tuple[Series, ...], tuple[object, ...]]:
    """Labels, series and the labels' own cells; wide rows, or long ones of label, series and number."""
    columns = [[row[at] for row in rows] for at in range(len(fields))]
    plain = [numeric(field, cells) for field, cells in zip(fields, columns, strict=True)]
    if len(fields) == 3 and not plain[1] and plain[2]:
        return _long(fields, columns)
    if wrong := [field.name for field, good in zip(fields[1:], plain[1:], strict=True) if not good]:
        raise refused(f"{', '.join(wrong[:3])} is not numeric, so it cannot be a series.", _SHAPE)
    if len(fields) - 1 > MOST_SERIES:
        raise refused(f"{len(fields) - 1} series are more than a chart can show.", _SHAPE)
    labels = tuple(label(cell) for cell in columns[0])
    _once(labels, fields[0].name, "Group by the label, so that it has one row.")
    names = tuple(field.name for field in fields[1:])
    _once(names, "the column names", "Give each series a name of its own with AS.")
    series = tuple(Series(f.name, numbers(f, cells)) for f, cells in zip(fields[1:], columns[1:], strict=True))
    return labels, series, tuple(columns[0])


def _long(
    fields: Sequence[Field], columns: Sequence[Sequence[object]]
) -> tuple[tuple[str, ...], tuple[Series, ...], tuple[object, ...]]:
    cells = {label(cell): cell for cell in columns[0]}
    pairs = [(label(one), label(two)) for one, two in zip(columns[0], columns[1], strict=True)]
    _once(pairs, f"{fields[0].name} and {fields[1].name}", "Group by both, so that each pair has one row.")
    values = dict(zip(pairs, numbers(fields[2], columns[2]), strict=True))
    names = tuple(dict.fromkeys(name for _, name in pairs))
    if len(names) > MOST_SERIES:
        raise refused(
            f"{fields[1].name} has {len(names)} different values; a chart shows at most {MOST_SERIES} series.",
            "Keep the largest ones, and put the others together as one.",
        )
    series = tuple(Series(name, tuple(values.get((text, name)) for text in cells)) for name in names)
    return tuple(cells), series, tuple(cells.values())


def _once(found: Sequence[object], where: str, hint: str) -> None:
    seen: set[object] = set()
    for one in found:
        if one in seen:
            said = " / ".join(map(str, one)) if isinstance(one, tuple) else str(one)  # type: ignore[reportUnknownArgumentType]
            raise refused(f"{said[:80]!r} stands more than once in {where}.", hint)
        seen.add(one)


def _drawable(chart: Chart) -> None:
    if not any(series.present for series in chart.series):
        raise refused("Every value is NULL, so there is nothing to draw.", "Check the column and the filters first.")
    if chart.kind == "stacked_bar" and len(chart.series) < 2:
        raise refused("A stacked bar needs two series or more.", "Use kind bar, or select more numeric columns.")


def _in_time(chart: Chart) -> Chart:
    """The same in the order of time, whatever the query's order was."""
    if all(one <= two for one, two in pairwise(chart.labels)):
        return chart
    order = sorted(range(len(chart.labels)), key=lambda at: chart.labels[at])
    series = tuple(Series(one.name, tuple(one.values[at] for at in order)) for one in chart.series)
    return replace(chart, labels=tuple(chart.labels[at] for at in order), series=series)


def _scatter(fields: Sequence[Field], rows: Sequence[Row], title: str, unit: str) -> Chart:
    columns = [[row[at] for row in rows] for at in range(len(fields))]
    if len(fields) - 1 > MOST_SERIES or not all(numeric(f, c) for f, c in zip(fields, columns, strict=True)):
        raise refused("A scatter needs numeric columns only.", "Select x, then y (at most five of them).")
    found = [numbers(field, cells) for field, cells in zip(fields, columns, strict=True)]
    whole = [at for at, x in enumerate(found[0]) if x is not None and any(one[at] is not None for one in found[1:])]
    if not whole:
        raise refused("No row has both an x and a y.", "Check the columns and the filters first.")
    left = len(rows) - len(whole)
    places = tuple(x for at in whole if (x := found[0][at]) is not None)
    series = tuple(Series(f.name, tuple(v[at] for at in whole)) for f, v in zip(fields[1:], found[1:], strict=True))
    notes = (f"{counted(left, 'row')} without x or y left out",) if left else ()
    return Chart("scatter", title, unit, fields[0].name, (), series, "number", places, notes=notes)


def _histogram(fields: Sequence[Field], rows: Sequence[Row], title: str, unit: str) -> Chart:
    cells = [row[0] for row in rows]
    if len(fields) != 1 or not numeric(fields[0], cells):
        raise refused("A histogram needs exactly one numeric column.", "Select that column alone.")
    values = [value for value in numbers(fields[0], cells) if value is not None]
    if not values:
        raise refused("Every value is NULL, so there is nothing to draw.", "Check the column and the filters first.")
    edges, labels, counts = binned(values)
    left = len(cells) - len(values)
    notes = (f"{counted(left, 'row')} without a value left out",) if left else ()
    series = (Series("rows", counts),)
    return Chart("histogram", title, unit, fields[0].name, labels, series, "number", edges, additive=True, notes=notes)
