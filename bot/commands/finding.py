"""One line of what `footnote check` reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """A part, how it stands, and what to do about it."""

    part: str
    state: Literal["ok", "warn", "fail"]
    text: str
