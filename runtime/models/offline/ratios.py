"""One total as a share of another, each of its own table: "refunds as a share of revenue in 2025, by month"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from runtime.models.offline.lexicon import MONEY_COLUMNS, SHARE_WORDS
from runtime.models.offline.plan import Cannot, Plan, Reading
from runtime.models.offline.tokens import Token, tokenize

_NARROWING = frozenset("in for by per from during since over each every between last this before after until".split())
_TOTALS = frozenset("total sum number count many much".split())
_BEING = frozenset("is are was were".split())
_TOTAL = tokenize("total")


Sides = tuple[tuple[Token, ...], tuple[Token, ...]]


def _told(tokens: tuple[Token, ...]) -> Sides | None:
    """ "refunds as a share of revenue in 2025": the part and the whole, each with what narrows both."""
    lows = [token.low for token in tokens]
    for at in range(1, len(tokens) - 3):
        article = lows[at] == "as" and lows[at + 1] in ("a", "an", "the")
        if article and tokens[at + 2].stem in SHARE_WORDS and lows[at + 3] == "of":
            return _both(tokens[:at], tokens[at + 4 :])
    return None


def _asked(tokens: tuple[Token, ...]) -> Sides | None:
    """ "what share of revenue was refunded in 2025": the same."""
    lows = [token.low for token in tokens]
    if lows[:1] != ["what"] or len(lows) < 5 or tokens[1].stem not in SHARE_WORDS or lows[2] != "of":
        return None
    being = next((at for at in range(4, len(lows)) if lows[at] in _BEING), None)
    if being is None or being + 1 >= len(lows):
        return None
    part = _noun(tokens[being + 1 :])
    return _both(tokens[being + 1 : being + 1 + part], (*tokens[3:being], *tokens[being + 1 + part :]))


def _both(part: tuple[Token, ...], whole: tuple[Token, ...]) -> Sides | None:
    end = _noun(whole)
    noun, narrowing = whole[:end], whole[end:]
    if not part or not noun:
        return None
    return _totalled(part, narrowing), _totalled(noun, narrowing)


def _noun(tokens: Sequence[Token]) -> int:
    """Where the noun ends and what narrows it begins."""
    return next((at for at, token in enumerate(tokens) if at and token.low in _NARROWING), len(tokens))


def _totalled(noun: tuple[Token, ...], narrowing: tuple[Token, ...]) -> tuple[Token, ...]:
    said = any(token.low in _TOTALS for token in noun)
    return (*(() if said else _TOTAL), *noun, *narrowing)


def ratio(part: Reading, whole: Reading) -> Reading | None:
    """The ratio of two totals by the same groups. None where both count rows of one table: that is a share of them."""
    if not isinstance(part, Plan) or not isinstance(whole, Plan):
        return part if not isinstance(part, Plan) else whole
    if part.table.id == whole.table.id and (whole.aggregate.assumed or (not _is_money(whole) and _counts(whole))):
        return None
    if whole.aggregate.assumed or any(one.aggregate.function not in ("sum", "count") for one in (part, whole)):
        return Cannot(
            "I can't tell whether that is to be told by the number of rows or by an amount: name the column of "
            f"{whole.table.called}, or say “number of …” for both.",
            whole.table,
        )
    if _is_money(part) != _is_money(whole) or any(one.shape not in ("scalar", "groups") for one in (part, whole)):
        return Cannot("I can't hold these two figures against each other: they aren't of one kind.", whole.table)
    if part.table.source != whole.table.source or part.top or whole.top:
        return Cannot("I can't hold figures of two sources against each other.", whole.table)
    if not _same_groups(part, whole):
        return Cannot("I can't hold these two figures against each other: their groups differ.", whole.table)
    notes = (*part.assumed, *(note for note in whole.assumed if note not in part.assumed))
    return replace(part, shape="ratio", against=whole, assumed=notes, trend=False)


def _counts(plan: Plan) -> bool:
    return plan.aggregate.column is None


def _is_money(plan: Plan) -> bool:
    column = plan.aggregate.column
    return column is not None and bool(MONEY_COLUMNS.intersection(column.words))


def _same_groups(part: Plan, whole: Plan) -> bool:
    """True for the same units of time, labels, currencies, and periods."""
    both = (part, whole)
    groups = [[(one.bucket, "" if one.bucket else one.column.name) for one in plan.dimensions] for plan in both]
    kept = [_units_kept(plan) for plan in both]
    apart = [[column.name for column in plan.split] for plan in both]
    return groups[0] == groups[1] and kept[0] == kept[1] and apart[0] == apart[1] and part.period == whole.period


def _units_kept(plan: Plan) -> set[str]:
    """The currencies or units that the conditions leave."""
    told = {column.name for column in plan.table.unit_columns}
    return {text.strip().casefold() for value in plan.values if value.column.name in told for text in value.values}


def with_ratio(
    tokens: Sequence[Token], read: Callable[[Sequence[Token]], Reading], *, asked: bool = False
) -> Reading | None:
    """The reading of a question for a ratio, each side read by itself; None where it is no such question. Only what is
    `asked` ("what share of … was …") may be a share of rows as well."""
    colon = next((at for at, token in enumerate(tokens) if token.low == ":"), len(tokens))
    tail = [token.low for token in tokens[colon + 1 : colon + 2]] == ["what"]  # "…: what percentage?"
    plain = tuple(token for token in (tokens[:colon] if tail else tokens) if token.kind != "punct")
    found = _asked(plain) if asked else _told(plain)
    return None if found is None else ratio(read(found[0]), read(found[1]))
