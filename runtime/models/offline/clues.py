"""What the words of a question hint at: figures wanted, extremes, groupings, periods, bounds, and what stays unread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from runtime.models.offline.catalog import Table
from runtime.models.offline.comparisons import ComparisonMention, find_comparisons, number_at
from runtime.models.offline.lexicon import (
    ADJECTIVES,
    AGGREGATES,
    BUCKET_ADVERBS,
    BUCKETS,
    CHANGE_WORDS,
    CHART_FORMS,
    CHART_WORDS,
    CONCEPTS,
    CONTAINERS,
    FILLERS,
    FREQUENCY,
    GENERIC_MEASURES,
    GENERIC_ROWS,
    LEAST,
    LIGHT_VERBS,
    MONEY_COLUMNS,
    MONEY_VERBS,
    MOST,
    NEGATIONS,
    PERSON_WORDS,
    SHARE_WORDS,
    SPREAD_WORDS,
    STOCK_WORDS,
    TOGETHER_WORDS,
    TREND_WORDS,
)
from runtime.models.offline.mentions import Mention, find_mentions
from runtime.models.offline.naming import name_of
from runtime.models.offline.periods import PeriodMention, find_periods, find_points
from runtime.models.offline.phrases import PHRASES
from runtime.models.offline.plan import Comparison
from runtime.models.offline.tokens import Token

Direction = Literal["max", "min"]

_AUXILIARIES = frozenset("is are was were do does did has have had can could will would should am".split())
_JOINING = frozenset(("between", "than", "with", "to", "from", "and", "or", "against"))
_LEANING = frozenset(("them", "they", "those", "these", "their", "ones"))
_BY_FIRST_WORD = {
    first: tuple(phrase for phrase in PHRASES if phrase[0][0] == first) for first in {words[0] for words, _ in PHRASES}
}
_NO_GROUPING = (
    ("any",),
    ("whatever",),
    ("regardless", "of"),
    ("irrespective", "of"),
    ("across", "all"),
    ("no", "matter"),
)


@dataclass(frozen=True, slots=True)
class Extreme:
    """A superlative or comparative at token `at`; `concept` is the idea its adjective stands for."""

    at: int
    direction: Direction
    concept: str = ""
    comparative: bool = False


@dataclass(slots=True)
class Clues:
    """All clues of one question against one table. `used` marks the tokens that are understood."""

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
    sourced: bool = False

    def has(self, clue: str) -> bool:
        return any(name == clue for name, _, _ in self.phrases)

    def mention_at(self, at: int) -> Mention | None:
        if not self.mentions:
            return None
        return next((mention for mention in self.mentions if mention.first <= at < mention.after), None)

    def next_content(self, at: int) -> int | None:
        """The first token from `at` on that is no mere filler, within the clause."""
        for index in range(at, len(self.tokens)):
            token = self.tokens[index]
            if token.kind == "punct" and token.low not in "-'":
                return None
            if self.mention_at(index) or not (token.stem in FILLERS or not token.wordlike):
                return index
        return None

    def unread(self) -> tuple[str, ...]:
        """The words nobody has understood."""
        return tuple(t.text for t, used in zip(self.tokens, self.used, strict=True) if not used and t.wordlike)


def gather(tokens: Sequence[Token], table: Table, today: date | None) -> Clues:
    """The clues of `tokens` read against `table`: of the file names, only its own is understood."""
    clues = Clues(tuple(tokens), table, [False] * len(tokens))
    _files(clues)
    _no_grouping(clues)
    _year_on_year(clues)
    _selling(clues)
    clues.comparisons = find_comparisons(tokens)
    _use_all(clues, clues.comparisons)
    periods = _compared(clues, today) or find_periods(tokens, today)
    clues.periods = tuple(p for p in periods if not any(clues.used[p.first : p.after]))
    _use_all(clues, clues.periods)
    clues.mentions = find_mentions(
        tokens, table, [not used or token.kind == "money" for used, token in zip(clues.used, tokens, strict=True)]
    )
    _use_all(clues, clues.mentions)
    _said_by_columns(clues)
    _top_numbers(clues)
    _first_and_last(clues)
    _equalities(clues)
    _phrases(clues)
    for at in range(len(clues.tokens)):
        _word(clues, at)
    _leaning_words(clues)
    _exchange(clues)
    _rates_and_yes_or_no(clues)
    if clues.together:  # "is there a correlation between …"
        for at, token in enumerate(clues.tokens):
            clues.used[at] = clues.used[at] or token.low in ("between", "is", "are")
    return clues


def _use_all(clues: Clues, spans: Sequence[ComparisonMention] | Sequence[PeriodMention] | Sequence[Mention]) -> None:
    for span in spans:
        _use(clues, span.first, span.after)


def _use(clues: Clues, first: int, after: int) -> None:
    clues.used[first:after] = [True] * (after - first)


def _said_by_columns(clues: Clues) -> None:
    """Words that a column's own name explains: "per month" of monthly_cost, "since" and "ago" of last_seen_days; and
    "under" before a value, which no figure is held against."""
    lows = [token.low for token in clues.tokens]
    numbers = [column for column in clues.table.columns if column.kind == "number"]
    paces = {BUCKETS[word] for column in numbers for word in column.words if word in BUCKET_ADVERBS}
    elapsed = any("last" in c.words for m in clues.mentions for c in m.columns if c.kind == "number")
    for at, low in enumerate(lows):
        following = clues.mention_at(at + 1)
        if low in ("per", "a", "each") and at + 1 < len(lows) and BUCKETS.get(clues.tokens[at + 1].stem) in paces:
            _use(clues, at, at + 2)
            clues.ignored.update((at, at + 1))
        if (low in ("since", "ago") and elapsed) or (low == "under" and following is not None and following.values):
            clues.used[at] = True
            clues.ignored.add(at)


def _files(clues: Clues) -> None:
    own = {clues.table.file.casefold(), clues.table.file.casefold().rsplit("/", 1)[-1]}
    for at, token in enumerate(clues.tokens):
        if token.kind == "file" and token.low in own:
            clues.used[at] = True
            clues.ignored.add(at)
    source = clues.table.source
    for at, token in enumerate(clues.tokens):
        if source and token.low == source:
            clues.sourced = True
            clues.used[at] = True
            clues.ignored.add(at)


_LAST_YEAR = (
    re.compile(
        r"\bthan (?:in )?(?:the|that) (?:same )?month (?:of |in )?(?:(?P<year>[12]\d{3})|a year (?:earlier|before)"
        r"|the (?:year before|previous year))"
    ),
    re.compile(r"\bwith the (?:one|same month) (?:twelve months|a year|one year) (?:before|earlier)"),
)


def _year_on_year(clues: Clues) -> None:
    """ "than in the same month a year earlier": each month is held against that of the year before (0), or of the year
    that is named."""
    lows = [token.low for token in clues.tokens]
    text = " ".join(lows)
    found = next((match for pattern in _LAST_YEAR if (match := pattern.search(text))), None)
    if found is None:
        return
    clues.yearly = int(found.groupdict().get("year") or 0)
    first = text[: found.start()].count(" ")
    said = set(range(first, first + found.group().count(" ") + 1))
    for at in said | {index for index, low in enumerate(lows) if low == "compare"}:
        clues.used[at] = True
        clues.ignored.add(at)


_SELLING = frozenset(("sell", "sold", "seller"))


def _selling(clues: Clues) -> None:
    """ "sells best", "best-selling", "sold the most": the pieces of a table of sales, another sells nothing."""
    lows = [token.low for token in clues.tokens]
    for at, token in enumerate(clues.tokens):
        if token.stem not in _SELLING or not _of_sales(clues.table):
            continue
        near = [index for index in (*range(at - 1, at - 3, -1), at + 1, at + 2) if 0 <= index < len(lows)]
        said = next((index for index in near if lows[index] in ("best", "worst", "top", "most", "least")), None)
        between = range(min(at, said) + 1, max(at, said)) if said is not None else ()
        if said is None or any(lows[index] not in ("-", "the") for index in between):
            continue
        clues.extremes.append(Extreme(said, "min" if lows[said] in ("worst", "least") else "max", "pieces"))
        clues.phrases.append(("sells", min(at, said), max(at, said) + 1))
        _use(clues, min(at, said), max(at, said) + 1)
        clues.ignored.update(range(min(at, said), max(at, said) + 1))


def _of_sales(table: Table) -> bool:
    """True where rows have pieces and money on a day of their own or of rows that they lead to, and are no stock."""
    own = [column for column in table.columns if column.via is None]
    said = {word for column in own for word in column.words}.union(table.words)
    pieces = any(column.additive and CONCEPTS["pieces"].intersection(column.words) for column in own)
    money = any(column.kind == "number" and MONEY_COLUMNS.intersection(column.words) for column in own)
    return pieces and money and any(column.dated for column in table.columns) and not STOCK_WORDS & said


def _compared(clues: Clues, today: date | None) -> tuple[PeriodMention, ...]:
    """The two periods of a question about a change, none for another question. The words that say so are understood."""
    at = [index for index, token in enumerate(clues.tokens) if token.stem in CHANGE_WORDS]
    points = find_points(clues.tokens, today) if at else ()
    if len(points) != 2:
        return ()
    clues.change = True
    between = [index for index, token in enumerate(clues.tokens) if token.low in _JOINING]
    for index in (*at, *between):
        clues.used[index] = True
        clues.ignored.add(index)
    return points


def _no_grouping(clues: Clues) -> None:
    """ "whatever the activity", "all activities together": said to mean that nothing is picked or split."""
    lows = [token.low for token in clues.tokens]
    names = {column.words[-1] for column in clues.table.columns}
    for at in range(len(lows)):
        for words in _NO_GROUPING:
            if tuple(lows[at : at + len(words)]) == words:
                end = at + len(words)
                end += end < len(lows) and lows[end] in ("the", "of", "my", "which", "what")
                if end < len(lows) and clues.tokens[end].stem in names:
                    _use(clues, at, end + 1)
        if lows[at] == "all" and lows[at + 2 : at + 3] == ["together"] and clues.tokens[at + 1].stem in names:
            _use(clues, at, at + 3)


def _leaning_words(clues: Clues) -> None:
    """ "them", "those" before anything is named point at something said earlier, which is not known here."""
    named = min((mention.first for mention in clues.mentions), default=len(clues.tokens))
    for at, token in enumerate(clues.tokens[:named]):
        if token.low in _LEANING:
            clues.used[at] = False


def _exchange(clues: Clues) -> None:
    """ "Convert … to dollars" wants an exchange, which no table here has; the rows in dollars are something else."""
    units = {column.name for column in clues.table.unit_columns}
    if any(value.column.name in units for mention in clues.mentions for value in mention.values):
        for at, token in enumerate(clues.tokens):
            clues.used[at] = clues.used[at] and token.stem not in ("convert", "exchange")


def _rates_and_yes_or_no(clues: Clues) -> None:
    """ "a month" is a rate, and "is rent …?" wants a yes or no: both stay unread."""
    lows = [token.low for token in clues.tokens]
    for at, low in enumerate(lows[:-1]):
        if (
            low in ("a", "an")
            and at not in clues.ignored
            and clues.tokens[at + 1].stem in BUCKETS
            and lows[at - 1 : at] != ["in"]
        ):
            clues.used[at] = clues.used[at + 1] = False
    asks = any(
        clue in ("many", "much", "rows", "what", "which", "when", "long", "far", "or") for clue, _, _ in clues.phrases
    )
    if lows and lows[0] in _AUXILIARIES and lows[1:2] != ["you"] and not asks:
        clues.used[0] = False


def _equalities(clues: Clues) -> None:
    """ "a rating of 4": a number right after the name of a figure is what it has to be."""
    found: list[ComparisonMention] = []
    for at, token in enumerate(clues.tokens):
        if clues.used[at] or token.kind != "number" or token.number is None:
            continue
        before = at - 1
        while before >= 0 and clues.tokens[before].low in ("of", "is", "was", "equal", "to", "="):
            before -= 1
        mention = clues.mention_at(before) if before >= 0 else None
        if mention is not None and any(column.kind == "number" for column in mention.columns):
            found.append(ComparisonMention(at, at + 1, Comparison("=", token.number)))
    clues.comparisons = (*clues.comparisons, *found)
    _use_all(clues, found)


def _top_numbers(clues: Clues) -> None:
    """ "top 5", "the three most expensive", "5 largest"."""
    for at, token in enumerate(clues.tokens):
        value = None if clues.used[at] else number_at(clues.tokens, at)
        if value is None or value != int(value) or token.low in ("once", "twice") or not 1 <= value <= 1000:
            continue
        before = clues.tokens[at - 1].low if at else ""
        after = clues.tokens[at + 1] if at + 1 < len(clues.tokens) else None
        ranked = after is not None and (after.stem in MOST | LEAST or after.low in ADJECTIVES)
        if before in ("top", "bottom") or (ranked and token.low != "one"):
            clues.top = int(value)
            clues.used[at] = True


def _first_and_last(clues: Clues) -> None:
    """ "the last 5 orders", "the first order": rows by their date."""
    for at, token in enumerate(clues.tokens):
        if clues.used[at] or token.low not in ("first", "last"):
            continue
        value = number_at(clues.tokens, at + 1) if at + 1 < len(clues.tokens) else None
        noun = clues.mention_at(at + 1 + (value is not None))
        while noun is not None and noun.values and not noun.table:
            noun = clues.mention_at(noun.after)  # "the last 3 paid orders"
        if noun is None or not noun.table or (value is not None and (value != int(value) or not 1 <= value <= 1000)):
            continue
        clues.top = int(value) if value is not None else clues.top
        clues.extremes.append(Extreme(at, "max" if token.low == "last" else "min", "date"))
        _use(clues, at, at + 1 + (value is not None))
        clues.ignored.update(range(at, at + 1 + (value is not None)))


def _phrases(clues: Clues) -> None:
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
        _use(clues, first, after)
    clues.ignored.update(range(first, after))
    if clue in ("sum", "avg"):
        clues.aggregates.append((clue, first))
    elif clue:
        clues.phrases.append((clue, first, after))


def _word(clues: Clues, at: int) -> None:
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
        if low == "expensive" and before == "least":
            direction = "min"
        comparative = low.endswith("er") or low in ("more", "less")
        if low == "expensive" and before in ("most", "least", "more", "less"):
            clues.extremes = [extreme for extreme in clues.extremes if extreme.at != at - 1]
        clues.extremes.append(Extreme(at, "max" if direction == "max" else "min", concept, comparative))
        return True
    clues.extremes.append(Extreme(at, "max" if word in MOST else "min"))
    return True


def is_adverb(token: Token) -> bool:
    """ "monthly", "daily": a bucket said as an adverb."""
    return token.stem in BUCKET_ADVERBS
