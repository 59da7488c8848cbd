"""Which column a figure is taken from: the one named, measured in the unit named, or meant by an everyday word."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.models.offline.catalog import Column
from runtime.models.offline.clues import Clues
from runtime.models.offline.lexicon import CONCEPTS, CONVERSIONS, GENERIC_MEASURES
from runtime.models.offline.plan import Ask, Cannot


@dataclass(frozen=True, slots=True)
class Measure:
    """A number column, and the divisor that turns its unit into the one asked for. `assumed` explains a choice that no
    word made; `firm` = the column was named."""

    column: Column
    divisor: float = 1.0
    unit: str = ""
    assumed: str = ""
    firm: bool = False


def named_numbers(clues: Clues, skip: frozenset[int] = frozenset(), *, pointed: bool = False) -> tuple[Measure, ...]:
    """The number columns that the question names or whose unit it names, without those at the tokens `skip`; those of
    rows that are `pointed` at only for bounds, since a row of theirs may be met several times."""
    found: dict[str, Measure] = {}
    for mention in clues.mentions:
        if mention.first in skip:
            continue
        weak = clues.tokens[mention.first].stem in ("total", "sum", "average", "count") and len(mention.columns) == 1
        numbers = tuple(c for c in mention.columns if c.kind in ("number", "noisy") and (pointed or c.via is None))
        for column in () if weak else numbers:
            found.setdefault(column.name, Measure(column, firm=True))
        if not numbers and not mention.values and not any(c.dated for c in mention.columns):
            for measure in _by_unit(tuple(c for c in mention.units if c.via is None), mention.unit):
                found[measure.column.name] = measure
    return tuple(found.values())


def _by_unit(columns: tuple[Column, ...], unit: str) -> tuple[Measure, ...]:
    return tuple(
        Measure(column, CONVERSIONS.get((column.unit or "", unit), 1.0), unit, firm=True) for column in columns
    )


def find_measure(clues: Clues, concept: str, skip: frozenset[int] = frozenset()) -> Measure | Ask | Cannot:
    """The column to compute with. `concept` narrows it ("money", "length" …)."""
    named = named_numbers(clues, skip)
    idea = CONCEPTS.get(concept, frozenset[str]())
    if named:
        if idea and not any(set(measure.column.words) & idea for measure in named):
            return Cannot(f"“{named[0].column.name}” doesn't fit the rest of the question.", clues.table)
        return named[0] if len(named) == 1 else _which(named)
    if not idea and clues.money:
        idea, concept = CONCEPTS["money"], "money"
    numbers = tuple(column for column in clues.table.of_kind("number", "noisy") if column.via is None)
    if idea:
        fitting = tuple(column for column in numbers if set(column.words) & idea)
        if concept == "pieces":
            fitting = tuple(column for column in fitting if column.additive)
        return _one(fitting, concept, clues)
    weak = tuple(c for m in clues.mentions for c in m.columns if c.kind == "number" and c.via is None)
    if weak:
        return Measure(weak[0], firm=True)
    additive = tuple(column for column in numbers if column.additive or column.kind == "noisy")
    return _one(additive, "", clues)


def _one(fitting: tuple[Column, ...], concept: str, clues: Clues) -> Measure | Ask | Cannot:
    if len(fitting) == 1:
        plain = clues.generic or concept
        return Measure(fitting[0], assumed="" if plain else f"figures taken from `{fitting[0].name}`")
    if not fitting:
        what = {"money": "amounts of money", "pieces": "pieces sold", "": "figures to compute with"}.get(
            concept, f"a {concept}"
        )
        return Cannot(f"{clues.table.called} has no column for {what}.", clues.table)
    same_name = tuple(column for column in fitting if column.words[0] in GENERIC_MEASURES and len(column.words) == 1)
    if concept == "money" and len(same_name) == 1:
        return Measure(same_name[0], assumed=f"money taken from `{same_name[0].name}`")
    return _which(tuple(Measure(column) for column in fitting))


def _which(measures: tuple[Measure, ...]) -> Ask:
    names = tuple(dict.fromkeys(measure.column.name for measure in measures))
    return Ask("Which figure do you mean?", names[:3])
