"""What an answer says of how values were read: spellings that were taken for one."""

from __future__ import annotations

from dataclasses import replace

from rapidfuzz.distance import OSA

from runtime.models.offline.catalog import Column
from runtime.models.offline.lexicon import MONEY_COLUMNS
from runtime.models.offline.plan import FigureFilter, Plan, ValueFilter
from runtime.models.offline.wording import shown, small

_COUNTED = 12  # up to here a number is said in words


def value_note(value: ValueFilter) -> str:
    """A word about two spellings that were taken for one value, and about a name that several rows bear."""
    folded = sorted({text.strip().casefold() for text in value.values})
    near = [(a, b) for a in folded for b in folded if a < b and OSA.distance(a, b, score_cutoff=1) == 1]
    notes = [f"“{a}” and “{b}” counted as one" for a, b in near]
    if value.column.shared and value.column.via:
        notes.append(f"some rows of {value.column.via.table} share a `{value.column.name}`; all of that name are in")
    if value.negated and value.column.null_percent > 0:
        notes.append(f"rows without a `{value.column.name}` are left out, too")
    return "; ".join(notes)


def noted(plan: Plan) -> Plan:
    """`plan` with a word about spellings that differ in case or blanks only and count as one."""
    values = [_spellings(value) for value in plan.values]
    bounds = [_in_any_unit(figure, plan) for figure in plan.figures]
    groups = [_folded(one.column) for one in plan.dimensions if one.column.folds and one.label is None]
    return replace(plan, assumed=(*plan.assumed, *(note for note in (*values, *bounds, *groups) if note)))


def _spellings(value: ValueFilter) -> str:
    ways: dict[str, list[str]] = {}
    for text in dict.fromkeys(value.values):
        ways.setdefault(text.strip().casefold(), []).append(text)
    several = [texts for texts in ways.values() if len(texts) > 1]
    return "; ".join(f"{small(len(texts))} spellings of “{shown(texts[0])}” count as one" for texts in several)


def _in_any_unit(figure: FigureFilter, plan: Plan) -> str:
    """A word about a bound on money that stands in several currencies."""
    single = {value.column.name for value in plan.values if len({text.casefold() for text in value.values}) == 1}
    varying = [unit for unit in plan.table.unit_columns if unit.name not in single]
    if not varying or figure.column.unit is not None or not MONEY_COLUMNS.intersection(figure.column.words):
        return ""
    return f"the bound holds for every `{varying[0].name}` alike, without conversion"


def _folded(column: Column) -> str:
    """How many spellings of a column that is grouped by were taken for another's, where that is known."""
    more = column.distinct - column.folded if column.folded else 0
    if 0 < more <= _COUNTED:
        spellings = f"{small(more)} {'spelling' if more == 1 else 'spellings'} of `{column.name}`"
        return f"{spellings} in another case or with blanks {'counts' if more == 1 else 'count'} with the others"
    return f"spellings of `{column.name}` that differ in case or blanks only count as one"
