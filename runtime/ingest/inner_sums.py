"""Finds rows that hold the sums of rows next to them, by their figures alone: groups whose labels don't say it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from math import prod

Figures = Sequence[float | None]

MOST_ROWS = 300
_WINDOW = 60
_NEAR = 0.005
_ONCE, _TWICE = 0.02, 0.3  # sums that chance makes in a table, at which one or two found ones mean something


def inner_sums(rows: Sequence[Figures]) -> list[int]:
    """The places of rows whose figures, in every column, are the sums of two or more rows right below or right above.
    Nothing where so many may be found by chance."""
    if len(rows) > MOST_ROWS:
        return []
    found = [place for place in range(len(rows)) if _adds(rows, place)]
    if not found:
        return []
    columns = [[abs(row[at] or 0) for row in rows if row[at]] for at in range(len(rows[0]))]
    # Each row is compared with about four sums of its own size.
    by_chance = 4 * len(rows) / max(1, prod(max(1, statistics.median(column)) for column in columns if column))
    return found if by_chance <= (_ONCE if len(found) == 1 else _TWICE) else []


def _adds(rows: Sequence[Figures], place: int) -> bool:
    figures = {at: value for at, value in enumerate(rows[place]) if value}
    if not figures:
        return False
    below = rows[place + 1 : place + 1 + _WINDOW]
    above = rows[max(0, place - _WINDOW) : place][::-1]
    return _reaches(below, figures) or _reaches(above, figures)


def _reaches(rows: Sequence[Figures], figures: dict[int, float]) -> bool:
    """Whether two or more of `rows`, from the first on, add up to the figures."""
    sums = dict.fromkeys(figures, 0.0)
    for count, row in enumerate(rows, start=1):
        for at in sums:
            sums[at] += row[at] or 0
        if count > 1 and all(abs(sums[at] - value) <= _NEAR for at, value in figures.items()):
            return True
    return False
