"""The DuckDB dialect of the guard: its node classes, and its function list from `duckdb_functions.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, cast

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.parsers.duckdb import DuckDBParser

from runtime.sqlguard.rules import DialectRules


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROOTS: frozenset[type[exp.Expr]] = frozenset(
    {exp.Select, exp.Union, exp.Except, exp.Intersect, exp.Values, exp.Subquery, exp.Pivot}
)

# fmt: off
_QUERY: tuple[type[exp.Expr], ...] = (
    exp.With, exp.CTE, exp.TableAlias, exp.From, exp.Join, exp.Table, exp.Lateral, exp.Unnest, exp.Tuple,
    exp.Where, exp.Group, exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Limit, exp.LimitOptions, exp.Offset,
    exp.Fetch, exp.Distinct, exp.Window, exp.WindowSpec, exp.Filter, exp.WithinGroup, exp.IgnoreNulls,
    exp.RespectNulls, exp.UnpivotColumns, exp.PivotAlias, exp.TableSample, exp.Cube, exp.Rollup, exp.GroupingSets,
)
_EXPRESSION: tuple[type[exp.Expr], ...] = (
    exp.Alias, exp.Column, exp.Identifier, exp.Star, exp.Columns, exp.Literal, exp.ByteString, exp.RawString,
    exp.Boolean, exp.Null, exp.Paren,
    exp.Bracket, exp.Slice, exp.Array, exp.Struct, exp.PropertyEQ, exp.Kwarg, exp.ToMap, exp.Map, exp.Lambda,
    exp.Comprehension, exp.Dot, exp.Case, exp.If, exp.Cast, exp.TryCast, exp.DataType, exp.DataTypeParam,
    exp.ColumnDef, exp.Interval, exp.Var, exp.Exists, exp.All, exp.Any, exp.In, exp.Between, exp.Is,
    exp.Collate, exp.AtTimeZone, exp.PositionalColumn, exp.Anonymous,
)
_OPERATOR: tuple[type[exp.Expr], ...] = (
    exp.Not, exp.Neg, exp.And, exp.Or, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ,
    exp.NullSafeNEQ, exp.Like, exp.ILike, exp.SimilarTo, exp.Glob, exp.Escape, exp.RegexpLike, exp.RegexpFullMatch,
    exp.StartsWith, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow, exp.Abs, exp.DPipe,
    exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift,
    exp.JSONExtract, exp.JSONExtractScalar, exp.JSONPath, exp.JSONPathRoot, exp.JSONPathSubscript,
    exp.ArrayContainsAll, exp.ArrayContainedBy, exp.ArrayOverlaps,
)
# Calls with a grammar of their own, which stay typed (see `_OWN_GRAMMAR`).
_CALL: tuple[type[exp.Expr], ...] = (
    exp.Extract, exp.Trim, exp.Substring, exp.StrPosition, exp.Replace, exp.FirstValue, exp.LastValue, exp.NthValue,
    exp.Lag, exp.Lead, exp.PercentileCont, exp.PercentileDisc,
    exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.Localtime, exp.Localtimestamp,
)
# fmt: on

# Names that keep sqlglot's parser: a grammar (CAST … AS, TRIM BOTH, `* REPLACE (`, IGNORE NULLS), or no call.
_OWN_GRAMMAR = _words(
    "CAST TRY_CAST EXTRACT TRIM SUBSTRING POSITION REPLACE COLUMNS MAP EXISTS ANY ALL SOME CASE "
    "FIRST_VALUE LAST_VALUE NTH_VALUE LAG LEAD PERCENTILE_CONT PERCENTILE_DISC AND OR NOT IN LIKE ILIKE GLOB"
)

# What the parser of DuckDB itself offers beside its function table.
_SYNTAX_CALLS = _words("coalesce ifnull grouping grouping_id try array date unnest columns struct_pack row")

_TABLE_FUNCTIONS = _words("range generate_series unnest json_each json_tree")

_DATA_TYPES = frozenset(
    exp.DType[name]
    for name in _words(
        "ARRAY LIST MAP STRUCT UNION ENUM BOOLEAN TINYINT SMALLINT INT BIGINT INT128 UTINYINT USMALLINT UINT UBIGINT "
        "UINT128 FLOAT DOUBLE DECIMAL BIGNUM TEXT VARCHAR CHAR BPCHAR VARBINARY BINARY BLOB BIT DATE TIME TIMETZ "
        "TIME_NS TIMESTAMP TIMESTAMPTZ TIMESTAMPNTZ TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS DATETIME INTERVAL UUID JSON"
    )
)
_USER_TYPES = _words("bignum varint uhugeint timestamp_us")


class IndexesAsWritten(DuckDB):
    """DuckDB's dialect without the shift of list indexes to zero and back, which costs 2 ms per index of a chain."""

    INDEX_OFFSET = 0


def function_data() -> dict[str, Any]:
    """`duckdb_functions.json`: engine version, allowed names by kind, denied names with the reason, alternatives."""
    return json.loads(files("runtime.sqlguard").joinpath("duckdb_functions.json").read_text("utf-8"))


def rules() -> DialectRules:
    """The rules for DuckDB."""
    data = function_data()
    aggregates = frozenset(data["aggregate"])
    functions = cast("Mapping[str, object]", DuckDBParser.FUNCTIONS)  # pyright: ignore[reportUnknownMemberType]
    special = cast("Mapping[str, object]", DuckDBParser.FUNCTION_PARSERS)  # pyright: ignore[reportUnknownMemberType]
    known = frozenset({*functions, *special, "IF"}) - _OWN_GRAMMAR
    return DialectRules(
        name="duckdb",
        engine_version=data["version"],
        dialect=IndexesAsWritten(),
        roots=ROOTS,
        nodes=frozenset((*ROOTS, *_QUERY, *_EXPRESSION, *_OPERATOR, *_CALL)),
        scalars=frozenset(data["scalar"]) | aggregates | frozenset(data["window"]) | _SYNTAX_CALLS,
        aggregates=aggregates,
        table_functions=_TABLE_FUNCTIONS,
        denied=data["denied"],
        instead=data["instead"],
        data_types=_DATA_TYPES,
        user_types=_USER_TYPES,
        known_calls=known,
        type_tokens=frozenset(DuckDBParser.TYPE_TOKENS),
    )
