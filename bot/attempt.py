"""One attempt at a turn: what it was asked, and what it has so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.grounds import Grounds
from bot.question import Question
from runtime.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Attempt:
    """A turn at work. `gathered` is its evidence in call order and `grounds` what that rests on; both begin empty with
    every attempt, as a resumed turn is given back what its steps had found."""

    turn_id: str
    question: Question
    gathered: list[Evidence] = field(default_factory=list[Evidence])
    grounds: Grounds = field(default_factory=Grounds)

    @property
    def used(self) -> frozenset[str]:
        """The sources that an answer over what is gathered rests on."""
        return self.grounds.used(self.gathered)

    @property
    def rests_on(self) -> Mapping[str, str]:
        """The same with each source's rules, as the state keeps it."""
        return self.grounds.rests_on(self.gathered)
