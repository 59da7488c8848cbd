"""Figures held against others: shares, changes between periods, distributions and correlations."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import pairwise
from math import floor, log10
from typing import Literal

from runtime.models.offline.figures import computed, figure_wanted
from runtime.models.offline.lexicon import SHARE_WORDS
from runtime.models.offline.measures import Measure, find_measure, named_numbers
from runtime.models.offline.parts import COUNT, Parts, figure_of, functions_said, one_function, planned
from runtime.models.offline.periods import Period
from runtime.models.offline.plan import Aggregate, Ask, Cannot, Dimension, Reading, ValueFilter
from runtime.models.offline.weekdays import days_at

_BEING = frozenset("was were is are has have had came come".split())
_ONE_CONDITION = "I can only work out the share of one condition in the whole."
_SAY_SO = "Say what narrows the whole before the verb, as in “what share of paid orders in Germany was …”."


def share(parts: Parts) -> Reading:
    """One condition's part of all rows, or of the total of a figure, also group by group; without a condition, each
    group's part. The period holds for both."""
    clues = parts.clues
    if clues.change:
        return parts.cannot("I can't compare the share of one period with that of another; ask for each of them.")
    amounts = bool(named_numbers(clues, parts.measure_tokens)) or clues.money
    # an amount in EUR is no part of one in all currencies, and the refund rate in Germany one of orders in Germany
    units = [bool(parts.related) or (amounts and value.column.tells_unit) for value in parts.values]
    told = [value.column.name != clues.rate for value in parts.values] if clues.rate else _wholes(parts)
    base = [unit or whole for unit, whole in zip(units, told, strict=True)]
    parts = replace(parts, values=tuple(replace(v, base=b) for v, b in zip(parts.values, base, strict=True)))
    figures = [bound for bound in parts.bounds if bound.measure is not None]
    conditions = sum(not value.base for value in parts.values) + len(figures) + len(parts.related)
    conditions += bool(parts.span.weekdays)
    if conditions > 1 and any(told) is False and _listed_after(parts):
        conditions = 1  # "was cancelled and placed by phone": both at once
    if len(figures) != len(parts.bounds) or functions_said(parts) & {"avg", "median"}:
        return parts.cannot(_ONE_CONDITION)
    top = _top_of(parts)
    if isinstance(top, Cannot):
        return top
    if _of_a_time(parts):
        return parts.cannot("I can't take a time as the part; ask for the figure in that time and in all.")
    grouped = bool(parts.dimensions) and (clues.has("by") or top is not None)
    if conditions != (0 if grouped and not conditions else 1) or (parts.dimensions and not grouped):
        return parts.cannot(_ONE_CONDITION if conditions < 2 else f"{_ONE_CONDITION} {_SAY_SO}")
    if parts.dimensions and conditions and not (parts.related or clues.rate) and _before_rows(parts):
        return parts.cannot(
            "I can't tell of what whole that share is. Say “what share of … was …, by …?” for the share within each "
            "group, or ask for the number by group."
        )
    if any(item.rows.period is not None for item in parts.related):
        return parts.cannot("I can't tell whether that time is also that of the whole that the share is of.")
    if not amounts:
        rows = any(mention.table for mention in clues.mentions) or bool(clues.rows_at)
        return planned(parts, "share", COUNT, top=top) if rows else parts.cannot("I can't tell what the share is of.")
    measure = find_measure(clues, "", parts.measure_tokens)
    if not isinstance(measure, Measure):
        return measure
    if not measure.column.additive:
        return parts.cannot(f"I can't add up `{measure.column.name}` over all rows.")
    return planned(parts, "share", figure_of("sum", measure), top=top)


def _top_of(parts: Parts) -> tuple[Literal["max", "min"], int] | Cannot | None:
    """The rank of the groups whose share is asked for: "which channel has the highest share"."""
    extremes = parts.clues.extremes
    if not extremes:
        return None
    if len(parts.dimensions) != 1 or len({one.direction for one in extremes}) > 1 or extremes[0].comparative:
        return parts.cannot("I can only rank the shares of one kind of group.")
    return extremes[0].direction, parts.clues.top or 1


def _verb(parts: Parts) -> int | None:
    """Where the verb stands in "what share of paid orders was placed by phone": what narrows the whole is before it."""
    clues = parts.clues
    shared = next((at for at, token in enumerate(clues.tokens) if token.stem in SHARE_WORDS), None)
    if shared is None or [token.low for token in clues.tokens[shared + 1 : shared + 2]] != ["of"]:
        return None
    return next((at for at in range(shared + 2, len(clues.tokens)) if clues.tokens[at].low in _BEING), None)


def _places(parts: Parts, value: ValueFilter) -> list[int]:
    """Where the question names the values of a condition."""
    name = value.column.name
    said = [m for m in parts.clues.mentions if any(one.column.name == name for one in m.values)]
    said += [m for m in parts.clues.mentions if not m.values and any(c == value.column for c in m.columns)]
    return [mention.first for mention in said]


def _wholes(parts: Parts) -> list[bool]:
    """For each condition whether it narrows the whole, by standing before the verb, and the part has one behind it."""
    clues, verb = parts.clues, _verb(parts)
    places = [_places(parts, value) for value in parts.values]
    if verb is None:
        return [False] * len(places)
    behind = [min(at) for at in places if at] + [bound.first for bound in clues.comparisons] + days_at(clues)
    return [bool(at) and max(at) < verb < max(behind) for at in places]


def _of_a_time(parts: Parts) -> bool:
    """ "What share of paid orders was in May": the time is the part there, and only that stands behind the verb."""
    clues, verb = parts.clues, _verb(parts)
    if verb is None or not any(period.first > verb for period in clues.periods):
        return False
    places = [at for value in parts.values for at in _places(parts, value)]
    behind = [*places, *(bound.first for bound in clues.comparisons), *days_at(clues)]
    return bool(behind) and max(behind) < verb


def _listed_after(parts: Parts) -> bool:
    """True where all conditions stand behind the verb with "and" between them, and none is a figure's or a day's."""
    verb, tokens = _verb(parts), parts.clues.tokens
    places = sorted(min(at) for value in parts.values if (at := _places(parts, value)))
    if verb is None or len(places) < max(len(parts.values), 2) or places[0] < verb:
        return False
    if parts.bounds or parts.related or parts.span.weekdays:
        return False
    between = [{token.low for token in tokens[one:other]} for one, other in pairwise(places)]
    return all("and" in words for words in between)


def _before_rows(parts: Parts) -> bool:
    """ "the share of cancelled orders by channel": the condition may as well be the whole."""
    mentions = parts.clues.mentions
    places = [at for value in parts.values if not value.base for at in _places(parts, value)]
    return any(mention.table and first < mention.first for mention in mentions for first in places)


def change(parts: Parts) -> Reading:
    """A figure in two periods."""
    clues = parts.clues
    if clues.extremes or parts.bounds or any(dimension.bucket for dimension in parts.dimensions):
        return parts.cannot("I can only compare one figure between two periods.")
    aggregate = figure_wanted(parts)
    if aggregate is None and (named_numbers(clues, parts.measure_tokens) or clues.money):
        aggregate = computed(parts, None)
    if isinstance(aggregate, (Ask, Cannot)):
        return aggregate
    aggregate = aggregate or COUNT
    if aggregate.function == "median":
        return parts.cannot("I can't compare medians of two periods; ask for the average.")
    plan = planned(parts, "change", aggregate)
    return replace(plan, earlier=parts.earlier, chart=False)


def months_over(parts: Parts) -> Reading:
    """In how many months a figure was above, or below, that of the same month of another year."""
    clues, period = parts.clues, parts.span.period
    directions = {extreme.direction for extreme in clues.extremes}
    whole_year = period is not None and period.start is not None and period.label == str(period.start.year)
    if len(directions) != 1 or not whole_year or period is None or period.start is None or parts.bounds:
        return parts.cannot("I can compare the months of one year with those of another, by what is higher or lower.")
    if any(not dimension.bucket for dimension in parts.dimensions):
        return parts.cannot("I can compare months only, not months of groups.")
    year = clues.yearly or period.start.year - 1
    amounts = bool(named_numbers(clues, parts.measure_tokens)) or clues.money
    aggregate = computed(parts, one_function(functions_said(parts) - {"count"})) if amounts else COUNT
    if not isinstance(aggregate, Aggregate):
        return aggregate
    if aggregate.function == "median":
        return parts.cannot("I can't compare medians of months; ask for the average.")
    plan = planned(
        replace(parts, dimensions=()), "months_over", aggregate, top=("min" if "min" in directions else "max", 1)
    )
    return replace(plan, earlier=Period(date(year, 1, 1), date(year, 12, 31)), chart=False)


def together(parts: Parts) -> Reading:
    """How two figures of each row go together."""
    numbers = named_numbers(parts.clues)
    if len(numbers) != 2 or parts.dimensions or parts.clues.extremes:
        return parts.cannot("Name the two columns of numbers whose correlation you want.")
    plan = planned(parts, "correlation", Aggregate("avg", numbers[0].column))
    return replace(plan, other=numbers[1].column, chart=False)


def spread(parts: Parts) -> Reading:
    """How often which values occur: labels by themselves, figures in steps of a round width."""
    clues = parts.clues
    if parts.dimensions and not named_numbers(clues):
        return planned(parts, "groups", COUNT)
    labels = [c for m in clues.mentions for c in m.columns if c.kind in ("label", "flag") and not m.values]
    if labels and not named_numbers(clues):
        return planned(replace(parts, dimensions=(Dimension(labels[0]),)), "groups", COUNT)
    measure = find_measure(clues, "", parts.measure_tokens)
    if not isinstance(measure, Measure):
        return measure
    low, high = measure.column.minimum, measure.column.maximum
    if parts.dimensions or not isinstance(low, int | float) or not isinstance(high, int | float):
        return parts.cannot("I can only show the distribution of one figure over all rows.")
    steps = (Dimension(measure.column, width=_round_width(high - low)),)
    return planned(replace(parts, dimensions=steps), "groups", COUNT)


def _round_width(spread: float) -> float:
    """1, 2, 5 or 10 times a power of ten, so that at most ten steps cover the spread."""
    if spread <= 0:
        return 1.0
    power = 10.0 ** floor(log10(spread / 10))
    return next(power * factor for factor in (1, 2, 5, 10, 20) if spread / (power * factor) < 9)
