"""The DuckDB dialect of the guard: its node classes, and its function list from `duckdb_functions.json`."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.parsers.duckdb import DuckDBParser

from runtime.sqlguard.plain_nodes import PLAIN_NODES, PLAIN_ROOTS, SQL_CALLS, SQL_OPERATORS
from runtime.sqlguard.rules import DialectRules, function_data, known_calls, words

# fmt: off
_NODES: tuple[type[exp.Expr], ...] = (
    exp.Pivot, exp.PivotAlias, exp.UnpivotColumns, exp.Qualify, exp.LimitOptions, exp.IgnoreNulls, exp.RespectNulls,
    exp.Columns, exp.PositionalColumn, exp.Struct, exp.PropertyEQ, exp.Kwarg, exp.ToMap, exp.Map, exp.Lambda,
    exp.Comprehension, exp.TryCast, exp.Glob, exp.RegexpFullMatch, exp.StartsWith, exp.IntDiv, exp.Abs,
)
# Calls with a grammar of their own, which stay typed (see `_OWN_GRAMMAR`).
_CALLS: tuple[type[exp.Expr], ...] = (
    exp.Replace, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead, exp.PercentileCont, exp.PercentileDisc,
)
# fmt: on

# Names that keep sqlglot's parser: a grammar (CAST … AS, TRIM BOTH, `* REPLACE (`, IGNORE NULLS), or no call.
_OWN_GRAMMAR = words(
    "CAST TRY_CAST EXTRACT TRIM SUBSTRING POSITION REPLACE COLUMNS MAP EXISTS ANY ALL SOME CASE "
    "FIRST_VALUE LAST_VALUE NTH_VALUE LAG LEAD PERCENTILE_CONT PERCENTILE_DISC AND OR NOT IN LIKE ILIKE GLOB"
)

# What the parser of DuckDB itself offers beside its function table.
_SYNTAX_CALLS = words("coalesce ifnull grouping grouping_id try array date unnest columns struct_pack row")

_TABLE_FUNCTIONS = words("range generate_series unnest json_each json_tree")

_DATA_TYPES = frozenset(
    exp.DType[name]
    for name in words(
        "ARRAY LIST MAP STRUCT UNION ENUM BOOLEAN TINYINT SMALLINT INT BIGINT INT128 UTINYINT USMALLINT UINT UBIGINT "
        "UINT128 FLOAT DOUBLE DECIMAL BIGNUM TEXT VARCHAR CHAR BPCHAR VARBINARY BINARY BLOB BIT DATE TIME TIMETZ "
        "TIME_NS TIMESTAMP TIMESTAMPTZ TIMESTAMPNTZ TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS DATETIME INTERVAL UUID JSON"
    )
)
_USER_TYPES = words("bignum varint uhugeint timestamp_us")


class IndexesAsWritten(DuckDB):
    """DuckDB's dialect without the shift of list indexes to zero and back, which costs 2 ms per index of a chain."""

    INDEX_OFFSET = 0


def rules() -> DialectRules:
    """The rules for DuckDB."""
    data = function_data("duckdb")
    aggregates = frozenset(data["aggregate"])
    return DialectRules(
        name="duckdb",
        engine_version=data["version"],
        dialect=IndexesAsWritten(),
        roots=PLAIN_ROOTS | {exp.Pivot},
        nodes=PLAIN_NODES | SQL_OPERATORS | SQL_CALLS | frozenset((*_NODES, *_CALLS)),
        scalars=frozenset(data["scalar"]) | aggregates | frozenset(data["window"]) | _SYNTAX_CALLS,
        aggregates=aggregates,
        table_functions=_TABLE_FUNCTIONS,
        denied=data["denied"],
        instead=data["instead"],
        data_types=_DATA_TYPES,
        type_hint="Use a type of the engine, such as VARCHAR, DATE.",
        user_types=_USER_TYPES,
        known_calls=known_calls(DuckDBParser) - _OWN_GRAMMAR,
        type_tokens=frozenset(DuckDBParser.TYPE_TOKENS),
        lambdas=True,
    )
