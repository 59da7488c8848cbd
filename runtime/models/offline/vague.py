"""Praise without a measure: who is "best" or "most loyal" is asked back by what can be counted or added up here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.models.offline.catalog import Table
from runtime.models.offline.lexicon import MONEY_COLUMNS, PRAISE
from runtime.models.offline.plan import Ask, Plan, Reading
from runtime.models.offline.sales import pieces_of
from runtime.models.offline.tokens import Token, tokenize

_CHOICES = 3
_MEASURED = frozenset(("by", "per", "each", "every"))


def praised(tokens: Sequence[Token], tables: Sequence[Table], read: Callable[[Sequence[Token]], Reading]) -> Ask | None:
    """The question by which measure is meant, each choice one that can be read; None where nothing is praised."""
    said = [token for token in tokens if token.low in PRAISE]
    if not said or _MEASURED.intersection(token.low for token in tokens):
        return None
    named = [table for table in tables if _names(tokens, table)]
    choices = [choice for table in named for choice in _measures(table, tables)]
    fitting = [one for one in dict.fromkeys(choices) if isinstance(read((*tokens, *tokenize(f"({one})"))), Plan)]
    if not fitting:
        return None
    return Ask(f"“{said[-1].text}” can be told in several ways. By what?", tuple(fitting[:_CHOICES]))


def _names(tokens: Sequence[Token], table: Table) -> bool:
    words = [token.stem for token in tokens]
    length = len(table.words)
    return bool(length) and any(tuple(words[at : at + length]) == table.words for at in range(len(words)))


def _measures(table: Table, tables: Sequence[Table]) -> list[str]:
    """What can be counted or added up of the rows that point at `table`: pieces, amounts, numbers of rows."""
    found: list[tuple[int, str]] = []
    for other in tables:
        if all(join.table != table.id for join in other.joins) or other.source != table.source:
            continue
        own = [column for column in other.of_kind("number") if column.via is None and column.additive]
        dated = any(column.dated for column in other.columns)
        pieces = pieces_of(other)
        if pieces is not None:
            found.append((0, f"by total {' '.join(pieces.words)}"))
        found.append((1 if dated else 3, f"by number of {other.name.rpartition('.')[2].replace('_', ' ')}"))
        for column in own:
            if MONEY_COLUMNS.intersection(column.words) and dated:
                units = [unit for one in other.unit_columns for unit in one.values] or [""]
                found += [(2, f"by total {column.name}{f' in {unit}' if unit else ''}") for unit in units]
    return [text for _, text in sorted(found, key=lambda one: one[0])]
