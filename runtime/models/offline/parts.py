"""The parts of a reading, and the plan that they make once the shape of the answer is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runtime.models.offline.clues import Clues, Extreme
from runtime.models.offline.conditions import Span
from runtime.models.offline.measures import Measure
from runtime.models.offline.notes import value_note
from runtime.models.offline.periods import Period
from runtime.models.offline.plan import (
    Aggregate,
    Cannot,
    Comparison,
    Dimension,
    FigureFilter,
    Function,
    Plan,
    Related,
    Shape,
    ValueFilter,
)
from runtime.models.offline.targets import Bound, Target

COUNT = Aggregate("count")


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
    related: tuple[Related, ...] = ()

    @property
    def measure_tokens(self) -> frozenset[int]:
        """Tokens that name the figure of a bound only."""
        return frozenset[int]().union(*(bound.tokens for bound in self.bounds))

    def cannot(self, reason: str) -> Cannot:
        return Cannot(reason, self.clues.table)


def planned(
    parts: Parts,
    form: Shape,
    aggregate: Aggregate,
    *,
    top: tuple[Literal["max", "min"], int] | None = None,
    having: Comparison | None = None,
) -> Plan:
    """The plan of the shape `form` for `aggregate`, under the conditions and with the notes of `parts`."""
    bounds = () if having is not None else tuple(bound for bound in parts.bounds if bound.measure is not None)
    figures = tuple(FigureFilter(b.measure.column, b.comparison, b.measure.divisor) for b in bounds if b.measure)
    taken = tuple(mention.taken for mention in parts.clues.mentions if mention.taken)
    assumed = tuple(value_note(value) for value in parts.values)
    notes = (*assumed, parts.span.assumed, *(f"took {text}" for text in taken))
    sells = "what sells is told by the pieces" if parts.clues.has("sells") else ""
    named = [c for m in parts.clues.mentions if not m.table and not m.loose for c in m.columns if c.via is None]
    masked = [c for c in named if c.masked] if form in ("rows", "extreme") else []
    hidden = [f"`{c.name}` is masked: people see it in the evidence, I don't" for c in dict.fromkeys(masked)]
    basis = (aggregate.assumed, _told_apart(parts, aggregate), sells, *hidden)
    return Plan(
        table=parts.clues.table,
        shape=form,
        aggregate=aggregate,
        values=parts.values,
        figures=figures,
        related=parts.related,
        period=parts.span.period,
        date=parts.span.column,
        weekdays=parts.span.weekdays,
        data_end=parts.span.data_end,
        dimensions=parts.dimensions,
        top=top,
        having=having,
        basis=tuple(note for note in basis if note),
        assumed=tuple(note for note in notes if note),
        chart=parts.clues.chart,
        trend=parts.clues.has("trend"),
        named=frozenset(column.name for column in named),
    )


def _told_apart(parts: Parts, aggregate: Aggregate) -> str:
    """By what rows were told apart, where only "different" asked for it."""
    column = aggregate.column
    if aggregate.function != "distinct" or column is None or all(target.kind != "rows" for target in parts.targets):
        return ""
    return f"rows of one `{column.name}`" + (", whatever its case and blanks," if column.folds else "") + " count once"


def concept_of(parts: Parts, extreme: Extreme) -> str:
    """The idea that picks the column: that of the extreme's adjective, or of "how long" and "how far"."""
    if extreme.concept:
        return extreme.concept
    return next(
        ({"long": "length", "far": "distance"}[c] for c, _, _ in parts.clues.phrases if c in ("long", "far")), ""
    )


def functions_said(parts: Parts) -> frozenset[str]:
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


def one_function(functions: frozenset[str]) -> Function | None:
    """The only function that was said, if it is one."""
    known: tuple[Function, ...] = ("sum", "avg", "median", "count")
    found: list[Function] = [function for function in known if function in functions]
    return found[0] if len(found) == 1 else None


def figure_of(function: Function, measure: Measure) -> Aggregate:
    """`function` over the measured column, in its unit."""
    unit = measure.unit or (measure.column.unit or "")
    return Aggregate(function, measure.column, measure.divisor, unit, measure.assumed)
