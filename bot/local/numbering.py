"""Timestamps and identifiers: unique, ordered, and reproducible for a given clock."""

from __future__ import annotations

from collections import Counter


class Numbering:
    """Hands out message timestamps (`1700000000.000100`) and counted ids (`Ev0000000001`)."""

    def __init__(self) -> None:
        self._last_micros = 0
        self._counts: Counter[str] = Counter()

    def ts(self, now: float) -> str:
        """A message timestamp at `now` (epoch seconds), later than every earlier one."""
        micros = max(int(now * 1_000_000), self._last_micros + 1)
        self._last_micros = micros
        return f"{micros // 1_000_000}.{micros % 1_000_000:06d}"

    def new(self, prefix: str) -> str:
        """The next id with this prefix."""
        self._counts[prefix] += 1
        return f"{prefix}{self._counts[prefix]:010d}"

    def dump(self) -> dict[str, object]:
        """State for a snapshot."""
        return {"last_micros": self._last_micros, "counts": dict(self._counts)}

    def load(self, data: dict[str, object]) -> None:
        """Continue from a snapshot."""
        last, counts = data["last_micros"], data["counts"]
        if not isinstance(last, int) or not isinstance(counts, dict):
            raise ValueError("numbering snapshot is malformed")
        self._last_micros = last
        self._counts = Counter(counts)
