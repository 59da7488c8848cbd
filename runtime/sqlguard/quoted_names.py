"""SQLite takes a name in double quotes that nothing has for a text, without a word: a slip would become a constant."""

from __future__ import annotations

import re

from sqlglot import exp

from runtime.sqlguard.attributes import given_names
from runtime.sqlguard.policy import GuardPolicy, fold
from runtime.sqlguard.refusals import QueryRefused, unknown_column
from runtime.sqlguard.rules import DialectRules, words
from runtime.sqlguard.sources import ROW_NUMBERS
from runtime.sqlguard.tables import TablesRead

_OF_TABLE_FUNCTIONS = words("key value type atom id parent fullkey path json root")
# Columns of VALUES, and what SQLite calls an expression without an alias: its text.
_GIVEN_BY_ENGINE = re.compile(r"column\d+|.*[^\w ].*", re.DOTALL)


def check_quoted_names(root: exp.Expr, read: TablesRead, policy: GuardPolicy, rules: DialectRules) -> None:
    """Raises QueryRefused for a quoted name without a qualifier that is no column here."""
    if rules.name != "sqlite":
        return
    known: set[str] | None = None
    for column in root.find_all(exp.Column):
        name = column.this
        quoted = isinstance(name, exp.Identifier) and name.args.get("quoted") and column.args.get("table") is None
        if not quoted or _GIVEN_BY_ENGINE.fullmatch(column.name):
            continue
        if known is None:
            known = {fold(item) for table in read.names for item in policy.tables[table]}
            known |= _OF_TABLE_FUNCTIONS | ROW_NUMBERS | set(given_names(root))
        if fold(column.name) not in known:
            raise _no_column(column.name, read, policy)


def _no_column(name: str, read: TablesRead, policy: GuardPolicy) -> QueryRefused:
    error, text = unknown_column(name, policy, read.names), "A text stands in single quotes."
    hint = " ".join(dict.fromkeys((text, error.hint.removeprefix(text).strip()))) if read.names else text
    return QueryRefused(error.code, error.message, hint=hint.strip(), details=error.details)
