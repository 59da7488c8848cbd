"""The shape of the answer: one figure, figures by group, the extreme rows, how many groups, or a list of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from math import floor, log10
from typing import Literal

from rapidfuzz.distance import OSA

from runtime.models.offline.catalog import Column
from runtime.models.offline.clues import Clues, Extreme, is_adverb
from runtime.models.offline.conditions import Span, date_column
from runtime.models.offline.measures import Measure, find_measure, named_numbers
from runtime.models.offline.periods import Period
from runtime.models.offline.plan import (
    Aggregate,
    Ask,
    Cannot,
    Comparison,
    Dimension,
    FigureFilter,
    Function,
    Plan,
    Reading,
    Shape,
    ValueFilter,
)
from runtime.models.offline.targets import Bound, Target

_QUANTITY = ("most", "fewest", "least", "more", "fewer", "less")
_COUNT = Aggregate("count")


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a reading, before its shape is known."""

    clues: Clues
    values: tuple[ValueFilter, ...]
    span: Span
    bounds: tuple[Bound, ...]
    targets: tuple[Target, ...]
    dimensions: tuple[Dimension, ...]
    earlier: Period | None = None

    @property
    def measure_tokens(self) -> frozenset[int]:
        """Tokens that name the figure of a bound only."""
        return frozenset[int]().union(*(bound.tokens for bound in self.bounds))

    def cannot(self, reason: str) -> Cannot:
        return Cannot(reason, self.clues.table)


def shape(parts: Parts) -> Reading:
    """The plan for `parts`."""
    clues = parts.clues
    if clues.share:
        return _share(parts)
    if clues.yearly is not None:
        return _months_over(parts)
    if clues.change:
        return _change(parts)
    if clues.together:
        return _together(parts)
    if clues.spread:
        return _spread(parts)
    if clues.extremes or clues.has("first"):
        return _ranked(parts)
    row_bounds = [bound for bound in parts.bounds if bound.measure is None]
    groups_counted = any(target.kind in ("bucket", "label") for target in parts.targets)
    if parts.dimensions and parts.bounds and (row_bounds or groups_counted or parts.dimensions[0].bucket):
        return _group_count(parts)
    if any(target.kind == "bucket" for target in parts.targets) and len(parts.dimensions) == 1 and not parts.bounds:
        return _plan(parts, "group_count", _COUNT)
    if row_bounds:
        return parts.cannot("I can't tell what is to be counted against that bound.")
    aggregate = _aggregate(parts)
    if isinstance(aggregate, (Ask, Cannot)):
        return aggregate
    if aggregate is None and clues.has("trend"):
        named = named_numbers(clues, parts.measure_tokens)
        aggregate = _figure("sum" if named[0].column.additive else "avg", named[0]) if len(named) == 1 else _COUNT
    if aggregate is None:
        return _listing(parts)
    if parts.dimensions:
        return _plan(parts, "groups", aggregate)
    asks_rows = aggregate == _COUNT and (clues.has("when") or clues.has("which") or clues.has("list"))
    return _plan(parts, "rows" if asks_rows else "scalar", aggregate)


def _plan(
    parts: Parts,
    form: Shape,
    aggregate: Aggregate,
    *,
    top: tuple[Literal["max", "min"], int] | None = None,
    having: Comparison | None = None,
) -> Plan:
    bounds = () if having is not None else tuple(bound for bound in parts.bounds if bound.measure is not None)
    figures = tuple(FigureFilter(b.measure.column, b.comparison, b.measure.divisor) for b in bounds if b.measure)
    taken = tuple(mention.taken for mention in parts.clues.mentions if mention.taken)
    assumed = tuple(_one_word(value) for value in parts.values)
    notes = (
        aggregate.assumed,
        *assumed,
        *((parts.span.assumed,) if parts.span.assumed else ()),
        *(f"took {text}" for text in taken),
    )
    return Plan(
        table=parts.clues.table,
        shape=form,
        aggregate=aggregate,
        values=parts.values,
        figures=figures,
        period=parts.span.period,
        date=parts.span.column,
        dimensions=parts.dimensions,
        top=top,
        having=having,
        assumed=tuple(note for note in notes if note),
        chart=parts.clues.chart,
        trend=parts.clues.has("trend"),
    )


# Extremes ------------------------------------------------------------------------------------------------------------


def _ranked(parts: Parts) -> Reading:
    clues = parts.clues
    directions = {extreme.direction for extreme in clues.extremes}
    if len(directions) > 1:
        return parts.cannot("I can only look for one extreme at a time.")
    if any(bound.measure is None for bound in parts.bounds):
        return parts.cannot("I can't combine a bound on the number of rows with an extreme.")
    direction: Literal["max", "min"] = "min" if directions == {"min"} else "max"
    extreme = clues.extremes[0] if clues.extremes else Extreme(0, direction)
    dimensions = parts.dimensions or _only_label(parts)
    if dimensions and all(dimension.bucket == "day" for dimension in dimensions) and _each_row(parts, extreme):
        dimensions = ()  # "on which date was I fastest": the row that was, with its date
    parts = replace(parts, dimensions=dimensions)
    if len(dimensions) > 1:
        return parts.cannot("I can only rank one kind of group at a time.")
    return _ranked_groups(parts, direction, extreme) if dimensions else _extreme_rows(parts, direction, extreme)


def _each_row(parts: Parts, extreme: Extreme) -> bool:
    """True when the figure that is ranked belongs to single rows and can't be added up."""
    measure = find_measure(parts.clues, _concept(parts, extreme), parts.measure_tokens)
    return isinstance(measure, Measure) and measure.column.formula is not None


def _only_label(parts: Parts) -> tuple[Dimension, ...]:
    """ "What do I do most often": the only label column there is, when occurrences are ranked."""
    labels = parts.clues.table.of_kind("label")
    return (Dimension(labels[0]),) if parts.clues.frequency and len(labels) == 1 else ()


def _ranked_groups(parts: Parts, direction: Literal["max", "min"], extreme: Extreme) -> Reading:
    clues = parts.clues
    if extreme.comparative and not (clues.has("which") or clues.has("or") or clues.has("compare") or clues.has("what")):
        return parts.cannot("I can't tell what is compared.")
    aggregate = _ranked_aggregate(parts, extreme)
    if not isinstance(aggregate, Aggregate):
        return aggregate
    return _plan(parts, "groups", aggregate, top=(direction, clues.top or 1))


def _ranked_aggregate(parts: Parts, extreme: Extreme) -> Aggregate | Ask | Cannot:
    clues = parts.clues
    functions = _functions(parts)
    if functions & {"avg", "median"} and any(is_adverb(clues.tokens[at]) for _, at in clues.buckets):
        return parts.cannot("I can't average per calendar unit and rank in one go.")
    if _ranks_rows(parts, extreme) and not functions & {"avg", "median"}:
        return _COUNT
    measure = find_measure(clues, _concept(parts, extreme), parts.measure_tokens)
    if not isinstance(measure, Measure):
        return measure
    function = _one_function(functions)
    if function is None or function == "count":
        function = "sum"
    if function == "sum" and not measure.column.additive and measure.column.kind == "number":
        return parts.cannot(f"Adding up `{measure.column.name}` makes no sense; ask for its average.")
    return _figure(function, measure)


def _ranks_rows(parts: Parts, extreme: Extreme) -> bool:
    """True when the extreme is one of a number of rows: "most receipts", "fewest times", "most often"."""
    clues = parts.clues
    if clues.frequency:
        return True
    rows_counted = any(target.kind == "rows" for target in parts.targets)
    if not clues.extremes:
        return rows_counted
    if named_numbers(clues, parts.measure_tokens) or extreme.concept or clues.money:
        return False
    index = clues.next_content(extreme.at + 1)
    mention = clues.mention_at(index) if index is not None else None
    rows = (mention is not None and mention.table) or (index is not None and index in clues.rows_at)
    return rows_counted or (rows and clues.tokens[extreme.at].low in _QUANTITY)


def _concept(parts: Parts, extreme: Extreme) -> str:
    if extreme.concept:
        return extreme.concept
    return next(
        ({"long": "length", "far": "distance"}[c] for c, _, _ in parts.clues.phrases if c in ("long", "far")), ""
    )


def _extreme_rows(parts: Parts, direction: Literal["max", "min"], extreme: Extreme) -> Reading:
    clues = parts.clues
    if extreme.comparative:
        return parts.cannot("I can't tell what is compared.")
    if _functions(parts) & {"avg", "median", "sum"}:
        return parts.cannot("I can't tell over what the extreme is to be taken; name the group, as in “by month”.")
    if _ranks_rows(parts, extreme):
        return parts.cannot("I can't tell which groups are to be counted.")
    concept = _concept(parts, extreme)
    if concept == "date":
        column = date_column(clues)
        measure = Measure(column) if isinstance(column, Column) else column
    else:
        measure = find_measure(clues, concept, parts.measure_tokens)
    if not isinstance(measure, Measure):
        return measure
    return _plan(parts, "extreme", _figure(direction, measure), top=(direction, clues.top or 1))


# Shares -------------------------------------------------------------------------------------------------------------


def _share(parts: Parts) -> Reading:
    """One condition's part of all rows, or of the total of a figure; the period holds for both."""
    clues = parts.clues
    figures = [bound for bound in parts.bounds if bound.measure is not None]
    plain = not (parts.dimensions or clues.extremes or _functions(parts) & {"avg", "median"})
    if not plain or len(figures) != len(parts.bounds) or len(parts.values) + len(figures) != 1:
        return parts.cannot("I can only work out the share of one condition in the whole.")
    if not (named_numbers(clues, parts.measure_tokens) or clues.money):
        rows = any(mention.table for mention in clues.mentions) or bool(clues.rows_at)
        return _plan(parts, "share", _COUNT) if rows else parts.cannot("I can't tell what the share is of.")
    measure = find_measure(clues, "", parts.measure_tokens)
    if not isinstance(measure, Measure):
        return measure
    if not measure.column.additive:
        return parts.cannot(f"I can't add up `{measure.column.name}` over all rows.")
    return _plan(parts, "share", _figure("sum", measure))


# Changes, distributions, correlations -------------------------------------------------------------------------------


def _change(parts: Parts) -> Reading:
    """A figure in two periods."""
    clues = parts.clues
    if clues.extremes or parts.bounds or any(dimension.bucket for dimension in parts.dimensions):
        return parts.cannot("I can only compare one figure between two periods.")
    aggregate = _aggregate(parts)
    if aggregate is None and (named_numbers(clues, parts.measure_tokens) or clues.money):
        aggregate = _computed(parts, None)
    if isinstance(aggregate, (Ask, Cannot)):
        return aggregate
    aggregate = aggregate or _COUNT
    if aggregate.function == "median":
        return parts.cannot("I can't compare medians of two periods; ask for the average.")
    plan = _plan(parts, "change", aggregate)
    return replace(plan, earlier=parts.earlier, chart=False)


def _months_over(parts: Parts) -> Reading:
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
    aggregate = _computed(parts, _one_function(_functions(parts) - {"count"})) if amounts else _COUNT
    if not isinstance(aggregate, Aggregate):
        return aggregate
    if aggregate.function == "median":
        return parts.cannot("I can't compare medians of months; ask for the average.")
    plan = _plan(
        replace(parts, dimensions=()), "months_over", aggregate, top=("min" if "min" in directions else "max", 1)
    )
    return replace(plan, earlier=Period(date(year, 1, 1), date(year, 12, 31)), chart=False)


def _together(parts: Parts) -> Reading:
    """How two figures of each row go together."""
    numbers = named_numbers(parts.clues)
    if len(numbers) != 2 or parts.dimensions or parts.clues.extremes:
        return parts.cannot("Name the two columns of numbers whose correlation you want.")
    plan = _plan(parts, "correlation", Aggregate("avg", numbers[0].column))
    return replace(plan, other=numbers[1].column, chart=False)


def _spread(parts: Parts) -> Reading:
    """How often which values occur: labels by themselves, figures in steps of a round width."""
    clues = parts.clues
    if parts.dimensions and not named_numbers(clues):
        return _plan(parts, "groups", _COUNT)
    labels = [c for m in clues.mentions for c in m.columns if c.kind in ("label", "flag") and not m.values]
    if labels and not named_numbers(clues):
        return _plan(replace(parts, dimensions=(Dimension(labels[0]),)), "groups", _COUNT)
    measure = find_measure(clues, "", parts.measure_tokens)
    if not isinstance(measure, Measure):
        return measure
    low, high = measure.column.minimum, measure.column.maximum
    if parts.dimensions or not isinstance(low, int | float) or not isinstance(high, int | float):
        return parts.cannot("I can only show the distribution of one figure over all rows.")
    steps = (Dimension(measure.column, width=_round_width(high - low)),)
    return _plan(replace(parts, dimensions=steps), "groups", _COUNT)


def _round_width(spread: float) -> float:
    """1, 2, 5 or 10 times a power of ten, so that at most ten steps cover the spread."""
    if spread <= 0:
        return 1.0
    power = 10.0 ** floor(log10(spread / 10))
    return next(power * factor for factor in (1, 2, 5, 10, 20) if spread / (power * factor) < 9)


# Bounds on groups ----------------------------------------------------------------------------------------------------


def _group_count(parts: Parts) -> Reading:
    if len(parts.bounds) != 1 or len(parts.dimensions) != 1:
        return parts.cannot("I can only hold one kind of group against one bound.")
    bound, dimension = parts.bounds[0], parts.dimensions[0]
    functions = _functions(parts)
    if bound.measure is None:
        return _plan(parts, "group_count", _COUNT, having=bound.comparison)
    function = _one_function(functions - {"count"}) or "sum"
    column = bound.measure.column
    if not dimension.bucket and function == "sum" and not functions & {"sum"} and not _one_row_each(parts, dimension):
        return Ask(
            "Should the bound hold for the total of each group, or for single rows?", ("the total", "single rows")
        )
    if function == "sum" and not column.additive and column.kind == "number":
        return parts.cannot(f"Adding up `{column.name}` makes no sense; ask for its average.")
    return _plan(parts, "group_count", _figure(function, bound.measure), having=bound.comparison)


def _one_row_each(parts: Parts, dimension: Dimension) -> bool:
    return dimension.column.name in parts.clues.table.keys


# One figure, or figures by group -------------------------------------------------------------------------------------


def _aggregate(parts: Parts) -> Aggregate | Ask | Cannot | None:
    """The figure wanted, or None when the question wants rows."""
    functions, targets = _functions(parts), parts.targets
    if len(targets) > 1 or sum(clue == "many" for clue, _, _ in parts.clues.phrases) > 1:
        return parts.cannot("I can only work out one figure at a time.")
    target = targets[0] if targets else None
    if target is not None and target.kind != "figure":
        return _counting(parts, target, functions)
    function = _one_function(functions - {"count"})
    if functions - {"count"} and function is None:
        return parts.cannot("I can only work out one kind of figure at a time.")
    if target is None and function is None and not _wants_figure(parts):
        return _COUNT if "count" in functions else None
    return _computed(parts, function)


def _counting(parts: Parts, target: Target, functions: frozenset[str]) -> Aggregate | Cannot:
    if functions & {"avg", "median"}:
        return parts.cannot("I can't average counts yet.")
    clues = parts.clues
    amounts = bool(named_numbers(clues, parts.measure_tokens)) or clues.money
    if amounts and (functions & {"sum"} or clues.has("what") or clues.has("much")):
        return parts.cannot("I can only work out one figure at a time.")
    if target.kind == "label" and target.column is not None:
        return Aggregate("distinct", target.column)
    if target.kind == "bucket":
        return parts.cannot("I can't count calendar units here.")
    if clues.has("distinct"):
        return parts.cannot("I can't tell what makes two rows the same.")
    return _COUNT


def _wants_figure(parts: Parts) -> bool:
    clues = parts.clues
    if clues.has("much"):
        return True
    if parts.dimensions and not clues.has("list") and (clues.money or named_numbers(clues, parts.measure_tokens)):
        return True
    asks = clues.has("what") and not clues.has("list")
    return asks and (clues.money or bool(named_numbers(clues, parts.measure_tokens)))


def _computed(parts: Parts, function: Function | None) -> Aggregate | Ask | Cannot:
    clues = parts.clues
    concept = _concept(parts, Extreme(0, "max"))
    measure = find_measure(clues, concept, parts.measure_tokens)
    if not isinstance(measure, Measure):
        return measure
    adverb = any(is_adverb(clues.tokens[at]) for _, at in clues.buckets)
    bucketed = any(dimension.bucket for dimension in parts.dimensions)
    if function in ("avg", "median") and bucketed and (adverb or _per(clues)):
        return parts.cannot(
            "I can't tell an average of totals from an average of rows here; ask for the total by month."
        )
    if measure.assumed and _per(clues) and _rows_before_per(clues):
        return parts.cannot(
            f"I can't tell whether that is about how many rows there are or about `{measure.column.name}`. Name the "
            f"figure, or ask for the number of rows by group; I can't average counts yet."
        )
    if function in ("avg", "median"):
        return _figure(function, measure)
    if concept and function is None and not clues.has("many"):
        return parts.cannot("Do you mean the total or the average? Please say which.")
    if measure.column.kind == "number" and not measure.column.additive:
        return parts.cannot(f"Adding up `{measure.column.name}` makes no sense; ask for its average.")
    return _figure("sum", measure)


def _per(clues: Clues) -> bool:
    return any(clue == "by" and clues.tokens[first].low == "per" for clue, first, _ in clues.phrases)


def _rows_before_per(clues: Clues) -> bool:
    """ "orders per customer": the noun before "per" is that of the rows, so their number may be meant."""
    per = [first for clue, first, _ in clues.phrases if clue == "by" and clues.tokens[first].low == "per"]
    rows = {at for mention in clues.mentions if mention.table for at in range(mention.first, mention.after)}
    return any(first - 1 in rows | set(clues.rows_at) for first in per)


def _listing(parts: Parts) -> Reading:
    """A list of rows, or of the values of a column."""
    clues = parts.clues
    asks = clues.has("list") or clues.has("which") or clues.has("what") or clues.has("when")
    if asks and parts.dimensions and not parts.dimensions[0].bucket:
        return _plan(parts, "groups", _COUNT)
    if clues.has("by") and parts.dimensions and not asks and any(mention.table for mention in clues.mentions):
        return _plan(parts, "groups", _COUNT)
    narrowed = bool(parts.values or parts.bounds or parts.span.period)
    if asks and not parts.dimensions and (narrowed or (clues.has("list") and any(m.table for m in clues.mentions))):
        return _plan(parts, "rows", _COUNT)
    return parts.cannot("I can't tell what is to be worked out.")


# Small readings ------------------------------------------------------------------------------------------------------


def _functions(parts: Parts) -> frozenset[str]:
    """The functions said, without "total" and "count" where they are part of a column's name."""
    clues = parts.clues
    found: set[str] = set()
    for function, at in clues.aggregates:
        mention = clues.mention_at(at)
        before = clues.mention_at(at - 1) if at else None
        if function == "count" and before and any(column.kind == "number" for column in before.columns):
            continue
        if mention and mention.columns and any(f != function for f, other in clues.aggregates if other != at):
            continue
        if function == "sum" and mention and mention.columns and clues.extremes:
            continue
        after = clues.mention_at(at + 1)
        if function == "avg" and clues.extremes and after and any(column.formula for column in after.columns):
            continue  # the average speed of a run is the speed of its row
        found.add(function)
    return frozenset(found)


def _one_function(functions: frozenset[str]) -> Function | None:
    known: tuple[Function, ...] = ("sum", "avg", "median", "count")
    found: list[Function] = [function for function in known if function in functions]
    return found[0] if len(found) == 1 else None


def _figure(function: Function, measure: Measure) -> Aggregate:
    unit = measure.unit or (measure.column.unit or "")
    return Aggregate(function, measure.column, measure.divisor, unit, measure.assumed)


def _one_word(value: ValueFilter) -> str:
    """A word about two spellings that were taken for one value."""
    folded = sorted({text.strip().casefold() for text in value.values})
    near = [(a, b) for a in folded for b in folded if a < b and OSA.distance(a, b, score_cutoff=1) == 1]
    notes = [f"“{a}” and “{b}” counted as one" for a, b in near]
    if value.column.shared and value.column.via:
        notes.append(f"some rows of {value.column.via.table} share a `{value.column.name}`; all of that name are in")
    return "; ".join(notes)
