"""The guard's refusals: each says what was wrong, what is open instead, and names nothing outside the admission."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rapidfuzz import fuzz, process

from runtime.errors import CallError
from runtime.sqlguard.policy import GuardPolicy, fold

NEAR_NAMES = 3
NEAR_SCORE = 70
LISTED_NAMES = 20
SHOWN_CHARS = 80

_FILE_ENDINGS = (".csv", ".tsv", ".txt", ".json", ".ndjson", ".jsonl", ".parquet", ".xlsx", ".db", ".duckdb", ".gz")


class QueryRefused(CallError):
    """The SQL may not run as written. Always retryable: the caller can write another query."""

    def __init__(self, code: str, message: str, *, hint: str = "", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(code, message, hint=hint, retryable=True, details=details)


def near(name: str, among: Iterable[str]) -> list[str]:
    """Up to three of `among` that resemble `name`, best first, whichever of them says its schema."""
    names = sorted(among)
    if not any("." in each for each in (name, *names)):
        found = process.extract(
            name, names, scorer=fuzz.ratio, processor=fold, limit=NEAR_NAMES, score_cutoff=NEAR_SCORE
        )
        return [match[0] for match in found]
    scores = {each: max(fuzz.ratio(a, b) for a in _forms(name) for b in _forms(each)) for each in names}
    close = sorted((each for each in names if scores[each] >= NEAR_SCORE), key=lambda each: -scores[each])
    return close[:NEAR_NAMES]


def _forms(name: str) -> tuple[str, str]:
    return fold(name), fold(name.rpartition(".")[2])


def listed(names: Iterable[str]) -> str:
    """`names` sorted and comma-separated, at most twenty, saying how many more there are."""
    ordered = sorted(names)
    more = len(ordered) - LISTED_NAMES
    return ", ".join(ordered[:LISTED_NAMES]) + (f" and {more} more" if more > 0 else "")


def shown(text: str) -> str:
    """`text` on one line, cut for a message."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARS else line[: SHOWN_CHARS - 1] + "…"


def unknown_table(name: str, policy: GuardPolicy, others: Iterable[str] = ()) -> QueryRefused:
    """The refusal of a table that is not admitted; near names come from the admitted tables and the query's CTEs."""
    close = near(name, {*policy.tables, *(other for other in others if fold(other) != fold(name))})
    parts = [f"Did you mean {' or '.join(close)}?"] if close else []
    if "/" in name or name.lower().endswith(_FILE_ENDINGS):
        parts.append("Files and addresses cannot be read by path; use the table's name.")
    parts.append(f"Open here: {listed(policy.tables)}." if policy.tables else "No table is open here.")
    return QueryRefused(
        "sql_unknown_table",
        f"The table {shown(name)!r} is not open here.",
        hint=" ".join(parts),
        details={"table": shown(name), "near": close},
    )


def unknown_column(name: str, policy: GuardPolicy, tables: Iterable[str]) -> QueryRefused:
    """The refusal of a column that the tables read do not have, with near names and each table's columns."""
    read = [table for table in tables if table in policy.tables]
    close = near(name, dict.fromkeys(column for table in read for column in policy.tables[table]))
    parts = [f"Did you mean {' or '.join(close)}?" if close else "A text stands in single quotes."]
    parts += [f"{table} has: {listed(policy.tables[table])}." for table in read]
    return QueryRefused(
        "sql_unknown_column",
        f"The column {shown(name)!r} does not exist in the tables that are read.",
        hint=" ".join(parts) if read else "Take it from the select list of the source before the dot.",
        details={"column": shown(name), "near": close},
    )


def not_allowed(what: str, hint: str = "Write one SELECT (or WITH … SELECT) over the open tables.") -> QueryRefused:
    """The refusal of anything that is not one plain read."""
    return QueryRefused("sql_not_allowed", what, hint=hint)
