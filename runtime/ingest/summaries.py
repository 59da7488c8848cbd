"""Finds rows that say something of others: means, extremes and counts at the end, sums of indented rows below."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Container, Mapping, Sequence
from decimal import Decimal

from runtime.ingest.numerals import Numeral

_LABEL_COLUMNS = 3
_STATISTICS: tuple[tuple[str, re.Pattern[str], Callable[[Sequence[Decimal]], Decimal]], ...] = (
    (
        "mean",
        re.compile(r"(average|avg\.?|mean|durchschnitt|mittelwert|moyenne|promedio|media|gemiddelde)\b.*", re.I),
        statistics.mean,
    ),
    ("median", re.compile(r"(median|médiane|mediana)\b.*", re.I), statistics.median),
    ("number", re.compile(r"(count|number|anzahl|nombre)\b[: ]*", re.I), lambda values: Decimal(len(values))),
    ("greatest", re.compile(r"max(imum|imal)?\b\.?.*", re.I), max),
    ("least", re.compile(r"min(imum|imal)?\b\.?.*", re.I), min),
)
_EXTREMES = ("greatest", "least")
WORD = re.compile(
    rb"average|\bavg|\bmean\b|durchschnitt|mittelwert|moyenne|promedio|media|gemiddelde|count|anzahl|\bmax|\bmin",
    re.IGNORECASE,
)
"""What a row of such a figure has somewhere, in bytes."""

Ways = Mapping[int, Numeral]
Summary = tuple[int, str, str, tuple[str, ...]]
"""Place, label, what it gives, and of which columns."""


def last_summaries(rows: Sequence[Sequence[str]], others: Container[int]) -> list[int]:
    """The places of the last rows whose labels say that they give a mean, an extreme or a number, among `others` that
    are none of the table's rows either."""
    found: list[int] = []
    for place in range(len(rows) - 1, 1, -1):
        if _statistic(rows[place]) is not None:
            found.insert(0, place)
        elif place not in others:
            break
    return found


def proved(
    rows: Sequence[Sequence[str]],
    places: Sequence[int],
    plain: Sequence[Sequence[str]],
    names: Sequence[str],
    ways: Ways,
) -> list[Summary]:
    """Those of the rows at `places` in which each figure is what the label says of the `plain` rows. A least or
    greatest one alone may be a row like the others (of a man called Max)."""
    above = {at: _values(plain, at, way) for at, way in ways.items()}
    found: list[Summary] = []
    for place in places:
        statistic = _statistic(rows[place])
        cells = {at: way.value(rows[place][at].strip()) for at, way in ways.items()}
        figures = {at: value for at, value in cells.items() if value is not None and above[at]}
        if statistic is None or not figures:
            continue
        what, measure = statistic
        if all(_shown_as(value, measure(above[at])) for at, value in figures.items()):
            found.append((place, _label(rows[place]), what, tuple(names[at] for at in figures)))
    kinds = {what for _, _, what, _ in found}
    return found if len(kinds) > 1 or not kinds <= set(_EXTREMES) else []


def sums_and_means(
    row: Sequence[str], plain: Sequence[Sequence[str]], names: Sequence[str], ways: Ways
) -> tuple[str, ...]:
    """The columns with a figure in a row without a label, if each is the sum or the mean of the `plain` rows, at least
    one the sum."""
    figures = {at: value for at, way in ways.items() if (value := way.value(row[at].strip())) is not None}
    above = {at: _values(plain, at, ways[at]) for at in figures}
    sums = [at for at, value in figures.items() if value and value == sum(above[at])]
    rest = all(
        above[at] and _shown_as(value, statistics.mean(above[at])) for at, value in figures.items() if at not in sums
    )
    return tuple(names[at] for at in figures) if sums and rest and len(plain) > 1 else ()


def indented_sums(rows: Sequence[Sequence[str]], ways: Ways) -> list[int]:
    """The places of rows that add up the more indented ones below them, if each that has such rows does so."""
    depths = [len(row[0]) - len(row[0].lstrip()) for row in rows]
    if not any(depths):
        return []
    found: list[int] = []
    several = False
    for place, depth in enumerate(depths[:-1]):
        if depths[place + 1] <= depth or not rows[place][0].strip():
            continue
        end = next((at for at in range(place + 1, len(rows)) if depths[at] <= depth), len(rows))
        children = [rows[at] for at in range(place + 1, end) if depths[at] == depths[place + 1]]
        figures = {at: value for at, way in ways.items() if (value := way.value(rows[place][at].strip())) is not None}
        if not figures or any(sum(_values(children, at, ways[at])) != value for at, value in figures.items()):
            return []
        several = several or len(children) > 1
        found.append(place)
    return found if several else []


def _values(rows: Sequence[Sequence[str]], at: int, way: Numeral) -> list[Decimal]:
    return [value for row in rows if (value := way.value(row[at].strip())) is not None]


def _shown_as(value: Decimal, exact: Decimal) -> bool:
    exponent = value.as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    return abs(value - exact) <= Decimal("0.5000001").scaleb(-digits)


def _label(row: Sequence[str]) -> str:
    return next((text for cell in row[:_LABEL_COLUMNS] if (text := cell.strip())), "")


def _statistic(row: Sequence[str]) -> tuple[str, Callable[[Sequence[Decimal]], Decimal]] | None:
    label = _label(row)
    return next(((what, measure) for what, form, measure in _STATISTICS if form.fullmatch(label)), None)
