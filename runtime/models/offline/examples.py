"""Questions to begin with: each is planned over all tables before it is proposed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest

from runtime.models.offline.catalog import Table
from runtime.models.offline.choose import choose
from runtime.models.offline.listing import Listing
from runtime.models.offline.plan import Plan
from runtime.models.offline.tokens import tokenize

FEW = 12
"""A label with at most so many values makes a group that people can look over."""
_EXAMPLES = 3


def examples(tables: Sequence[Table], first: Table | None = None) -> tuple[str, ...]:
    """Up to three questions that are answered from `tables`; those about the table `first` before others, and of the
    others each table in turn, the longest first."""
    ranked = sorted(tables, key=lambda one: -one.rows)
    own = [table for table in ranked if first is not None and table.id == first.id]
    others = ([(table, one) for one in _questions(table)] for table in ranked if table not in own)
    turns = (pair for nth in zip_longest(*others, fillvalue=None) for pair in nth if pair is not None)
    proposed = chain(((table, one) for table in own for one in _questions(table)), turns)
    return tuple(islice((one for table, one in proposed if _answered(one, table, tables)), _EXAMPLES))


def _answered(question: str, table: Table, tables: Sequence[Table]) -> bool:
    """True when the question is read as one about this table, with every other table at hand, too."""
    reading = choose(tokenize(question), tables, Listing(), None).reading
    return isinstance(reading, Plan) and reading.table.id == table.id


def _questions(table: Table) -> Iterator[str]:
    """Of counts and totals; a table whose name is no plural reads badly in a count."""
    name = table.name.rpartition(".")[2].replace("_", " ")
    counted = name if name.endswith("s") else ""
    label = next((_said(c.name) for c in table.of_kind("label") if 1 < c.distinct <= FEW), "")
    by_month = "month" if any(column.dated for column in table.columns) else ""
    figure = next((_said(c.name) for c in table.columns if c.additive and c.formula is None), "")
    for group in (label, by_month):
        if counted and group:
            yield f"Number of {counted} by {group}"
        if figure and group:
            yield f"Total {figure} by {group}"
    if figure and not (label or by_month):
        yield f"Total {figure} of {counted or name}"
    yield f"How many {counted or f'rows of {name}'} are there?"


def _said(name: str) -> str:
    return name.replace("_", " ")
