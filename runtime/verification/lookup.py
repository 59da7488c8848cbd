"""The numbers of one evidence item, sorted, so that a figure is looked up and not searched for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from decimal import Context, Decimal

# Longer numbers than this are compared whole: nobody rounds to 150 digits.
_ROUNDED_CHARS = 150
_EXACT = Context(prec=2 * _ROUNDED_CHARS)


class Numbers:
    """Asking costs as much for the thousandth figure as for the first: answers and results may both be long."""

    def __init__(self, values: Iterable[Decimal]) -> None:
        kept = set(values)
        self._sizes = sorted({value.copy_abs() for value in kept})
        self._negative = sorted({value.copy_abs() for value in kept if value < 0})

    def hold(self, shown: Decimal, decimals: int, powers: Iterable[int] = (0,)) -> bool:
        """Whether a value, times ten to one of `powers`, rounds half up to `shown` at `decimals` places. A figure
        without a minus may stand for a negative value: a word may carry the sign."""
        found = self._negative if shown < 0 else self._sizes
        size = shown.copy_abs()
        return any(_within(found, size, decimals, power) for power in powers)


def _within(found: list[Decimal], size: Decimal, decimals: int, power: int) -> bool:
    if len(size.as_tuple().digits) + decimals > _ROUNDED_CHARS:
        low, high = size, None
    else:
        half = Decimal(5).scaleb(-decimals - 1)
        low, high = _EXACT.subtract(size, half), _EXACT.add(size, half)
        low, high = low.scaleb(-power, _EXACT), high.scaleb(-power, _EXACT)
    at = bisect_left(found, low)
    return at < len(found) and (found[at] == low if high is None else found[at] < high)
