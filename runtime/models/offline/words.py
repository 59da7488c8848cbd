"""The clues of single words and of set phrases, each by its place in the lists of the lexicon."""

from __future__ import annotations

from runtime.models.offline.clues import Clues, Extreme
from runtime.models.offline.lexicon import (
    ADJECTIVES,
    AGGREGATES,
    BUCKETS,
    CHART_FORMS,
    CHART_WORDS,
    CONTAINERS,
    FILLERS,
    FREQUENCY,
    GENERIC_MEASURES,
    GENERIC_ROWS,
    LEAST,
    LIGHT_VERBS,
    MONEY_VERBS,
    MOST,
    NEGATIONS,
    PERSON_WORDS,
    PRAISES_ONLY,
    SHARE_WORDS,
    SPREAD_WORDS,
    TOGETHER_WORDS,
    TREND_WORDS,
)
from runtime.models.offline.mentions import Mention
from runtime.models.offline.naming import name_of
from runtime.models.offline.phrases import PHRASES
from runtime.models.offline.tokens import Token

_BY_FIRST_WORD = {
    first: tuple(phrase for phrase in PHRASES if phrase[0][0] == first) for first in {words[0] for words, _ in PHRASES}
}


def read_phrases(clues: Clues) -> None:
    """The clues of set phrases, the longest first."""
    lows = [token.low for token in clues.tokens]
    at = 0
    while at < len(lows):
        for words, clue in () if at in clues.ignored else _BY_FIRST_WORD.get(lows[at], ()):
            end = at + len(words)
            inside = clues.mention_at(at)
            if tuple(lows[at:end]) == words and (inside is None or not any(m.values for m in (inside,))):
                _phrase(clues, clue, at, end)
                at = end - 1
                break
        at += 1


def _phrase(clues: Clues, clue: str, first: int, after: int) -> None:
    if clue == "unread":
        clues.used[first:after] = [False] * (after - first)
        clues.ignored.update(range(first, after))
        return
    if clue not in ("or", "compare"):
        clues.use(first, after)
    clues.ignored.update(range(first, after))
    if clue in ("sum", "avg"):
        clues.aggregates.append((clue, first))
    elif clue:
        clues.phrases.append((clue, first, after))


def read_word(clues: Clues, at: int) -> None:
    """The clues of one word that is not part of a phrase. A word may be a mention and a clue at once ("total")."""
    token = clues.tokens[at]
    if at in clues.ignored or token.kind not in ("word", "number") or (clues.used[at] and not clues.mention_at(at)):
        return
    mention = clues.mention_at(at)
    if mention is not None and (mention.after - mention.first > 1 or mention.values):
        return
    understood = _clue_word(clues, at, token, mention)
    if understood or token.stem in FILLERS:
        clues.used[at] = True


def _clue_word(clues: Clues, at: int, token: Token, mention: Mention | None) -> bool:
    word, low = token.stem, token.low
    if mention is None and _asks_for_more(clues, at, word):
        return True
    if mention is None and word in PERSON_WORDS:
        clues.phrases.append(("people", at, at + 1))
        return name_of(clues.table) is not None
    if low in ADJECTIVES or word in MOST | LEAST:
        return _extreme(clues, at, low, word)
    if word in AGGREGATES:
        clues.aggregates.append((AGGREGATES[word], at))
        return True
    if (
        word in BUCKETS
        and not (mention and mention.units)
        and (mention is None or any(column.dated for column in mention.columns) or not mention.columns)
    ):
        clues.buckets.append((BUCKETS[word], at))
        return False
    if low in NEGATIONS:
        clues.negations.append(at)
        return False
    if word in SHARE_WORDS and mention is None:
        clues.share = True
        return True
    if word in CHART_WORDS or (clues.chart and word in CHART_FORMS):
        clues.chart = True
        return True
    return _soft_word(clues, at, word, mention)


def _asks_for_more(clues: Clues, at: int, word: str) -> bool:
    """A word that asks for a distribution, a correlation or a trend."""
    if word in SPREAD_WORDS:
        clues.spread = True
        clues.chart = clues.chart or word in CHART_WORDS
    elif word in TOGETHER_WORDS:
        clues.together = True
    elif word in TREND_WORDS:
        clues.phrases.append(("trend", at, at + 1))
    else:
        return False
    return True


def _soft_word(clues: Clues, at: int, word: str, mention: Mention | None) -> bool:
    if word in CHART_FORMS and any(token.stem in CHART_WORDS for token in clues.tokens):
        return True
    if word in FREQUENCY:
        clues.frequency = True
        return True
    if word in MONEY_VERBS:
        clues.money = True
    if word in GENERIC_MEASURES:
        clues.generic = True
    if clues.tokens[at].low in PRAISES_ONLY and mention is None:
        return clues.has("by")  # "our most loyal customer (by number of orders)"
    if word in GENERIC_ROWS and (mention is None or not mention.columns):
        clues.rows_at.append(at)
        return True
    if mention is not None:
        return True
    return word in MONEY_VERBS | GENERIC_MEASURES | LIGHT_VERBS | CONTAINERS


def _extreme(clues: Clues, at: int, low: str, word: str) -> bool:
    if low in ADJECTIVES:
        direction, concept = ADJECTIVES[low]
        before = clues.tokens[at - 1].low if at else ""
        graded = low in ("expensive", "recent")
        if low == "recent" and before not in ("most", "least"):
            return False  # how long ago that is nobody can tell
        if graded and before == "least":
            direction = "min"
        comparative = low.endswith("er") or low in ("more", "less")
        if graded and before in ("most", "least", "more", "less"):
            clues.extremes = [extreme for extreme in clues.extremes if extreme.at != at - 1]
        clues.extremes.append(Extreme(at, "max" if direction == "max" else "min", concept, comparative))
        return True
    clues.extremes.append(Extreme(at, "max" if word in MOST else "min"))
    return True
