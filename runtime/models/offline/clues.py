"""The clues of a question against one table: figures, extremes, groupings, periods, bounds, what is unread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from runtime.models.offline.catalog import Table
from runtime.models.offline.comparisons import ComparisonMention
from runtime.models.offline.lexicon import BUCKET_ADVERBS, FILLERS
from runtime.models.offline.mentions import Mention
from runtime.models.offline.periods import PeriodMention
from runtime.models.offline.tokens import Token

Direction = Literal["max", "min"]


@dataclass(frozen=True, slots=True)
class Extreme:
    """A superlative or comparative at token `at`; `concept` is the idea its adjective stands for."""

    at: int
    direction: Direction
    concept: str = ""
    comparative: bool = False


@dataclass(slots=True)
class Clues:
    """All clues of one question against one table. `used` marks the tokens that are understood. `trade` is what a verb
    says was done ("sold", "ordered", "spent", "paid"); `rate` is the column of the status that a rate is of; a `doubt`
    is why there can be no plan."""

    tokens: tuple[Token, ...]
    table: Table
    used: list[bool]
    mentions: tuple[Mention, ...] = ()
    periods: tuple[PeriodMention, ...] = ()
    comparisons: tuple[ComparisonMention, ...] = ()
    extremes: list[Extreme] = field(default_factory=list[Extreme])
    phrases: list[tuple[str, int, int]] = field(default_factory=list[tuple[str, int, int]])
    aggregates: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    buckets: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    ignored: set[int] = field(default_factory=set[int])
    frequency: bool = False
    money: bool = False
    generic: bool = False
    rows_at: list[int] = field(default_factory=list[int])
    negations: list[int] = field(default_factory=list[int])
    top: int | None = None
    chart: bool = False
    share: bool = False
    change: bool = False
    spread: bool = False
    together: bool = False
    yearly: int | None = None
    weekdays: tuple[int, ...] = ()
    trade: str = ""
    rate: str = ""
    asks_buyers: bool = False
    asks_goods: bool = False
    says_pieces: bool = False
    doubt: str = ""
    sourced: bool = False

    def has(self, clue: str) -> bool:
        return any(name == clue for name, _, _ in self.phrases)

    def mention_at(self, at: int) -> Mention | None:
        if not self.mentions:
            return None
        return next((mention for mention in self.mentions if mention.first <= at < mention.after), None)

    def names_rows(self, mention: Mention) -> bool:
        """True for the table's name, and for a column that tells each of its rows apart."""
        keys = self.table.keys
        return mention.table or any(column.name in keys and column.via is None for column in mention.columns)

    def next_content(self, at: int) -> int | None:
        """The first token from `at` on that is no mere filler, within the clause."""
        for index in range(at, len(self.tokens)):
            token = self.tokens[index]
            if token.kind == "punct" and token.low not in "-'":
                return None
            if self.mention_at(index) or not (token.stem in FILLERS or not token.wordlike):
                return index
        return None

    def use(self, first: int, after: int) -> None:
        """The tokens [first, after) are understood."""
        self.used[first:after] = [True] * (after - first)

    def use_all(self, spans: Sequence[ComparisonMention] | Sequence[PeriodMention] | Sequence[Mention]) -> None:
        """The tokens of all `spans` are understood."""
        for span in spans:
            self.use(span.first, span.after)

    def unread(self) -> tuple[str, ...]:
        """The words nobody has understood."""
        return tuple(t.text for t, used in zip(self.tokens, self.used, strict=True) if not used and t.wordlike)


def is_adverb(token: Token) -> bool:
    """ "monthly", "daily": a bucket said as an adverb."""
    return token.stem in BUCKET_ADVERBS
