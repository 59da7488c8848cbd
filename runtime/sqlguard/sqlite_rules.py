"""The SQLite dialect of the guard: its node classes, and its function list from `sqlite_functions.json`."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.sqlite import SQLite
from sqlglot.parsers.sqlite import SQLiteParser

from runtime.sqlguard.plain_nodes import PLAIN_NODES, PLAIN_ROOTS
from runtime.sqlguard.rules import CteSight, DialectRules, function_data, known_calls, words

_NODES: tuple[type[exp.Expr], ...] = (exp.HexString, exp.Glob, exp.Parameter)

# Names that keep sqlglot's parser: a grammar (CAST … AS), or no call.
_OWN_GRAMMAR = words("CAST EXISTS CASE AND OR NOT IN")

# `CAST(day AS DATE)` is left out: its affinity is a number, and it would give the year.
_DATA_TYPES = frozenset(
    exp.DType[name]
    for name in words("TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL CHAR VARCHAR TEXT BLOB VARBINARY")
)

_JOINS = words("INNER LEFT RIGHT FULL OUTER CROSS NATURAL")


class VerbatimSQLite(SQLite):
    """SQLite's dialect with JSON paths as written."""

    def to_json_path(self, path: exp.Expr | None) -> exp.Expr | None:
        return path


def rules() -> DialectRules:
    """The rules for SQLite."""
    data = function_data("sqlite")
    aggregates = frozenset(data["aggregate"])
    return DialectRules(
        name="sqlite",
        engine_version=f"{data['versions'][0]} to {data['versions'][1]}",
        dialect=VerbatimSQLite(),
        roots=PLAIN_ROOTS,
        nodes=PLAIN_NODES | frozenset(_NODES),
        scalars=frozenset(data["scalar"]) | aggregates | frozenset(data["window"]),
        aggregates=aggregates,
        table_functions=frozenset(data["table"]),
        denied=data["denied"],
        instead=data["instead"],
        data_types=_DATA_TYPES,
        user_types=frozenset(),
        known_calls=known_calls(SQLiteParser) - _OWN_GRAMMAR,
        type_tokens=frozenset(SQLiteParser.TYPE_TOKENS),
        type_hint="Use INTEGER, REAL, NUMERIC, TEXT or BLOB; dates are text: date(day), strftime('%Y', day).",
        written_types={exp.DType.DECIMAL: "NUMERIC"},
        cte_sight=CteSight.ALL,
        joins=_JOINS,
    )
