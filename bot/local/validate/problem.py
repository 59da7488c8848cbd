"""What is wrong, where, and what Slack calls it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """`pointer` is a JSON pointer into the payload, `error` Slack's error name."""

    pointer: str
    message: str
    error: str = "invalid_blocks"
