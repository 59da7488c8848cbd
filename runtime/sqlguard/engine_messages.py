"""Engine error messages made fit for a caller: nothing outside the admission in them, and a hint where one is known."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from runtime.sqlguard.engine_hints import hint_for, without_settings
from runtime.sqlguard.policy import GuardPolicy, fold
from runtime.sqlguard.refusals import QueryRefused, near, shown, unknown_column, unknown_table
from runtime.sqlguard.rules import rules_for

MESSAGE_CHARS = 500

# The quoted piece of the statement under the message: it shows our wrapping, and the text is known to the caller.
_STATEMENT = re.compile(r"^\s*LINE \d+:.*\Z", re.MULTILINE | re.DOTALL)
_OFFERS = re.compile(
    r"(?P<lead>Did you mean|Candidate bindings:?|Candidate macros:?|Candidate functions:?|Similar names:?)"
    r"(?P<names>[^\n]*(?:\n[ \t]+[^\n]*)*)"
)
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_ADDRESS = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s\"')]+")
_QUOTED_PATH = re.compile(r"(?P<quote>[\"'])(?:~|\.{0,2}/|[A-Za-z]:\\)[^\"'\n]*(?P=quote)")
_PATH = re.compile(r"(?<![\w)\"'])(?:~|\.{1,2})?/(?:[\w.@+ -]+/)*[\w.@+-]+")
_CATALOG = re.compile(r'\b(?:[\w-]+|"[^"]+")\.(?:main|temp)\.(?=[\w"])')
_NAME_ERROR = re.compile(r"\b(?:Table|View)(?: with name)? (?P<name>\"[^\"]+\"|\S+) does not exist")
_COLUMN_ERROR = re.compile(
    r'Referenced column "(?P<a>(?:[^"]|"")*)" (?:was )?not found|does not have a column named "(?P<b>(?:[^"]|"")*)"'
)
_FUNCTION_ERROR = re.compile(r"Function with name \"?(?P<name>[\w.]+)\"? does not exist")
_LITE = re.compile(r"^no such (?P<what>column|table|function): \"?(?P<name>.+?)\"?(?: - should this be .*)?$")
_AMBIGUOUS = re.compile(
    r"^ambiguous column name: (?P<a>.+)$|Ambiguous reference to column name \"(?P<b>[^\"]+)\""
    r"|^column reference \"(?P<c>[^\"]+)\" is ambiguous$"
)
_NO_MATCH = re.compile(r"No function matches the given name and argument types '(?P<call>[^'\n]*)'")


def clean_engine_message(message: str, admitted_names: Collection[str]) -> str:
    """`message` without file paths, addresses, catalogue names, statement text, or offered names not admitted.

    `admitted_names` are the tables and columns the caller may know. At most 500 characters, on one line.
    """
    known = {fold(name) for name in admitted_names}
    text = _STATEMENT.sub("", message)
    text = _OFFERS.sub(lambda match: _kept_offers(match, known), text)
    text = _ADDRESS.sub("…", text)
    text = _QUOTED_PATH.sub("…", text)
    text = _PATH.sub("…", text)
    text = _CATALOG.sub("", text)
    line = " ".join(text.split())
    return line if len(line) <= MESSAGE_CHARS else line[: MESSAGE_CHARS - 1] + "…"


def _kept_offers(match: re.Match[str], known: set[str]) -> str:
    names = [quoted.replace('""', '"') for quoted in _QUOTED.findall(match["names"])]
    kept = [name for name in names if _is_known(name, known)]
    if not kept:
        return ""
    lead = match["lead"].rstrip(":")
    end = "?" if lead == "Did you mean" else "."
    return f"{lead} {', '.join(repr(name) for name in kept)}{end}"


def _is_known(name: str, known: set[str]) -> bool:
    return fold(name) in known or all(fold(part) in known for part in name.split("."))


def refuse_from_engine(message: str, policy: GuardPolicy, tables: Iterable[str]) -> QueryRefused:
    """The refusal for what the engine said about a validated query that reads `tables` (admitted names)."""
    read = tuple(tables)
    if match := _LITE.match(message):
        return _missing(match["what"], match["name"], policy, read)
    if match := _COLUMN_ERROR.search(message):
        return unknown_column((match["a"] or match["b"] or "").replace('""', '"'), policy, read)
    if match := _NAME_ERROR.search(message):
        return unknown_table(match["name"].strip('"').rstrip("!"), policy)
    if match := _FUNCTION_ERROR.search(message):
        return _missing("function", match["name"], policy, read)
    admitted = {*policy.tables, *(column for table in read for column in policy.tables.get(table, ()))}
    cleaned = clean_engine_message(message, admitted)
    if (found := ambiguous(cleaned)) is not None:
        return found
    if match := _NO_MATCH.search(message):
        return QueryRefused(
            "sql_failed",
            f"No function takes {match['call']!r}: the types do not fit.",
            hint="CAST the argument to the type the function takes, or TRY_CAST it where some values do not fit.",
        )
    syntax = cleaned.startswith("Parser Error") or cleaned.endswith("syntax error") or cleaned == "incomplete input"
    code = "sql_syntax" if syntax else "sql_failed"
    told = without_settings(cleaned) or "The engine refused the query."
    return QueryRefused(code, told, hint=hint_for(cleaned))


def ambiguous(message: str) -> QueryRefused | None:
    """The refusal of a name that several tables have, if that is what an engine said."""
    match = _AMBIGUOUS.search(message)
    if match is None:
        return None
    name = next(filter(None, match.groups()))
    hint = f"Write it as table.{name}, with the table's name or alias."
    return QueryRefused("sql_failed", f"Several tables have a column {name!r}.", hint=hint)


def no_source_called(qualifier: str, column: str = "") -> QueryRefused:
    """The refusal of `c.id` where no source after FROM is called `c`, or none of this name has the column."""
    of = f", or it has no column {shown(column)!r}" if column else ""
    return QueryRefused(
        "sql_unknown_column",
        f"No source of this query is called {shown(qualifier)!r}{of}.",
        hint="Name it after FROM or JOIN; a table with an alias goes by its alias only.",
    )


def _missing(what: str, name: str, policy: GuardPolicy, read: tuple[str, ...]) -> QueryRefused:
    """The refusal of a name that the engine does not know."""
    bare = name.rpartition(".")[2]
    if what == "column":
        open_here = {fold(column) for table in read for column in policy.tables.get(table, ())}
        if bare != name and fold(bare) in open_here:
            return no_source_called(name.removesuffix(f".{bare}"), bare)
        return unknown_column(bare, policy, read)
    if what == "table":
        return unknown_table(bare, policy)
    rules = rules_for(policy.dialect)
    instead = rules.instead.get(bare.lower())
    close = near(bare, rules.scalars - {bare.lower()})  # listed, it may be one of a newer version than this engine
    hint = f"Use {instead}." if instead else f"Did you mean {' or '.join(close)}?" if close else ""
    return QueryRefused("function_not_allowed", f"The function {bare!r} does not exist.", hint=hint)
