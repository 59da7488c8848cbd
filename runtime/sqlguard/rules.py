"""What one SQL dialect allows, as data, and the table of the dialects the guard knows. An unknown one is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any, cast

from sqlglot import Dialect, exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import TokenType

from runtime.sqlguard.refusals import not_allowed

# name of a dialect -> module of this package that offers `rules() -> DialectRules`
DIALECTS: Mapping[str, str] = {
    "duckdb": "runtime.sqlguard.duckdb_rules",
    "postgres": "runtime.sqlguard.postgres_rules",
    "sqlite": "runtime.sqlguard.sqlite_rules",
}


class CteSight(Enum):
    """Which CTEs of one WITH a table name in it sees, besides those before it (and itself in a recursive UNION)."""

    EARLIER = "no others"
    ALL_WHEN_RECURSIVE = "all of WITH RECURSIVE"
    ALL = "all, and itself without the word RECURSIVE"


@dataclass(frozen=True, slots=True)
class DialectRules:
    """Everything that is not listed here is refused.

    `roots`, `nodes`: node classes a statement may be and may hold. `scalars`: functions (lower case) in expressions;
    `aggregates` is the part of them that aggregates; `table_functions`: those that may stand where a table stands.
    `denied`: a function of the engine -> why it is not allowed. `instead`: a function people try -> what to write.
    `user_types`: type names the parser does not know but the engine does. `known_calls`: names (upper case) the
    parser would rewrite (see `verbatim`). `type_tokens`: tokens that name a type (see `bounds`). `type_hint`: what
    to write instead of an unknown type. `written_types`: types the generator would write as others. `cte_sight`: which
    CTEs a name sees. `ordered_sets`: functions that take WITHIN GROUP. `value_words`: unquoted names that are a call
    without brackets and not a column. `attribute_calls`: `row.name` may call a function of that name. `joins`: the
    words that may stand before JOIN, None for all the parser knows. `name_bytes`: UTF-8 bytes of a name above which
    the engine cuts it. `lambdas`: `x -> …` may be one.
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
    type_hint: str
    written_types: Mapping[exp.DType, str] = field(default_factory=dict[exp.DType, str])
    cte_sight: CteSight = CteSight.EARLIER
    ordered_sets: frozenset[str] = frozenset()
    value_words: frozenset[str] = frozenset()
    attribute_calls: bool = False
    joins: frozenset[str] | None = None
    name_bytes: int | None = None
    lambdas: bool = False


@cache
def rules_for(dialect: str) -> DialectRules:
    """The rules of `dialect`. Raises QueryRefused when the guard does not know it."""
    module = DIALECTS.get(dialect)
    if module is None:
        raise not_allowed(f"No guard exists for the SQL dialect {dialect!r}, so nothing of it may run.", hint="")
    build = cast("Callable[[], DialectRules]", import_module(module).rules)
    return build()


def words(text: str) -> frozenset[str]:
    """The blank-separated words of `text`."""
    return frozenset(text.split())


def function_data(dialect: str) -> dict[str, Any]:
    """The frozen functions of a dialect: engine version(s), allowed names by kind, denied names with the reason,
    alternatives to names people try."""
    return json.loads(files("runtime.sqlguard").joinpath(f"{dialect}_functions.json").read_text("utf-8"))


def known_calls(parser: type[Parser]) -> frozenset[str]:
    """The names (upper case) that `parser` turns into nodes of their own instead of plain calls."""
    functions = cast("Mapping[str, object]", parser.FUNCTIONS)  # pyright: ignore[reportUnknownMemberType]
    special = cast("Mapping[str, object]", parser.FUNCTION_PARSERS)  # pyright: ignore[reportUnknownMemberType]
    return frozenset({*functions, *special, "IF"})
