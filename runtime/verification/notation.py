"""How figures are written: what digits with marks between them stand for, and the scales and measures behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

_BLANKS = re.compile("[\u00a0\u202f' ]")
WRITTEN = r"[1-9]\d{0,2}(?:[\u00a0\u202f' ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*"
"""A pattern of what may be one figure, or several with commas between them."""

# A point before three last digits is a decimal point, since nothing else tells: 1.234 is little more than one.
_BY_COMMAS = re.compile(r"(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3}|\d+)(?:\.\d+)?")
_BY_POINTS = re.compile(r"(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,\d+)?")

_SCALES: Mapping[str, int] = {
    **dict.fromkeys(("k", "K", "thousand", "Tsd"), 3),
    "lakh": 5,
    **dict.fromkeys(("m", "M", "mn", "million", "Mio"), 6),
    "crore": 7,
    **dict.fromkeys(("B", "bn", "billion", "Mrd"), 9),
    **dict.fromkeys(("tn", "trillion"), 12),
}
_SHARES: Mapping[str, int] = {"%": 2, "percent": 2, "Prozent": 2, "bps": 4}
_MEASURES = ("x", "g", "kg", "mm", "cm", "km", "ms", "s", "min", "h", "KB", "MB", "GB", "TB", "kWh", "MWh", "pp")
UNIT = "%|(?:" + "|".join((*_SCALES, *_MEASURES, *list(_SHARES)[1:])) + r")\b"
"""A pattern of what may follow a figure, directly or behind a blank."""


def values(written: str) -> tuple[Decimal, ...]:
    """The figures that a match of WRITTEN holds, at the precision shown: one as a rule, whichever of comma and point
    marks its decimals; several where its commas only divide them (1,2,3); none where it is a date or a version."""
    text = _BLANKS.sub("", written)
    if _BY_COMMAS.fullmatch(text):
        return (Decimal(text.replace(",", "")),)
    if _BY_POINTS.fullmatch(text):
        return (Decimal(text.replace(".", "").replace(",", ".")),)
    parts = text.split(",")
    return tuple(value for part in parts for value in values(part)) if len(parts) > 1 else ()


def every_value(written: str) -> Iterator[Decimal]:
    """What a match of WRITTEN may mean in evidence: blanks may divide thousands, or numbers that stand side by side."""
    yield from values(written)
    parts = _BLANKS.split(written)
    if len(parts) > 1:
        yield from (value for part in parts for value in values(part))


def powers(unit: str) -> tuple[int, ...]:
    """By what powers of ten a cell may differ from a figure with this unit: a fraction may back a percentage, and a
    cell in millions what is shown in millions."""
    if unit in _SHARES:
        return (0, _SHARES[unit])
    return (0, -_SCALES[unit]) if unit in _SCALES else (0,)
