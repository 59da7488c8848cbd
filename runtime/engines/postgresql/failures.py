"""What PostgreSQL said about a read, as an error that teaches, cleaned of all that the caller may not know."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import psycopg

from runtime.errors import CallError
from runtime.evidence import Json
from runtime.sqlguard import GuardPolicy
from runtime.sqlguard.engine_hints import hint_for
from runtime.sqlguard.engine_messages import ambiguous, no_source_called
from runtime.sqlguard.policy import fold
from runtime.sqlguard.refusals import unknown_column

MESSAGE_CHARS = 500

# Every pair of quotes in which some language of PostgreSQL's messages puts names and values.
_QUOTED = re.compile(r"\"([^\"]*)\"|«\s?([^»]*?)\s?»|»([^«]*)«|„([^“”]*)[“”]|“([^”]*)”|'([^']*)'|`([^`']*)'")
_COLUMN = re.compile(r"^column \"?(?:[^\s\".]+\.)?(?P<name>[^\"]+?)\"? does not exist$")
_NO_SOURCE = re.compile(r"^missing FROM-clause entry for table \"(?P<name>[^\"]+)\"$")
_PATH = re.compile(r"(?<![\w/])/(?:[\w.+-]+/)+[\w.+-]+")

_NAMES_GONE = frozenset({"42P01", "42703", "3F000"})
_CLASS_OF_DATA = "22"
_OWN_CODE = ("P0", "38", "39", "XX", "F0", "HV", "58")
"""Classes whose texts come from code of the database's owner, from its files or from inside the server."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The read that failed: the caller's own text and values, the tables it reads, and what it may know."""

    sql: str
    parameters: Sequence[Json]
    tables: Sequence[str]
    policy: GuardPolicy
    seconds: float


def names_gone(error: psycopg.Error) -> bool:
    """Whether a table or column that the guard knew does not exist: the structure may have changed."""
    return error.sqlstate in _NAMES_GONE


def right_gone(error: psycopg.Error) -> bool:
    """Whether the role lost a right that it had when the structure was read."""
    return isinstance(error, psycopg.errors.InsufficientPrivilege)


def as_call_error(error: psycopg.Error, asked: Asked) -> CallError:
    """The typed error for a failed read on a connection that lives."""
    state = error.sqlstate or ""
    if isinstance(error, psycopg.errors.QueryCanceled):
        return too_slow(asked.seconds)
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        return CallError("sql_not_allowed", "The database refused the query: it may only read.")
    if state == "55P03" or state.startswith("40"):
        return CallError(
            "source_unavailable",
            "The database held the query back: a table is locked, or a replica had to catch up.",
            hint="Ask again in a moment.",
            retryable=True,
        )
    if state.startswith(("53", "54")) or "memory alloc request" in str(error):
        return CallError(
            "resource_limit",
            "The query needed more memory or disk than the database gives it.",
            hint="Filter or aggregate earlier, select fewer columns, or build smaller lists and texts.",
        )
    if state.startswith(_OWN_CODE):
        return CallError("sql_failed", "The query failed inside the database.", hint="Read other columns or tables.")
    return _of_statement(error, state, asked)


def _of_statement(error: psycopg.Error, state: str, asked: Asked) -> CallError:
    message = error.diag.message_primary or ""
    if state == "42703" and (match := _COLUMN.match(message)):
        return unknown_column(match["name"], asked.policy, asked.tables)
    known = _known(asked)
    told, hint = clean(message, known), error.diag.message_hint or ""
    if (found := ambiguous(told)) is not None:
        return found
    if match := _NO_SOURCE.match(told):
        return no_source_called(match["name"])
    # A hint that names what the caller does not know offers it: it goes as a whole.
    if state.startswith(_CLASS_OF_DATA) or clean(hint, known) != _one_line(hint):
        hint = ""
    return CallError(
        "sql_syntax" if state == "42601" else "sql_failed",
        told or "The database refused the query.",
        hint=hint_for(told) or hint,
        retryable=True,
    )


def clean(message: str, known: Collection[str]) -> str:
    """`message` on one line without file paths and without any quoted text that `known` does not hold, whole or as a
    part of the caller's own words: a value of a row, a name of the catalogue."""
    own, *names = known

    def kept(match: re.Match[str]) -> str:
        inner = next((group for group in match.groups() if group is not None), "")
        spoken = fold(inner)
        return match[0] if spoken in names or spoken in own or set(spoken.split(".")) <= set(names) else "…"

    line = _one_line(_PATH.sub("…", _QUOTED.sub(kept, message)))
    return line if len(line) <= MESSAGE_CHARS else line[: MESSAGE_CHARS - 1] + "…"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _known(asked: Asked) -> tuple[str, ...]:
    """The caller's text first, then the names of the tables read and their columns."""
    own = fold("\n".join([asked.sql, *map(str, asked.parameters)]))
    columns = (column for table in asked.tables for column in asked.policy.tables.get(table, ()))
    tables = (name for table in asked.tables for name in (table, table.rpartition(".")[2]))
    return (own, *(fold(name) for name in (*tables, *columns)))


def too_slow(seconds: float) -> CallError:
    """For a query that was stopped at its deadline."""
    return CallError(
        "timeout",
        f"The query ran longer than {seconds:g} s and was stopped.",
        hint="Filter or aggregate earlier, read fewer tables, or avoid joining every row with every row.",
    )


def unreachable(source: str) -> CallError:
    """For a database that cannot be reached now; the reason is for operators, in the log and in `footnote check`."""
    return CallError(
        "source_unavailable",
        f"The database of {source} cannot be reached now.",
        hint="Ask again later; operators see the reason with `footnote check`.",
        retryable=True,
    )


def broken_off(source: str) -> CallError:
    """For a connection that ended in the middle of a query."""
    return CallError(
        "source_unavailable",
        f"The database of {source} ended the connection in the middle of the query.",
        hint="Ask again: nothing was changed by the read.",
        retryable=True,
    )


def right_lost(source: str, tables: Sequence[str]) -> CallError:
    """For a role that may no longer read what it could when the structure was read."""
    named = ", ".join(tables) or "what the query reads"
    return CallError(
        "source_unavailable",
        f"The database of {source} no longer lets Footnote's role read {named}.",
        hint="Read other tables; an operator can grant SELECT again.",
    )


def too_powerful(source: str) -> CallError:
    """For a role that may do more than read."""
    return CallError(
        "source_unavailable",
        f"The source {source} is not used: its role in the database may do more than read.",
        hint="Operators: `footnote check` prints the rights and the script that takes them away.",
    )
