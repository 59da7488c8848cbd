"""Which figure is wanted: a count, or one worked out from a column."""

from __future__ import annotations

from runtime.models.offline.catalog import Column
from runtime.models.offline.clues import Clues, Extreme, is_adverb
from runtime.models.offline.measures import Measure, find_measure, named_numbers
from runtime.models.offline.naming import name_of
from runtime.models.offline.parts import COUNT, Parts, concept_of, figure_of, functions_said, one_function
from runtime.models.offline.plan import Aggregate, Ask, Cannot, Function
from runtime.models.offline.sales import goods_of, pieces_of
from runtime.models.offline.targets import Target

_ASKING = frozenset("is are was were do does did has have had can could will would should how where why".split())
_OVER_WHAT = "I can't tell over what to average counts; say it as in “average number of orders per customer”."
NO_SUM = "Adding up"
_SAME = "I can't tell what makes two rows the same."


def figure_wanted(parts: Parts) -> Aggregate | Ask | Cannot | None:
    """The figure wanted, or None when the question wants rows."""
    functions, targets = functions_said(parts), parts.targets
    if len(targets) > 1 or sum(clue == "many" for clue, _, _ in parts.clues.phrases) > 1:
        return parts.cannot("I can only work out one figure at a time.")
    target = targets[0] if targets else None
    if parts.clues.trade and (sold := _sold(parts, target, functions)) is not None:
        return sold
    if target is not None and target.kind == "pieces" and target.column is not None:
        return _pieces(parts, target.column, functions)
    if target is not None and target.kind != "figure":
        return _counting(parts, target, functions)
    function = one_function(functions - {"count"})
    if functions - {"count"} and function is None:
        return parts.cannot("I can only work out one kind of figure at a time.")
    if target is None and function is None and not _wants_figure(parts):
        return COUNT if "count" in functions else None
    return computed(parts, function)


def _sold(parts: Parts, target: Target | None, functions: frozenset[str]) -> Aggregate | Ask | Cannot | None:
    """The pieces that were bought or sold, unless the question names another figure."""
    clues, pieces = parts.clues, pieces_of(parts.clues.table)
    named = bool(named_numbers(clues, parts.measure_tokens)) or clues.money or bool(functions - {"count", "sum"})
    if clues.trade not in ("sold", "ordered") or pieces is None or named:
        return None
    goods = goods_of(clues.table)
    if clues.says_pieces:
        return _pieces(parts, pieces, functions)
    counts_goods = target is not None and target.column is not None and goods is not None and target.kind == "label"
    if counts_goods and target and target.column == goods and not clues.has("distinct"):
        return Ask("Do you mean how many pieces, or how many different products?", ("pieces", "different products"))
    return _pieces(parts, pieces, functions) if target is None and parts.dimensions else None


def _pieces(parts: Parts, column: Column, functions: frozenset[str]) -> Aggregate | Cannot:
    if functions - {"count", "sum"}:
        return parts.cannot(_OVER_WHAT)
    return figure_of("sum", Measure(column))


def _counting(parts: Parts, target: Target, functions: frozenset[str]) -> Aggregate | Cannot:
    if functions & {"avg", "median"}:
        return parts.cannot(_OVER_WHAT)
    clues = parts.clues
    named = named_numbers(clues, parts.measure_tokens)
    # A word that names the table, too, is what is counted: "how many refunds are there?"
    sure = [mention for mention in clues.mentions if not (mention.loose or mention.table)]
    firm = [one.column for mention in sure for one in named if one.column in mention.columns]
    if firm and target.kind == "rows":
        return parts.cannot("I can only work out one figure at a time.")
    amounts = bool(named) or clues.money
    if amounts and (functions & {"sum"} or clues.has("what") or clues.has("much")):
        return parts.cannot("I can only work out one figure at a time.")
    if target.kind == "label" and target.column is not None:
        if any(value.column == target.column and not value.negated for value in parts.values):
            return parts.cannot(f"Of `{target.column.name}` the question holds fast what it counts.")
        return Aggregate("distinct", target.column)
    if target.kind == "bucket":
        return parts.cannot("I can't count calendar units here.")
    if clues.has("distinct") or clues.has("people"):
        name = name_of(clues.table)
        return Aggregate("distinct", name) if name is not None else parts.cannot(_SAME)
    return COUNT


def _wants_figure(parts: Parts) -> bool:
    clues = parts.clues
    if clues.has("much"):
        return True
    named = bool(named_numbers(clues, parts.measure_tokens))
    grouped = bool(parts.dimensions) and (clues.has("by") or not clues.has("list"))
    if grouped and (clues.money or named):
        return True
    if named and _terse(clues) and not parts.bounds:
        return True
    return clues.has("what") and not clues.has("list") and (clues.money or named)


def _terse(clues: Clues) -> bool:
    """ "revenue in March 2026": a figure is named, and nothing is asked of it."""
    first = next((token.low for token in clues.tokens if token.wordlike), "")
    return first not in _ASKING and not any(clues.has(clue) for clue in ("list", "which", "when", "or"))


def computed(parts: Parts, function: Function | None) -> Aggregate | Ask | Cannot:
    """The figure worked out from the column that the question names or means, by `function` or as a total."""
    clues = parts.clues
    concept = concept_of(parts, Extreme(0, "max"))
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
            f"figure, or ask for the number of rows by group, or for the average number of rows per group."
        )
    if function in ("avg", "median"):
        return figure_of(function, measure)
    if concept and function is None and not clues.has("many"):
        return parts.cannot("Do you mean the total or the average? Please say which.")
    if measure.column.kind == "number" and not measure.column.additive:
        return parts.cannot(f"{NO_SUM} `{measure.column.name}` makes no sense; ask for its average.")
    return figure_of("sum", measure)


def _per(clues: Clues) -> bool:
    return any(clue == "by" and clues.tokens[first].low == "per" for clue, first, _ in clues.phrases)


def _rows_before_per(clues: Clues) -> bool:
    """ "orders per customer": the noun before "per" is that of the rows, so their number may be meant."""
    per = [first for clue, first, _ in clues.phrases if clue == "by" and clues.tokens[first].low == "per"]
    rows = {at for mention in clues.mentions if mention.table for at in range(mention.first, mention.after)}
    return any(first - 1 in rows | set(clues.rows_at) for first in per)
