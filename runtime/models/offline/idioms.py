"""Turns of phrase: several words that together say what none of them says alone."""

from __future__ import annotations

import re
from datetime import date

from runtime.models.offline.clues import Clues, Extreme
from runtime.models.offline.comparisons import ComparisonMention, number_at
from runtime.models.offline.lexicon import (
    ADJECTIVES,
    BUCKET_ADVERBS,
    BUCKETS,
    CHANGE_WORDS,
    LEAST,
    MOST,
)
from runtime.models.offline.listing import names_file
from runtime.models.offline.periods import PeriodMention, find_points
from runtime.models.offline.plan import Comparison

_AUXILIARIES = frozenset("is are was were do does did has have had can could will would should am".split())
_JOINING = frozenset(("between", "than", "with", "to", "from", "and", "or", "against"))
_LEANING = frozenset(("them", "they", "those", "these", "their", "ones"))
_NO_GROUPING = (
    ("any",),
    ("whatever",),
    ("regardless", "of"),
    ("irrespective", "of"),
    ("across", "all"),
    ("no", "matter"),
)
_LAST_YEAR = (
    re.compile(
        r"\bthan (?:in )?(?:the|that) (?:same )?month (?:of |in )?(?:(?P<year>[12]\d{3})|a year (?:earlier|before)"
        r"|the (?:year before|previous year))"
    ),
    re.compile(r"\bwith the (?:one|same month) (?:twelve months|a year|one year) (?:before|earlier)"),
)


def said_by_columns(clues: Clues) -> None:
    """Words that a column's own name explains: "per month" of monthly_cost, "since" and "ago" of last_seen_days; and
    "under" before a value, which no figure is held against."""
    lows = [token.low for token in clues.tokens]
    numbers = [column for column in clues.table.columns if column.kind == "number"]
    paces = {BUCKETS[word] for column in numbers for word in column.words if word in BUCKET_ADVERBS}
    elapsed = any("last" in c.words for m in clues.mentions for c in m.columns if c.kind == "number")
    for at, low in enumerate(lows):
        following = clues.mention_at(at + 1)
        if low in ("per", "a", "each") and at + 1 < len(lows) and BUCKETS.get(clues.tokens[at + 1].stem) in paces:
            clues.use(at, at + 2)
            clues.ignored.update((at, at + 1))
        if (low in ("since", "ago") and elapsed) or (low == "under" and following is not None and following.values):
            clues.used[at] = True
            clues.ignored.add(at)


def files(clues: Clues) -> None:
    """The name of the table's own file or source says that it is meant."""
    for at, token in enumerate(clues.tokens):
        if names_file(token, clues.table.file):
            clues.used[at] = True
            clues.ignored.add(at)
    source = clues.table.source
    for at, token in enumerate(clues.tokens):
        if source and token.low == source:
            clues.sourced = True
            clues.used[at] = True
            clues.ignored.add(at)


def year_on_year(clues: Clues) -> None:
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


def compared(clues: Clues, today: date | None) -> tuple[PeriodMention, ...]:
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


_EXCEPTING = frozenset(("other", "apart", "aside", "but"))
_EXCEPT = (("other", "than"), ("apart", "from"), ("aside", "from"))


def exceptions(clues: Clues) -> None:
    """ "other than", "apart from", "but not": what follows is left out."""
    lows = [token.low for token in clues.tokens]
    for at, low in enumerate(lows) if _EXCEPTING.intersection(lows) else ():
        following = lows[at + 1] if at + 1 < len(lows) else ""
        if (low, following) in _EXCEPT:
            clues.negations.append(at + 1)
            clues.use(at, at + 1)
            clues.ignored.update((at, at + 1))
        elif low == "but" and following in ("not", "no", "without"):
            clues.use(at, at + 1)
            clues.ignored.add(at)


def no_grouping(clues: Clues) -> None:
    """ "whatever the activity", "all activities together": said to mean that nothing is picked or split."""
    lows = [token.low for token in clues.tokens]
    names = {column.words[-1] for column in clues.table.columns}
    for at in range(len(lows)):
        for words in _NO_GROUPING:
            if tuple(lows[at : at + len(words)]) == words:
                end = at + len(words)
                end += end < len(lows) and lows[end] in ("the", "of", "my", "which", "what")
                if end < len(lows) and clues.tokens[end].stem in names:
                    clues.use(at, end + 1)
        if lows[at] == "all" and lows[at + 2 : at + 3] == ["together"] and clues.tokens[at + 1].stem in names:
            clues.use(at, at + 3)


def leaning_words(clues: Clues) -> None:
    """ "them", "those" before anything is named point at something said earlier, which is not known here."""
    named = min((mention.first for mention in clues.mentions), default=len(clues.tokens))
    for at, token in enumerate(clues.tokens[:named]):
        if token.low in _LEANING:
            clues.used[at] = False


def exchange(clues: Clues) -> None:
    """ "Convert … to dollars" wants an exchange, which no table here has; the rows in dollars are something else."""
    units = {column.name for column in clues.table.unit_columns}
    if any(value.column.name in units for mention in clues.mentions for value in mention.values):
        for at, token in enumerate(clues.tokens):
            clues.used[at] = clues.used[at] and token.stem not in ("convert", "exchange")


def rates_and_yes_or_no(clues: Clues) -> None:
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


_DONE_TO = frozenset("get gets need needs have answer answers cost costs receive".split())


def asks_what_is_done(clues: Clues) -> None:
    """ "What does a gold account get?", "what does silver cost?": what is so by rule is no list or total of rows."""
    lows = [token.low for token in clues.tokens]
    asked = lows[:1] in (["what"], ["when"]) and lows[1:2] in (["do"], ["does"]) and lows[2:3] not in (["we"], ["i"])
    asked = asked or (lows[:2] == ["how", "much"] and lows[2:3] in (["do"], ["does"]))
    for at in range(2, len(lows)) if asked else ():
        if lows[at] in _DONE_TO and (at in clues.ignored or not _names_column(clues, at)):
            clues.used[at] = False


def _names_column(clues: Clues, at: int) -> bool:
    mention = clues.mention_at(at)
    return mention is not None and not mention.loose


def equalities(clues: Clues) -> None:
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
    clues.use_all(found)


def _happened(clues: Clues, at: int) -> bool:
    """True for "joined first", "was opened last", "came first": what its date says. Where rows have a rank of their
    own, who came first is none of a date's."""
    following = clues.next_content(at + 1)
    if following is not None and not any(period.first <= following < period.after for period in clues.periods):
        return False
    before = clues.mention_at(at - 1) if at else None
    if before is not None and before.columns and all(column.dated for column in before.columns):
        return True
    if before is not None and before.table and clues.tokens[at - 1].low.endswith("ed"):
        return True  # "which guest visited first", of visits
    ranked = any(_RANKS.intersection(column.words) for column in clues.table.columns)
    named = any(mention.table and mention.after <= at for mention in clues.mentions)
    return at > 0 and clues.tokens[at - 1].low in _CAME and named and not ranked


def top_numbers(clues: Clues) -> None:
    """ "top 5", "the three most expensive", "5 largest"."""
    for at, token in enumerate(clues.tokens):
        value = None if clues.used[at] else number_at(clues.tokens, at)
        if value is None or value != int(value) or token.low in ("once", "twice") or not 1 <= value <= 1000:
            continue
        before = clues.tokens[at - 1].low if at else ""
        after = clues.tokens[at + 1] if at + 1 < len(clues.tokens) else None
        ranked = after is not None and (after.stem in MOST | LEAST or after.low in ADJECTIVES)
        which = before == "which" and any(other.stem in MOST | LEAST for other in clues.tokens[at:])
        if which or before in ("top", "bottom") or (ranked and token.low != "one"):
            clues.top = int(value)
            clues.used[at] = True


_CAME = frozenset("was were came come opened placed made".split())
_RANKS = frozenset("rank ranking place position score result finish".split())


def first_and_last(clues: Clues) -> None:
    """ "the last 5 orders", "the first order", "which opened first": rows by their date."""
    for at, token in enumerate(clues.tokens):
        if clues.used[at] or token.low not in ("first", "last"):
            continue
        if _happened(clues, at):
            clues.extremes.append(Extreme(at, "max" if token.low == "last" else "min", "date"))
            clues.use(at, at + 1)
            clues.ignored.add(at)
            continue
        value = number_at(clues.tokens, at + 1) if at + 1 < len(clues.tokens) else None
        noun = clues.mention_at(at + 1 + (value is not None))
        while noun is not None and noun.values and not noun.table:
            noun = clues.mention_at(noun.after)  # "the last 3 paid orders"
        if (
            noun is None
            or not clues.names_rows(noun)
            or (value is not None and (value != int(value) or not 1 <= value <= 1000))
        ):
            continue
        clues.top = int(value) if value is not None else clues.top
        clues.extremes.append(Extreme(at, "max" if token.low == "last" else "min", "date"))
        clues.use(at, at + 1 + (value is not None))
        clues.ignored.update(range(at, at + 1 + (value is not None)))
