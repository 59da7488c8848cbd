"""The PostgreSQL dialect of the guard: its node classes, and its function list from `postgres_functions.json`."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.parsers.postgres import PostgresParser

from runtime.sqlguard.plain_nodes import PLAIN_NODES, PLAIN_ROOTS, SQL_CALLS, SQL_OPERATORS
from runtime.sqlguard.rules import CteSight, DialectRules, function_data, known_calls, words

# fmt: off
_NODES: tuple[type[exp.Expr], ...] = (
    exp.UnicodeString, exp.HexString, exp.BitString, exp.Overlay, exp.Overlaps, exp.Parameter, exp.RegexpILike,
    exp.BitwiseXor, exp.JSONBExtract, exp.JSONBExtractScalar, exp.JSONBContainsTopKey, exp.JSONBContainsAnyTopKeys,
    exp.JSONBContainsAllTopKeys, exp.JSONBDeleteAtPath, exp.JSONBPathExists, exp.MatchAgainst, exp.Sqrt, exp.Cbrt,
    exp.IntervalSpan, exp.LimitOptions, exp.Adjacent, exp.ExtendsLeft, exp.ExtendsRight,
    exp.Localtime, exp.Localtimestamp,
)
# fmt: on

# Names that keep sqlglot's parser: a grammar (CAST … AS, TRIM BOTH, PLACING), or no call.
_OWN_GRAMMAR = words(
    "CAST EXTRACT TRIM SUBSTRING POSITION OVERLAY EXISTS ANY ALL SOME CASE AND OR NOT IN LIKE ILIKE ARRAY "
    "CURRENT_TIME CURRENT_TIMESTAMP LOCALTIME LOCALTIMESTAMP"
)

_DATA_TYPES = frozenset(
    exp.DType[name]
    for name in words(
        "ARRAY BOOLEAN SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL MONEY TEXT VARCHAR CHAR BPCHAR NAME VARBINARY BIT DATE "
        "TIME TIMETZ TIMESTAMP TIMESTAMPTZ TIMESTAMPNTZ INTERVAL UUID JSON JSONB INET POINT TSVECTOR TSQUERY "
        "INT4RANGE INT8RANGE NUMRANGE TSRANGE TSTZRANGE DATERANGE INT4MULTIRANGE INT8MULTIRANGE NUMMULTIRANGE "
        "TSMULTIRANGE TSTZMULTIRANGE DATEMULTIRANGE"
    )
    if name in exp.DType.__members__
)
_USER_TYPES = words("citext cidr macaddr macaddr8 varbit tsquery tsvector box circle line lseg path polygon jsonpath")

_JOINS = words("INNER LEFT RIGHT FULL OUTER CROSS NATURAL")

# Calls that the grammar writes without brackets, and the columns that every table has and no catalogue lists.
_VALUE_WORDS = words(
    "user current_user current_role session_user system_user current_catalog current_schema "
    "ctid cmin cmax xmin xmax tableoid"
)


class VerbatimPostgres(Postgres):
    """PostgreSQL's dialect without the shift of array indexes to zero and back, and with JSON keys as written."""

    INDEX_OFFSET = 0

    def to_json_path(self, path: exp.Expr | None) -> exp.Expr | None:
        return path


def rules() -> DialectRules:
    """The rules for PostgreSQL."""
    data = function_data("postgres")
    aggregates = frozenset(data["aggregate"])
    return DialectRules(
        name="postgres",
        engine_version=f"{data['versions'][0]} to {data['versions'][1]}",
        dialect=VerbatimPostgres(),
        roots=PLAIN_ROOTS,
        nodes=PLAIN_NODES | SQL_OPERATORS | SQL_CALLS | frozenset(_NODES),
        scalars=frozenset(data["scalar"]) | aggregates | frozenset(data["window"]),
        aggregates=aggregates,
        table_functions=frozenset(data["table"]),
        denied=data["denied"],
        instead=data["instead"],
        data_types=_DATA_TYPES,
        user_types=_USER_TYPES,
        known_calls=known_calls(PostgresParser) - _OWN_GRAMMAR,
        type_tokens=frozenset(PostgresParser.TYPE_TOKENS),
        type_hint="Use a type of the engine, such as text, date; an enum is compared with plain text.",
        cte_sight=CteSight.ALL_WHEN_RECURSIVE,
        ordered_sets=words("mode percentile_cont percentile_disc rank dense_rank percent_rank cume_dist"),
        value_words=_VALUE_WORDS,
        attribute_calls=True,
        joins=_JOINS,
        name_bytes=63,
    )
