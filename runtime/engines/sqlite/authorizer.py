"""SQLite's own second opinion: what a statement may do is asked for each of its parts, by the engine itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence

Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]

TABLE_FUNCTIONS = frozenset({"json_each", "json_tree"})
DENIED_FUNCTIONS = frozenset(
    {
        "load_extension",
        "randomblob",
        "zeroblob",
        "fts3_tokenizer",
        "sqlite_log",
        "sqlite_compileoption_get",
        "sqlite_compileoption_used",
        "sqlite_offset",
    }
)
_ROWID = "rowid"


def authorizer(admitted: Mapping[str, Sequence[str]], names: frozenset[str]) -> Authorizer:
    """Allows reads of the `admitted` tables' columns, and functions but for a few; denies all else. `names` are those
    of everything in the file, in lower case.

    A view is admitted together with all that it reads, so nothing is allowed for the sake of the view it is read by:
    the engine reports a query's own CTE in the same place, under any name that the query gives it."""
    open_columns = {name.lower(): frozenset(column.lower() for column in cols) for name, cols in admitted.items()}

    def decide(action: int, one: str | None, two: str | None, database: str | None, _: str | None) -> int:
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            return sqlite3.SQLITE_DENY if (two or "").lower() in DENIED_FUNCTIONS else sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and _readable((one or "").lower(), (two or "").lower(), database):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    def _readable(table: str, column: str, database: str | None) -> bool:
        if database not in (None, "main"):
            return False
        columns = open_columns.get(table)
        if columns is not None:
            return column in ("", _ROWID) or column in columns
        if table in TABLE_FUNCTIONS:
            return table not in names
        # A table of which no column is read comes without its database, and so does a CTE.
        return database is None and column == "" and table not in names and not table.startswith(("sqlite_", "pragma_"))

    return decide
