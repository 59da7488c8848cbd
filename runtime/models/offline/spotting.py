"""A question read against one table: every clue that its words give, in the order in which they claim them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from runtime.models.offline.catalog import Table
from runtime.models.offline.clues import Clues
from runtime.models.offline.comparisons import find_comparisons
from runtime.models.offline.idioms import (
    asks_what_is_done,
    compared,
    equalities,
    exceptions,
    exchange,
    files,
    first_and_last,
    leaning_words,
    no_grouping,
    rates_and_yes_or_no,
    said_by_columns,
    top_numbers,
    year_on_year,
)
from runtime.models.offline.mentions import find_mentions
from runtime.models.offline.periods import find_periods
from runtime.models.offline.rates import read_new, read_rate, read_stock
from runtime.models.offline.sales import read_sales, selling
from runtime.models.offline.tokens import Token
from runtime.models.offline.weekdays import read_weekdays
from runtime.models.offline.words import read_phrases, read_word


def gather(tokens: Sequence[Token], table: Table, today: date | None) -> Clues:
    """The clues of `tokens` read against `table`: of the file names, only its own is understood."""
    clues = Clues(tuple(tokens), table, [False] * len(tokens))
    files(clues)
    no_grouping(clues)
    year_on_year(clues)
    selling(clues)
    clues.comparisons = find_comparisons(tokens)
    clues.use_all(clues.comparisons)
    periods = compared(clues, today) or find_periods(tokens, today)
    clues.periods = tuple(p for p in periods if not any(clues.used[p.first : p.after]))
    clues.use_all(clues.periods)
    clues.mentions = find_mentions(
        tokens, table, [not used or token.kind == "money" for used, token in zip(clues.used, tokens, strict=True)]
    )
    clues.use_all(clues.mentions)
    said_by_columns(clues)
    exceptions(clues)
    read_weekdays(clues)
    read_rate(clues)
    read_stock(clues)
    read_sales(clues)
    top_numbers(clues)
    first_and_last(clues)
    equalities(clues)
    read_phrases(clues)
    for at in range(len(clues.tokens)):
        read_word(clues, at)
    read_new(clues)
    leaning_words(clues)
    exchange(clues)
    rates_and_yes_or_no(clues)
    asks_what_is_done(clues)
    if clues.together:  # "is there a correlation between …"
        for at, token in enumerate(clues.tokens):
            clues.used[at] = clues.used[at] or token.low in ("between", "is", "are")
    return clues
