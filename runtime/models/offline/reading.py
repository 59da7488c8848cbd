"""From clues to a plan for one table, or a plain reason why not. Every word must have found its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from runtime.models.offline.averages import says_per
from runtime.models.offline.catalog import Column, Table
from runtime.models.offline.clues import Clues
from runtime.models.offline.conditions import Span, pair_of, span_of, value_filters
from runtime.models.offline.grouping import dimensions_of
from runtime.models.offline.lexicon import MONEY_COLUMNS, MONEY_VERBS, QUANTITY_WORDS
from runtime.models.offline.listing import names_file
from runtime.models.offline.mentions import Named
from runtime.models.offline.plan import Ask, Cannot, Dimension, Plan, Reading, Related, ValueFilter
from runtime.models.offline.sales import goods_of, kept_sales
from runtime.models.offline.shapes import Parts, shape
from runtime.models.offline.spotting import gather
from runtime.models.offline.targets import bounds_of, counted
from runtime.models.offline.tokens import Token

_NONE = frozenset[int]()
NOTE_COSTS = 0.5  # each sentence that has to be said of a reading makes it less firm


def read(
    tokens: Sequence[Token],
    table: Table,
    today: date | None,
    valued: frozenset[int] = _NONE,
    names: Sequence[Named] = (),
    related: tuple[Related, ...] = (),
) -> Reading:
    """The reading of a question against `table`: a plan only if every word of it is accounted for. The tokens `valued`
    spell values of some table here, so that none of them is another word for a column of this one; `names` are those
    of several words that tables here bear: part of another table's is nothing of this one. `related` are conditions
    that stand already."""
    clues = gather(tokens, table, today)
    _disown(clues, valued)
    _disown_names(clues, names)
    reading = _read(clues, related)
    score = _score(clues)
    unread = clues.unread()
    if unread:
        return Cannot("", table, unread, score)
    if isinstance(reading, Plan):
        akin = any(_akin(clues, at) for at in range(len(clues.tokens)))
        return replace(reading, score=score - NOTE_COSTS * len(reading.basis + reading.assumed), akin=akin)
    return replace(reading, score=score)


def _disown(clues: Clues, valued: frozenset[int]) -> None:
    """Words that are values elsewhere and only akin to a column here stay unread: "paid" is no `spent_eur`."""
    for at in valued:
        if _akin(clues, at):
            clues.used[at] = False


def _disown_names(clues: Clues, names: Sequence[Named]) -> None:
    """The "lines" of "order lines" are no orders, nor is the "list price" of a product any other price."""
    for name in names:
        mentions = [clues.mention_at(at) for at in range(name.first, name.after)]
        whole = mentions[0] is not None and mentions[0].first <= name.first and mentions[0].after >= name.after
        for at, mention in enumerate(mentions, start=name.first):
            if clues.table.id not in name.tables and not whole and (mention is None or mention.loose):
                clues.used[at] = False


def _akin(clues: Clues, at: int) -> bool:
    """True when the word only means something like a column's name, or any money."""
    mention = clues.mention_at(at)
    if mention is None:
        return at not in clues.ignored and clues.tokens[at].stem in MONEY_VERBS
    return mention.loose and not mention.values


def _read(clues: Clues, related: tuple[Related, ...]) -> Reading:
    values = value_filters(clues)
    if not isinstance(values, tuple):
        return values
    if clues.doubt:
        return Cannot(clues.doubt, clues.table)
    values, told = kept_sales(clues, values)
    pair = pair_of(clues) if clues.change else None
    if isinstance(pair, (Ask, Cannot)):
        return pair
    span, earlier = pair if pair is not None else (span_of(clues), None)
    if not isinstance(span, Span):
        return span
    bounds = bounds_of(clues)
    if not isinstance(bounds, tuple):
        return bounds
    targets = counted(clues)
    ranked = bool(clues.extremes) or clues.has("first")
    dimensions = dimensions_of(clues, targets, values, ranked=ranked, bounded=bool(bounds))
    if not isinstance(dimensions, tuple):
        return dimensions
    _settle_joining_words(clues, values, dimensions)
    parts = Parts(clues, values, span, bounds, targets, dimensions, earlier, related)
    reading = _guarded(shape(parts), clues)
    return replace(reading, assumed=(*reading.assumed, told)) if told and isinstance(reading, Plan) else reading


def _settle_joining_words(clues: Clues, values: Sequence[ValueFilter], dimensions: Sequence[Dimension]) -> None:
    """ "or" is understood between two values of one column, "compare" where there are groups to compare."""
    listed = any(len(value.values) > 1 for value in values)
    for clue, first, after in clues.phrases:
        if (clue == "or" and listed) or (clue == "compare" and dimensions):
            clues.used[first:after] = [True] * (after - first)
        if clue == "single" and not clues.extremes:
            clues.used[first:after] = [False] * (after - first)


def _guarded(reading: Reading, clues: Clues) -> Reading:
    """The last checks that hold for every plan: no mixed units, no text added up, no column left without a role."""
    if not isinstance(reading, Plan):
        return reading
    column = reading.aggregate.column
    if column is not None and column.kind == "noisy":
        return Cannot(
            f"`{column.name}` in {clues.table.called} is text with other signs in it, so I don't compute with it.",
            clues.table,
        )
    stray = _stray(reading, clues)
    if stray is not None:
        return Cannot(f"I can't tell what to do with “{stray.name}” in this question.", clues.table)
    return unmixed(reading)


def _stray(plan: Plan, clues: Clues) -> Column | None:
    """A label column that was named but plays no part; those of listed rows are shown, so they do. A figure of rows
    that are pointed at is there to be held against a bound, and for nothing else."""
    bounded = {figure.column.name for figure in plan.figures}
    for mention in clues.mentions:
        pointed = [c for c in mention.columns if c.via is not None and c.kind == "number" and not mention.table]
        if pointed and len(pointed) == len(mention.columns) and not any(c.name in bounded for c in pointed):
            return pointed[0]
    if (idle := _idle_date(plan, clues)) is not None:
        return idle
    if plan.shape in ("extreme", "rows"):
        return None
    goods = goods_of(clues.table) if clues.says_pieces else None  # "how many products …? (pieces)"
    placed = {goods.name} if goods is not None else set[str]()
    placed |= {value.column.name for value in plan.values} | {d.column.name for d in plan.dimensions}
    placed |= {plan.aggregate.column.name} if plan.aggregate.column else set()
    averaged = plan.aggregate.function in ("avg", "median") and says_per(clues)
    placed |= {*clues.table.keys} if averaged else set()  # "per order", of one row an order
    used = [one.column for one in (*plan.values, *plan.figures, *plan.dimensions)]
    used += [plan.aggregate.column] if plan.aggregate.column else []
    for mention in clues.mentions:
        if mention.table or mention.values:
            continue
        labels = [column for column in mention.columns if column.kind in ("label", "id", "year", "other")]
        only_labels = bool(labels) and len(labels) == len(mention.columns)
        leads = any(_leads_to(column, other) for column in labels for other in used)
        leads = leads or any(column.via is not None and column.via.column in placed for column in labels)
        if only_labels and not leads and not any(column.name in placed for column in labels):
            return labels[0]
    return None


def _idle_date(plan: Plan, clues: Clues) -> Column | None:
    """A date that something is said of and that limits nothing: "open" is no `opened_at`, and where some rows have
    none ("closed"), that they have one is a condition. That all were "opened" goes without saying."""
    bucketed = {dimension.column.name for dimension in plan.dimensions if dimension.bucket}
    asked = plan.shape in ("extreme", "rows") and (clues.has("when") or clues.has("what"))
    for mention in clues.mentions:
        dated = [column for column in mention.columns if column.dated]
        if mention.table or mention.values or not dated or len(dated) < len(mention.columns):
            continue
        used = any(column in (plan.date, plan.aggregate.column) or column.name in bucketed for column in dated)
        said = {token.low for token in clues.tokens[mention.first : mention.after]}
        own = all(said & {*column.name.lower().split("_")} for column in dated)
        own = own and (asked or all(column.null_percent == 0 for column in dated))
        if not used and not own and not any(at in clues.ignored for at in range(mention.first, mention.after)):
            return dated[0]
    return None


def _leads_to(column: Column, other: Column) -> bool:
    """True when `column` stands for a table that `other` belongs to or is found behind: "customers in Germany"."""
    way = other.via
    if way is not None and column.via == way:
        return True
    while way is not None:
        if column.via is None and way.before is None and way.column == column.name:
            return True
        way = way.before
    return False


def unmixed(plan: Plan) -> Reading:
    """Figures in several currencies or units are never put together: split where possible, else asked about."""
    if not _needs_one_unit(plan):
        return plan
    single = {value.column.name for value in plan.values if not value.negated and _one_value(value)}
    varying = tuple(
        unit
        for unit in plan.table.unit_columns
        if unit.name not in single and all(dimension.column.name != unit.name for dimension in plan.dimensions)
    )
    if not varying:
        return plan
    if plan.shape in ("scalar", "share", "change", "several") or (plan.shape == "groups" and plan.top is None):
        return replace(plan, split=varying)
    return Ask(f"The {varying[0].name} differs from row to row: in which one?", varying[0].values[:3])


def _needs_one_unit(plan: Plan) -> bool:
    """True when the plan's figure, or the one it counts in steps, may be in several currencies or units."""
    if plan.shape == "correlation":
        return any(column is not None and _is_money(column) for column in (plan.aggregate.column, plan.other))
    if plan.beside:
        return any(_needs_one_unit(replace(plan, aggregate=one, beside=())) for one in plan.measures)
    steps = next((dimension.column for dimension in plan.dimensions if dimension.width), None)
    column = steps or plan.aggregate.column
    if column is None or column.kind != "number" or column.unit is not None or column.words[-1] in QUANTITY_WORDS:
        return False
    if plan.table.borrowed and not _is_money(column):
        return False
    return steps is not None or plan.aggregate.function not in ("count", "distinct")


def _is_money(column: Column) -> bool:
    return column.unit is None and bool(set(column.words) & MONEY_COLUMNS)


def _one_value(value: ValueFilter) -> bool:
    return len({text.strip().casefold() for text in value.values}) == 1


def _score(clues: Clues) -> float:
    """How firmly the table's own words carry the question."""
    score = 4.0 * sum(names_file(token, clues.table.file) for token in clues.tokens)
    score += 4.0 * clues.sourced
    for mention in clues.mentions:
        worth = 3.0 if mention.table else 2.0 if mention.columns or mention.values else 1.5
        if worth == 2.0 and not mention.values and all(_of_other_rows(column) for column in mention.columns):
            worth = 1.0  # "order" names the orders before it names the order_id of another table
        score += worth / 2 if mention.loose else worth
    return score


def _of_other_rows(column: Column) -> bool:
    return column.kind == "id" or (column.dated and column.via is not None)
