"""One line of the benchmark table: what was measured, against which baseline, and the bar it has to meet."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A measured figure.

    `value` is in `unit` (for example "ms over bare", "x bare", "s", "MB"); smaller is better.
    `bar` is the largest value that meets the design's quality bar, or None where there is none.
    `baseline` is the bare figure of the same run that the value was compared with, with its unit.
    """

    name: str
    value: float
    unit: str
    bar: float | None
    baseline: str

    @property
    def met(self) -> bool:
        """Whether the value is within its bar (a row without a bar always is)."""
        return self.bar is None or self.value <= self.bar
