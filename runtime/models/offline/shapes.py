"""The shape of the answer: one figure, figures by group, the extreme rows, how many groups, or a list of rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from runtime.models.offline.analyses import change, months_over, share, spread, together
from runtime.models.offline.averages import average_per, says_per
from runtime.models.offline.catalog import Column
from runtime.models.offline.clues import Clues, Extreme, is_adverb
from runtime.models.offline.conditions import date_column
from runtime.models.offline.figures import NO_SUM, figure_wanted
from runtime.models.offline.lexicon import QUANTITY_WORDS
from runtime.models.offline.measures import Measure, find_measure, named_numbers
from runtime.models.offline.parts import Parts, concept_of, figure_of, functions_said, one_function, planned
from runtime.models.offline.plan import (
    Aggregate,
    Ask,
    Cannot,
    Dimension,
    Reading,
)
from runtime.models.offline.within import extreme_within

_SEVERAL = 5  # "top customers", without a number
_QUANTITY = ("most", "fewest", "least", "more", "fewer", "less")
_ARTICLES = ("all", "the", "our", "my", "new")
_BORN = frozenset(("birth", "born", "birthday", "dob", "birthdate"))
COUNT = Aggregate("count")


def shape(parts: Parts) -> Reading:
    """The plan for `parts`."""
    clues = parts.clues
    if clues.share:
        return share(parts)
    if clues.yearly is not None:
        return months_over(parts)
    if clues.change:
        return change(parts)
    if clues.together:
        return together(parts)
    if clues.spread:
        return spread(parts)
    if clues.extremes or clues.has("first"):
        return _ranked(parts)
    averaged = average_per(parts)
    if averaged is not None:
        return averaged
    parts = _of_each_row(parts)
    if _averages_of_ids(parts):
        return parts.cannot(
            "I can't tell whether that average is one within each group or one over their totals; ask for the total by "
            "group, or for the average “by” it."
        )
    row_bounds = [bound for bound in parts.bounds if bound.measure is None]
    groups_counted = any(target.kind in ("bucket", "label") for target in parts.targets)
    of_groups = groups_counted or clues.trade == "spent" or any(one.bucket for one in parts.dimensions[:1])
    if parts.dimensions and parts.bounds and (row_bounds or of_groups):
        return _group_count(parts)
    if any(target.kind == "bucket" for target in parts.targets) and len(parts.dimensions) == 1 and not parts.bounds:
        return planned(parts, "group_count", COUNT)
    if row_bounds:
        return parts.cannot("I can't tell what is to be counted against that bound.")
    aggregate = figure_wanted(parts)
    if (
        isinstance(aggregate, Cannot)
        and aggregate.reason.startswith(NO_SUM)
        and not parts.dimensions
        and _one_row(parts)
    ):
        return planned(parts, "rows", COUNT)  # "the price of the oak desk"
    if isinstance(aggregate, (Ask, Cannot)):
        return aggregate
    if aggregate is None and clues.has("trend"):
        named = named_numbers(clues, parts.measure_tokens)
        aggregate = figure_of("sum" if named[0].column.additive else "avg", named[0]) if len(named) == 1 else COUNT
    if aggregate is None:
        return _listing(parts)
    if parts.dimensions:
        return planned(parts, "groups", aggregate)
    asks_rows = aggregate == COUNT and (clues.has("when") or clues.has("which") or clues.has("list"))
    return planned(parts, "rows" if asks_rows else "scalar", aggregate)


def _of_each_row(parts: Parts) -> Parts:
    """The parts without a group that tells each row apart: an "average per order" of one row an order is that of all
    rows, and no table of them."""
    keys = {column.name for column in parts.clues.table.columns if column.via is None} & {*parts.clues.table.keys}
    single = [one for one in parts.dimensions if one.column.name in keys and one.column.via is None and not one.bucket]
    averages = functions_said(parts) & {"avg", "median"}
    if not averages or not says_per(parts.clues) or len(single) != 1 or len(parts.dimensions) != 1:
        return parts
    return replace(parts, dimensions=())


def _averages_of_ids(parts: Parts) -> bool:
    """ "Average quantity per order": of pieces, of which each of many groups has a total."""
    grouped = len(parts.dimensions) == 1 and parts.dimensions[0].column.kind == "id"
    measures = named_numbers(parts.clues, parts.measure_tokens)
    pieces = any(QUANTITY_WORDS.intersection(one.column.words) for one in measures)
    return grouped and pieces and bool(functions_said(parts) & {"avg", "median"}) and says_per(parts.clues)


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
    own = all(one.column.via is None and not one.bucket for one in dimensions) and not clues.has("by")
    own = own and not _ranks_groups(clues, extreme)
    if own and concept_of(parts, extreme) == "date":
        dimensions = ()  # "which store opened first": the row that did, with its store
    if dimensions and all(dimension.bucket == "day" for dimension in dimensions) and _each_row(parts, extreme):
        dimensions = ()  # "on which date was I fastest": the row that was, with its date
    parts = replace(parts, dimensions=dimensions)
    if dimensions and not _ranks_rows(parts, extreme) and (within := extreme_within(parts, direction, extreme)):
        return within
    if len(dimensions) > 1:
        return parts.cannot("I can only rank one kind of group at a time.")
    return _ranked_groups(parts, direction, extreme) if dimensions else _extreme_rows(parts, direction, extreme)


def _ranks_groups(clues: Clues, extreme: Extreme) -> bool:
    """ "The oldest team": no row of a person is one, and which team is old isn't known."""
    noun = clues.next_content(extreme.at + 1)
    mention = clues.mention_at(noun) if noun is not None else None
    return mention is not None and bool(mention.columns) and not mention.values and not clues.names_rows(mention)


def _each_row(parts: Parts, extreme: Extreme) -> bool:
    """True when the figure that is ranked belongs to single rows and can't be added up."""
    measure = find_measure(parts.clues, concept_of(parts, extreme), parts.measure_tokens)
    return isinstance(measure, Measure) and measure.column.formula is not None


def _only_label(parts: Parts) -> tuple[Dimension, ...]:
    """ "What do I do most often": the only label column there is, when occurrences are ranked."""
    labels = parts.clues.table.of_kind("label")
    return (Dimension(labels[0]),) if parts.clues.frequency and len(labels) == 1 else ()


def _ranked_groups(parts: Parts, direction: Literal["max", "min"], extreme: Extreme) -> Reading:
    clues = parts.clues
    if extreme.comparative and not (clues.has("which") or clues.has("or") or clues.has("compare") or clues.has("what")):
        return parts.cannot("I can't tell what is compared.")
    if concept_of(parts, extreme) == "date":
        return parts.cannot("I can't look for the first or last one of each group.")
    aggregate = _ranked_aggregate(parts, extreme)
    if not isinstance(aggregate, Aggregate):
        return aggregate
    unsaid = _SEVERAL if _wants_several(parts, extreme) else 1
    return planned(parts, "groups", aggregate, top=(direction, clues.top or unsaid))


def _wants_several(parts: Parts, extreme: Extreme) -> bool:
    """ "top customers" wants some of them, and no number is said."""
    clues = parts.clues
    ranks = ("top", "best", "worst", "bottom", *(("most", "least") if clues.has("sells") else ()))
    if clues.tokens[extreme.at].low not in ranks or not clues.extremes:
        return False
    after = next((m for m in clues.mentions if m.first > extreme.at), None)
    noun = clues.tokens[after.after - 1] if after is not None else None
    sells = next((last for clue, _, last in clues.phrases if clue == "sells"), 0)
    noun = clues.tokens[sells - 1] if sells and clues.tokens[sells - 1].low == "sellers" else noun
    return noun is not None and noun.low.endswith("s") and noun.stem != noun.low


def _ranked_aggregate(parts: Parts, extreme: Extreme) -> Aggregate | Ask | Cannot:
    clues = parts.clues
    functions = functions_said(parts)
    if functions & {"avg", "median"} and any(is_adverb(clues.tokens[at]) for _, at in clues.buckets):
        return parts.cannot("I can't average per calendar unit and rank in one go.")
    if _ranks_rows(parts, extreme) and not functions & {"avg", "median"}:
        return COUNT
    measure = find_measure(clues, concept_of(parts, extreme), parts.measure_tokens)
    if not isinstance(measure, Measure):
        return measure
    function = one_function(functions)
    if function is None or function == "count":
        function = "sum"
    if function == "sum" and not measure.column.additive and measure.column.kind == "number":
        return parts.cannot(f"Adding up `{measure.column.name}` makes no sense; ask for its average.")
    return figure_of(function, measure)


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
    while mention is not None and mention.values and not mention.table:  # "the most cancelled orders"
        index = clues.next_content(mention.after)
        mention = clues.mention_at(index) if index is not None else None
    rows = (mention is not None and mention.table) or (index is not None and index in clues.rows_at)
    return rows_counted or (rows and clues.tokens[extreme.at].low in _QUANTITY)


def _extreme_rows(parts: Parts, direction: Literal["max", "min"], extreme: Extreme) -> Reading:
    clues = parts.clues
    if extreme.comparative:
        return parts.cannot("I can't tell what is compared.")
    if clues.has("sells"):
        return parts.cannot("I can't tell what sells; name it, as in “which product sells best?”.")
    if functions_said(parts) & {"avg", "median", "sum"}:
        return parts.cannot("I can't tell over what the extreme is to be taken; name the group, as in “by month”.")
    if _ranks_rows(parts, extreme):
        return parts.cannot("I can't tell which groups are to be counted.")
    concept = concept_of(parts, extreme)
    if (aged := _by_age(parts, extreme)) is not None:
        measure, direction = aged
    elif clues.tokens[extreme.at].low == "youngest":
        return parts.cannot(f"{clues.table.called} has no ages.")
    elif concept == "date":
        column = date_column(clues)
        measure = Measure(column) if isinstance(column, Column) else column
    else:
        measure = find_measure(clues, concept, parts.measure_tokens)
    if not isinstance(measure, Measure):
        return measure
    return planned(parts, "extreme", figure_of(direction, measure), top=(direction, clues.top or 1))


def _by_age(parts: Parts, extreme: Extreme) -> tuple[Measure, Literal["max", "min"]] | None:
    """What "oldest" and "youngest" go by where rows have an age or a day of birth: that, and no other date."""
    low = parts.clues.tokens[extreme.at].low
    own = [column for column in parts.clues.table.columns if column.via is None]
    ages = [column for column in own if column.kind == "number" and "age" in column.words]
    births = [column for column in own if column.dated and _BORN.intersection(column.words)]
    if low not in ("oldest", "youngest") or len(ages or births) != 1:
        return None
    eldest = low == "oldest"
    return (Measure(ages[0]), "max" if eldest else "min") if ages else (Measure(births[0]), "min" if eldest else "max")


# Bounds on groups ----------------------------------------------------------------------------------------------------


def _group_count(parts: Parts) -> Reading:
    if len(parts.bounds) != 1 or len(parts.dimensions) != 1:
        return parts.cannot("I can only hold one kind of group against one bound.")
    bound, dimension = parts.bounds[0], parts.dimensions[0]
    if parts.clues.has("by") and _other_groups(parts, dimension):
        return parts.cannot("I can only hold one kind of group against one bound.")
    functions = functions_said(parts)
    if bound.measure is None:
        return planned(parts, "group_count", COUNT, having=bound.comparison)
    function = one_function(functions - {"count"}) or "sum"
    column = bound.measure.column
    single = functions & {"sum"} or parts.clues.trade == "spent" or _one_row_each(parts, dimension)
    if not dimension.bucket and function == "sum" and not single:
        return Ask(
            "Should the bound hold for the total of each group, or for single rows?", ("the total", "single rows")
        )
    if function == "sum" and not column.additive and column.kind == "number":
        return parts.cannot(f"Adding up `{column.name}` makes no sense; ask for its average.")
    return planned(parts, "group_count", figure_of(function, bound.measure), having=bound.comparison)


def _other_groups(parts: Parts, dimension: Dimension) -> bool:
    """True for "customers with more than 10 orders by country": the bound is one of customers, not of countries."""
    named = [mention.columns for mention in parts.clues.mentions if not (mention.table or mention.values)]
    labels = [column for columns in named for column in columns if column.kind in ("label", "id")]
    return any(column != dimension.column for column in labels)


def _one_row(parts: Parts) -> bool:
    """True where the conditions keep one row at most: one value of a column that has no value twice."""
    kept = [one for one in parts.values if one.column.via is None and not one.negated and len(one.values) == 1]
    rows = parts.clues.table.rows
    keys = parts.clues.table.keys
    return any((one.column.distinct == rows and not one.column.folds) or one.column.name in keys for one in kept)


def _one_row_each(parts: Parts, dimension: Dimension) -> bool:
    return dimension.column.name in parts.clues.table.keys


def _listing(parts: Parts) -> Reading:
    """A list of rows, or of the values of a column."""
    clues = parts.clues
    rows_named = any(mention.table for mention in clues.mentions)
    narrowed = bool(parts.values or parts.bounds or parts.span.period or parts.span.weekdays or parts.related)
    bare = rows_named and narrowed and (bool(parts.related) or _opens_with_noun(clues))
    asks = any(clues.has(clue) for clue in ("list", "which", "what", "when")) or (bare and not parts.dimensions)
    if asks and parts.dimensions and not parts.dimensions[0].bucket:
        if not clues.has("by") and _one_row(parts):
            return planned(replace(parts, dimensions=()), "rows", COUNT)  # "who is the owner of account 5"
        return planned(parts, "groups", COUNT)
    if (clues.has("by") or clues.has("compare")) and parts.dimensions and not asks and rows_named:
        return planned(parts, "groups", COUNT)
    if asks and not parts.dimensions and (narrowed or (clues.has("list") and rows_named)):
        return planned(parts, "rows", COUNT)
    return parts.cannot("I can't tell what is to be worked out.")


def _opens_with_noun(clues: Clues) -> bool:
    """ "Orders since April", "paid orders over 1000": rows are named, and nothing is asked or ordered."""
    first = next((at for at, token in enumerate(clues.tokens) if token.wordlike and token.low not in _ARTICLES), 0)
    if any(period.first == first for period in clues.periods):
        return True
    mention = clues.mention_at(first)
    return mention is not None and (mention.table or bool(mention.values))
