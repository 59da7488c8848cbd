"""The node classes of plain SQL, which every dialect of the guard allows; each dialect adds its own."""

from __future__ import annotations

from sqlglot import exp

PLAIN_ROOTS: frozenset[type[exp.Expr]] = frozenset(
    {exp.Select, exp.Union, exp.Except, exp.Intersect, exp.Values, exp.Subquery}
)

# fmt: off
_QUERY: tuple[type[exp.Expr], ...] = (
    exp.With, exp.CTE, exp.TableAlias, exp.From, exp.Join, exp.Table, exp.Tuple, exp.Where, exp.Group, exp.Having,
    exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Distinct, exp.Window, exp.WindowSpec, exp.Filter,
)
_EXPRESSION: tuple[type[exp.Expr], ...] = (
    exp.Alias, exp.Column, exp.Identifier, exp.Star, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Case, exp.If,
    exp.Cast, exp.DataType, exp.DataTypeParam, exp.Var, exp.Exists, exp.In, exp.Between, exp.Is, exp.Collate,
    exp.Anonymous, exp.Not, exp.Neg, exp.And, exp.Or, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE,
    exp.NullSafeEQ, exp.NullSafeNEQ, exp.Like, exp.Escape, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.DPipe,
    exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift,
    exp.JSONExtract, exp.JSONExtractScalar, exp.JSONPath, exp.JSONPathRoot, exp.JSONPathSubscript,
    exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp,
)
# What DuckDB and PostgreSQL share and SQLite does not know.
SQL_OPERATORS: frozenset[type[exp.Expr]] = frozenset((
    exp.Lateral, exp.Unnest, exp.Fetch, exp.WithinGroup, exp.TableSample, exp.Cube, exp.Rollup, exp.GroupingSets,
    exp.ByteString, exp.RawString, exp.Bracket, exp.Slice, exp.Array, exp.Dot, exp.ColumnDef, exp.Interval, exp.All,
    exp.Any, exp.AtTimeZone, exp.ILike, exp.SimilarTo, exp.RegexpLike, exp.Pow, exp.ArrayContainsAll,
    exp.ArrayContainedBy, exp.ArrayOverlaps,
))
SQL_CALLS: frozenset[type[exp.Expr]] = frozenset((
    exp.Extract, exp.Trim, exp.Substring, exp.StrPosition, exp.Localtime, exp.Localtimestamp,
))
# fmt: on

PLAIN_NODES: frozenset[type[exp.Expr]] = PLAIN_ROOTS | frozenset((*_QUERY, *_EXPRESSION))
