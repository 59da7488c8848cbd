"""What the rows are grouped by: "by category", "which month", "monthly", "work or leisure"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.models.offline.catalog import Column
from runtime.models.offline.clues import Clues, is_adverb
from runtime.models.offline.conditions import date_column
from runtime.models.offline.lexicon import FILLERS, SHARE_WORDS
from runtime.models.offline.mentions import Mention
from runtime.models.offline.plan import Ask, Cannot, Dimension, ValueFilter
from runtime.models.offline.sales import buyers_of, goods_of
from runtime.models.offline.targets import Target

_DONE = frozenset("made bought sold paid sent given taken written held brought".split())
_SORTED = frozenset("grouped sorted ranked listed counted summed totalled charted plotted".split())
_DOING = frozenset("do does did".split())
_FAR = 4
_LABELS = ("label", "id", "year", "flag")


def dimensions_of(
    clues: Clues, targets: Sequence[Target], values: Sequence[ValueFilter], *, ranked: bool, bounded: bool
) -> tuple[Dimension, ...] | Ask | Cannot:
    """The dimensions of the question. `ranked`: it asks for an extreme; `bounded`: it bounds groups or rows."""
    found: dict[tuple[str, str], Dimension] = {}
    for part in (said_by(clues), _labels(clues, targets, values, ranked, bounded), _calendar(clues, targets)):
        if not isinstance(part, tuple):
            return part
        for dimension in part:
            found.setdefault((dimension.column.name, dimension.bucket), dimension)
    traded = _traded(clues, found)
    if traded is not None:
        found.setdefault((traded.name, ""), Dimension(traded))
    if clues.has("trend") and not any(dimension.bucket for dimension in found.values()):
        column = date_column(clues)
        if not isinstance(column, Column):
            return column
        found.setdefault((column.name, "trend"), Dimension(column, _unit_of_trend(column)))
    compared = clues.has("compare") and not found
    listed = _alternatives(clues, values) if ranked or compared else None
    if listed is not None:
        found.setdefault((listed.name, ""), Dimension(listed))
    return tuple(found.values())


def _traded(clues: Clues, found: Mapping[tuple[str, str], Dimension]) -> Column | None:
    """Who bought, or what was bought, where that is asked for without a noun."""
    if found:
        return None
    if clues.asks_buyers:
        return buyers_of(clues.table)
    return goods_of(clues.table) if clues.asks_goods else None


def _unit_of_trend(column: Column) -> str:
    """The calendar unit that shows the whole time in a readable number of steps."""
    first, last = column.first_day(), column.last_day()
    days = (last - first).days if first and last else 0
    return next((unit for unit, most in (("day", 31), ("week", 120), ("month", 1_500)) if days <= most), "year")


def said_by(clues: Clues) -> tuple[Dimension, ...] | Ask | Cannot:
    """The dimensions after "by", "per", "each"."""
    found: list[Dimension] = []
    for clue, first, after in clues.phrases:
        if clue != "by" or any(name == "many" and begin == after for name, begin, _ in clues.phrases):
            continue  # "by number of orders" says what to rank by
        if _by_agents(clues, first, after):
            continue
        index = clues.next_content(after)
        if index is not None and any(at == index for _, at in clues.buckets) and clues.tokens[after].low == "the":
            return Cannot("I can't tell whether that date is what to go by or what to group by.", clues.table)
        while index is not None:
            dimension = _dimension_at(clues, index)
            if isinstance(dimension, (Ask, Cannot)):
                return dimension
            if dimension is None:
                if not found and not _harmless(clues, index, clues.tokens[first].low):
                    return Cannot(f"I can't tell what “{clues.tokens[first].text} …” groups by.", clues.table)
                break
            found.append(dimension)
            mention = clues.mention_at(index)
            index = _after_and(clues, mention.after if mention else index + 1)
        if index is None and not found:
            return Cannot(f"I can't tell what “{clues.tokens[first].text} …” groups by.", clues.table)
    return tuple(found)


def _by_agents(clues: Clues, first: int, after: int) -> bool:
    """ "placed by customers in France": those who did it, of whom there are many, are no groups."""
    done = clues.tokens[first - 1] if first else None
    index = clues.next_content(after)
    mention = clues.mention_at(index) if index is not None else None
    if done is None or mention is None or done.low in _SORTED or not (done.low.endswith("ed") or done.low in _DONE):
        return False
    noun = clues.tokens[mention.after - 1]
    people = any(column.kind in ("id", "label") for column in mention.columns)
    return people and noun.low.endswith("s") and noun.stem != noun.low


def _after_and(clues: Clues, at: int) -> int | None:
    """The next noun of "by category and month"; only what could be a dimension counts."""
    if at + 1 >= len(clues.tokens) or clues.tokens[at].low != "and":
        return None
    index = clues.next_content(at + 1)
    if index is None or index > at + 2:
        return None
    mention = clues.mention_at(index)
    labels = mention is not None and not mention.values and any(c.kind in _LABELS for c in mention.columns)
    return index if labels or any(at == index for _, at in clues.buckets) else None


def _dimension_at(clues: Clues, index: int) -> Dimension | Ask | Cannot | None:
    bucket = next((bucket for bucket, at in clues.buckets if at == index), "")
    if bucket:
        return _bucketed(clues, bucket)
    mention = clues.mention_at(index)
    if mention is None or mention.values:
        return None
    label = next((column for column in mention.columns if column.kind in _LABELS), None)
    return Dimension(label) if label else None


def _bucketed(clues: Clues, bucket: str) -> Dimension | Ask | Cannot:
    column = date_column(clues)
    if isinstance(column, Column) and bucket == "hour" and not column.timed:
        return Cannot(f"`{column.name}` holds days without a time, so there are no hours.", clues.table)
    return Dimension(column, bucket) if isinstance(column, Column) else column


def _harmless(clues: Clues, index: int, word: str) -> bool:
    """ "books by Calvino", "every workout", "by total minutes" group nothing; "per kilometre" is a rate."""
    mention = clues.mention_at(index)
    if word == "per":  # "nights per trip" is the average over rows, which has to be said
        rows = (mention is not None and mention.table) or index in clues.rows_at
        return rows and any(function == "avg" for function, _ in clues.aggregates)
    if mention is None:
        return index in clues.rows_at or any(at == index for _, at in clues.aggregates)
    return True


def _labels(
    clues: Clues, targets: Sequence[Target], values: Sequence[ValueFilter], ranked: bool, bounded: bool
) -> tuple[Dimension, ...]:
    """Label columns that an extreme, a bound or "which" turns into the groups."""
    filtered = {value.column.name for value in values}
    rows_named = any(mention.table for mention in clues.mentions)
    found: list[Dimension] = []
    for mention in clues.mentions:
        column = next((c for c in mention.columns if c.kind in ("label", "id", "year")), None)
        if column is None or mention.values or mention.table:
            continue
        if column.name in filtered and not _asked_which(clues, mention):
            continue
        is_target = any(target.column == column for target in targets)
        counts_rows = any(said.times for said in clues.comparisons) or rows_named
        goods = clues.asks_goods  # "what did customers buy most": the customers are no groups
        by_rank = ranked and not is_target and not goods
        if (is_target and bounded and counts_rows) or by_rank or _asked_which(clues, mention):
            found.append(Dimension(column))
    return tuple(found)


def _asked_which(clues: Clues, mention: Mention) -> bool:
    """True for "which purpose", "what genres"."""
    for clue, _, after in clues.phrases:
        if clue in ("which", "what") and after <= mention.first <= after + 3:
            between = clues.tokens[after : mention.first]
            if any(token.low in _DOING or token.stem in SHARE_WORDS for token in between):
                continue  # "what did customers buy", "what share of orders": the noun isn't asked for
            if all(token.stem in FILLERS or clues.used[at] for at, token in enumerate(between, after)):
                return not any(clues.mention_at(at) for at in range(after, mention.first))
    return False


def _calendar(clues: Clues, targets: Sequence[Target]) -> tuple[Dimension, ...] | Ask | Cannot:
    """Calendar words that are not part of a period ("the month of May") are buckets."""
    found: list[Dimension] = []
    for bucket, at in clues.buckets:
        if _introduces_period(clues, at):
            clues.used[at] = True
            continue
        mention = clues.mention_at(at)
        wanted = bool(clues.extremes or clues.comparisons or clues.has("first")) or is_adverb(clues.tokens[at])
        wanted = wanted or any(target.bucket == bucket for target in targets) or _which_before(clues, at)
        wanted = wanted or any(clue == "by" and after <= at <= after + 1 for clue, _, after in clues.phrases)
        wanted = wanted or _listed_by(clues, at)
        if not wanted:
            clues.used[at] = mention is not None and any(column.dated for column in mention.columns)
            continue
        clues.used[at] = True
        dimension = _bucketed(clues, bucket)
        if not isinstance(dimension, Dimension):
            return dimension
        found.append(dimension)
    return tuple(found)


def _listed_by(clues: Clues, at: int) -> bool:
    """ "by status and month": the last of the nouns after "by"."""
    listed = at > 1 and clues.tokens[at - 1].low == "and"
    return listed and any(clue == "by" and after < at <= after + _FAR for clue, _, after in clues.phrases)


def _introduces_period(clues: Clues, at: int) -> bool:
    after = at + 1 + (at + 1 < len(clues.tokens) and clues.tokens[at + 1].low in ("of", "in"))
    return any(period.first == after for period in clues.periods) and not (
        clues.extremes or clues.has("many") or clues.has("which") or clues.has("what")
    )


def _which_before(clues: Clues, at: int) -> bool:
    return any(clue in ("which", "what") and 0 <= at - after <= 1 for clue, _, after in clues.phrases)


def _alternatives(clues: Clues, values: Sequence[ValueFilter]) -> Column | None:
    """ "Work or leisure, which …": the column of two or more alternatives."""
    if not clues.has("or") and not clues.has("compare"):
        return None
    return next((value.column for value in values if len(value.values) > 1 and not value.negated), None)
