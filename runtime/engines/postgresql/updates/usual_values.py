"""A warning where a new text would be the first of its kind in a column whose few texts recur: a likely slip."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.engines.postgresql.connections import Connection, fetch
from runtime.engines.postgresql.updates import statements
from runtime.engines.postgresql.updates.table_facts import TableFacts

_LOOKED_AT = 50_000  # rows: enough to know a column of labels by
_FEW, _RECUR = 12, 3  # two to so many different texts, each in so many rows on average
_SHOWN_CHARS = 40


async def unusual(
    connection: Connection, facts: TableFacts, news: Sequence[tuple[str, str | None]], *, values_shown: bool
) -> list[str]:
    """What has to be told of new texts, given as (column, text), that stand in no row of their column today. The texts
    that do are named only where `values_shown`. Raises psycopg.Error."""
    told = list[str]()
    for column, text in news:
        if text is None or facts.columns[column].category != "S":
            continue
        looked = statements.kinds(facts, column, _LOOKED_AT, _FEW + 1)
        kinds = await fetch(connection, looked.sql, looked.values)
        rows = sum(int(count or 0) for _, count in kinds)
        known = [str(kind) for kind, _ in kinds]
        if not 2 <= len(known) <= _FEW or text in known or rows < _RECUR * len(known):
            continue
        asked = statements.standing(facts, column, text)
        if not await fetch(connection, asked.sql, asked.values):
            others = f"; {_listed(known)} do" if values_shown else ""
            told.append(f"“{_short(text)}” stands in no row of {column} today{others}.")
    return told


def _listed(texts: Sequence[str]) -> str:
    *most, last = sorted(f"“{_short(text)}”" for text in texts)
    return f"{', '.join(most)} and {last}"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"
