"""Names that are like one that was not found."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, process, utils

_NEAR_SCORE = 55.0
_SHORT = 3


def near(wanted: str, names: Sequence[str], most: int = 5) -> list[str]:
    """The names most like `wanted`, best first; none that is not like it at all."""
    # A name of a letter or two is part of nearly any other, and would stand before what was meant.
    long_enough = [name for name in names if len(name) >= min(_SHORT, len(wanted) - 1)]
    found = process.extract(
        wanted, long_enough, scorer=fuzz.WRatio, processor=utils.default_process, limit=most, score_cutoff=_NEAR_SCORE
    )
    return [name for name, _, _ in found]
