"""Bars of a histogram: equal widths on round numbers, every value in exactly one."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

_MOST, _LEAST = 20, 5
_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


def binned(values: Sequence[float]) -> tuple[tuple[float, ...], tuple[str, ...], tuple[float, ...]]:
    """Edges (one more than bars), the bars' labels, and how many values are in each. A bar holds its lower edge; the
    last one holds both. `values` are finite and not empty."""
    low, high = min(values), max(values)
    wanted = min(_MOST, max(_LEAST, math.ceil(math.sqrt(len(values)))))
    edges = _edges(low, high, wanted)
    counts = [0.0] * (len(edges) - 1)
    for value in values:
        counts[min(max(bisect_right(edges, value) - 1, 0), len(counts) - 1)] += 1
    labels = tuple(f"{edge:.12g}–{edges[at + 1]:.12g}" for at, edge in enumerate(edges[:-1]))
    return tuple(edges), labels, tuple(counts)


def _edges(low: float, high: float, wanted: int) -> list[float]:
    width = high / wanted - low / wanted
    # Below this a width cannot be told from zero beside such values: one bar is the truth.
    if width <= max(abs(low), abs(high)) * 1e-9 or width < 1e-290:
        pad = abs(low) / 2 or 0.5
        return [low - pad, low + pad]
    unit = 10.0 ** math.floor(math.log10(width))
    step = next(unit * factor for factor in _ROUND if unit * factor >= width * (1 - 1e-9))
    first, last = math.floor(low / step), math.ceil(high / step)
    edges = [float(f"{at * step:.12g}") for at in range(first, max(last, first + 1) + 1)]
    return [min(edges[0], low), *edges[1:-1], max(edges[-1], high)]
