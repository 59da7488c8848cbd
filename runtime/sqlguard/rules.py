"""What one SQL dialect allows, as data, and the table of the dialects the guard knows. An unknown one is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import cast

from sqlglot import Dialect, exp
from sqlglot.tokenizer_core import TokenType

from runtime.sqlguard.refusals import not_allowed

# name of a dialect -> module of this package that offers `rules() -> DialectRules`
DIALECTS: Mapping[str, str] = {"duckdb": "runtime.sqlguard.duckdb_rules"}


@dataclass(frozen=True, slots=True)
class DialectRules:
    """Everything that is not listed here is refused.

    `roots`, `nodes`: node classes a statement may be and may hold. `scalars`: functions (lower case) in expressions;
    `aggregates` is the part of them that aggregates; `table_functions`: those that may stand where a table stands.
    `denied`: a function of the engine -> why it is not allowed. `instead`: a function people try -> what to write.
    `user_types`: type names the parser does not know but the engine does. `known_calls`: names (upper case) the
    parser would rewrite (see `verbatim`). `type_tokens`: tokens that name a type (see `bounds`).
    """

    name: str
    engine_version: str
    dialect: Dialect
    roots: frozenset[type[exp.Expr]]
    nodes: frozenset[type[exp.Expr]]
    scalars: frozenset[str]
    aggregates: frozenset[str]
    table_functions: frozenset[str]
    denied: Mapping[str, str]
    instead: Mapping[str, str]
    data_types: frozenset[exp.DType]
    user_types: frozenset[str]
    known_calls: frozenset[str]
    type_tokens: frozenset[TokenType]


@cache
def rules_for(dialect: str) -> DialectRules:
    """The rules of `dialect`. Raises QueryRefused when the guard does not know it."""
    module = DIALECTS.get(dialect)
    if module is None:
        raise not_allowed(f"No guard exists for the SQL dialect {dialect!r}, so nothing of it may run.", hint="")
    build = cast("Callable[[], DialectRules]", import_module(module).rules)
    return build()
