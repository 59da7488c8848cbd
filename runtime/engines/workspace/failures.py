"""Engine failures as errors that teach: the code, what to try next, near names; nothing of our own paths."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz, process, utils

from runtime.engines.workspace.worker import EngineFailure, WorkerLost
from runtime.errors import CallError
from runtime.sqlguard import clean_engine_message

_CODES: Mapping[str, str] = {
    "parser": "sql_syntax",
    "syntax": "sql_syntax",
    "permission": "sql_not_allowed",
    "io": "file_changed",
}
_MISSING_COLUMN = re.compile(r"(?:Referenced column|does not have a column named) \"([^\"]+)\"")
_MISSING_TABLE = re.compile(r"Table with name ([^\s!]+)")
_NEAR_SCORE = 55.0


def near(wanted: str, names: Sequence[str], most: int = 5) -> list[str]:
    """The names most like `wanted`, best first; none that is not like it at all."""
    found = process.extract(
        wanted, names, scorer=fuzz.WRatio, processor=utils.default_process, limit=most, score_cutoff=_NEAR_SCORE
    )
    return [name for name, _, _ in found]


def as_call_error(failure: EngineFailure, seconds: float, tables: Mapping[str, Sequence[str]]) -> CallError:
    """The typed error for a failed job over `tables` (name → columns)."""
    if failure.kind == "refused":
        return CallError(**failure.details)
    if failure.kind == "timeout":
        return too_slow(seconds)
    if failure.kind == "memory":
        return too_large()
    message = clean_engine_message(failure.message)
    return _name_error(failure.message, message, tables) or CallError(_CODES.get(failure.kind, "sql_failed"), message)


def too_slow(seconds: float) -> CallError:
    """For a query that the engine stopped at its time limit."""
    return CallError(
        "timeout",
        f"The query ran longer than {seconds:g} s and was stopped.",
        hint="Filter or aggregate earlier, read fewer tables, or avoid joining every row with every row.",
    )


def too_large() -> CallError:
    """For a query that met a memory limit."""
    return CallError(
        "resource_limit",
        "The query needed more memory than it may use.",
        hint="Aggregate in SQL, select fewer columns, or build smaller lists and texts.",
    )


def lost(error: WorkerLost) -> CallError:
    """For a worker that died or had to be killed; the next query is served by a fresh one."""
    return CallError(
        "resource_limit",
        f"The query could not be finished: {error}.",
        hint="Write it more simply: filter or aggregate earlier, nest less.",
    )


def _name_error(raw: str, message: str, tables: Mapping[str, Sequence[str]]) -> CallError | None:
    if column := _MISSING_COLUMN.search(raw):
        return unknown_column(column.group(1), message, tables)
    if table := _MISSING_TABLE.search(raw):
        return unknown_table(table.group(1), message, tables)
    return None


def unknown_column(name: str, message: str, tables: Mapping[str, Sequence[str]]) -> CallError:
    """Says the near names and all columns of the tables that are read."""
    columns = {table: list(each) for table, each in tables.items()}
    similar = near(name, sorted({column for each in columns.values() for column in each}))
    return CallError(
        "sql_unknown_column", message, hint=_meant(similar), details=_details(similar, {"columns": columns})
    )


def unknown_table(name: str, message: str, tables: Mapping[str, Sequence[str]]) -> CallError:
    """Says the near names among the admitted tables."""
    similar = near(name, sorted(tables))
    return CallError("sql_unknown_table", message, hint=_meant(similar), details=_details(similar, {}))


def _meant(similar: Sequence[str]) -> str:
    return f"Near names: {', '.join(similar)}." if similar else "list_files shows the tables and their columns."


def _details(similar: Sequence[str], more: Mapping[str, Any]) -> dict[str, Any]:
    return {"near": list(similar), **more}
