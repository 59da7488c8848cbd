"""Extremes within groups: "the largest order in each country", "top 3 orders per channel", "highest fee by tier"."""

from __future__ import annotations

from typing import Literal

from runtime.models.offline.clues import Extreme
from runtime.models.offline.comparisons import number_at
from runtime.models.offline.grouping import said_by
from runtime.models.offline.measures import Measure, find_measure
from runtime.models.offline.parts import Parts, concept_of, figure_of, functions_said, planned
from runtime.models.offline.plan import Reading

_SUMMING = frozenset(("sum", "avg", "median", "count"))


def extreme_within(parts: Parts, direction: Literal["max", "min"], extreme: Extreme) -> Reading | None:
    """The extreme rows of each group that "by" names, or the extreme figure of each; None where the groups themselves
    are ranked: by a total, by pieces, or because the question asks which of them."""
    clues = parts.clues
    groups = said_by(clues)
    if not isinstance(groups, tuple) or not groups or clues.has("sells") or clues.trade or clues.asks_goods:
        return None
    if any(one not in groups for one in parts.dimensions) or functions_said(parts) & _SUMMING or parts.bounds:
        return None
    concept = concept_of(parts, extreme)
    if concept == "date" or extreme.comparative:
        return None
    measure = find_measure(clues, concept, parts.measure_tokens)
    if not isinstance(measure, Measure):
        return measure
    figure = figure_of(direction, measure)
    if _wants_rows(parts, extreme):
        return planned(parts, "extreme", figure, top=(direction, clues.top or 1))
    if clues.top:
        return parts.cannot("I can't tell of what the first ones of each group are wanted.")
    return planned(parts, "groups", figure)


def _wants_rows(parts: Parts, extreme: Extreme) -> bool:
    """True where the noun that is ranked is that of the rows: "largest order", "which product has the highest fee"."""
    clues = parts.clues
    numbered = extreme.at + 1 < len(clues.tokens) and number_at(clues.tokens, extreme.at + 1) is not None
    index = clues.next_content(extreme.at + 1 + numbered)
    mention = clues.mention_at(index) if index is not None else None
    while mention is not None and mention.values and not mention.table:
        index = clues.next_content(mention.after)
        mention = clues.mention_at(index) if index is not None else None
    rows = (mention is not None and mention.table) or (index is not None and index in clues.rows_at)
    asked = any(clue in ("which", "what") for clue, _, _ in clues.phrases)
    return rows or (asked and any(one.table and one.after <= extreme.at for one in clues.mentions))
