"""Everyday turns that hold for some tables only: "cancellation rate", "in stock", "new customers in May"."""

from __future__ import annotations

from rapidfuzz.distance import OSA

from runtime.models.offline.catalog import Column
from runtime.models.offline.clues import Clues
from runtime.models.offline.lexicon import STOCK_WORDS
from runtime.models.offline.mentions import Mention, Value

_STATES = frozenset("status state stage outcome".split())
_LEAST, _ENDING = 5, 3


def read_rate(clues: Clues) -> None:
    """ "Cancellation rate": the share of the rows whose status is the one that the word is made of."""
    for at in range(len(clues.tokens) - 1):
        taken = clues.mention_at(at) or clues.mention_at(at + 1)
        if clues.tokens[at + 1].low != "rate" or clues.used[at] or taken is not None:
            continue
        found = [one for column in clues.table.of_kind("label") if (one := _made_of(clues.tokens[at].low, column))]
        if len(found) != 1:
            continue
        clues.mentions = tuple(
            sorted((*clues.mentions, Mention(at, at + 2, values=(found[0],))), key=lambda m: m.first)
        )
        clues.share, clues.rate = True, found[0].column.name
        clues.rows_at.append(at)
        clues.use(at, at + 2)
        clues.ignored.update((at, at + 1))


def _made_of(word: str, column: Column) -> Value | None:
    """The one status of the table's own that begins like the word, in all its spellings."""
    if column.via is not None or column.words[-1] not in _STATES:
        return None
    spellings = tuple(value for value in column.values if _alike(word, value.strip().casefold()))
    folded = [value.strip().casefold() for value in spellings]
    same = all(OSA.distance(folded[0], one, score_cutoff=1) <= 1 for one in folded)
    return Value(column, spellings) if spellings and same else None


def _alike(word: str, value: str) -> bool:
    shared = max(_LEAST, len(value) - _ENDING)
    return value.isalpha() and len(value) >= _LEAST and word[:shared] == value[:shared]


def read_stock(clues: Clues) -> None:
    """ "In stock", "the stock of mugs": what a count of stock holds; no sale is meant."""
    if not STOCK_WORDS.intersection(clues.table.words):
        return
    lows = [token.low for token in clues.tokens]
    for at in range(len(lows) - 1):
        if lows[at] in ("in", "on") and clues.tokens[at + 1].stem in STOCK_WORDS and clues.mention_at(at + 1) is None:
            clues.use(at, at + 2)
            clues.ignored.update((at, at + 1))
            if any(one.stem == "item" and clues.mention_at(n) is None for n, one in enumerate(clues.tokens)):
                clues.doubt = "I can't tell whether items are pieces or kinds of goods: say “pieces” or “products”."
        elif clues.tokens[at].stem in STOCK_WORDS and lows[at + 1] == "of" and clues.mention_at(at) is None:
            clues.phrases.append(("many", at, at + 2))
            clues.use(at, at + 2)
            clues.ignored.update((at, at + 1))


def read_new(clues: Clues) -> None:
    """ "New customers in May": those whose own day lies in it; without a time nobody can tell which are new."""
    own = [column for column in clues.table.columns if column.dated and column.via is None]
    if len(own) != 1 or not (clues.periods or clues.buckets):
        return
    for at, token in enumerate(clues.tokens[:-1]):
        noun = clues.mention_at(at + 1)
        while noun is not None and noun.values and not noun.table:
            noun = clues.mention_at(noun.after)
        if token.low == "new" and clues.mention_at(at) is None and noun is not None and noun.table:
            clues.phrases.append(("new", at, at + 1))
            clues.use(at, at + 1)
            clues.ignored.add(at)
