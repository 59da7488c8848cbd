"""What a query may read (GuardPolicy), and what is known about one that passed (ValidatedQuery)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from runtime.limits import DEFAULT

_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def fold(name: str) -> str:
    """`name` as the engines compare it: ASCII letters lowered and no others, so that `É` and `é` stay two names."""
    return name.translate(_ASCII_LOWER)


@dataclass(frozen=True)
class GuardPolicy:
    """The tables open to one caller.

    `tables` maps an admitted table's id to its column names; the id is the table's name, in PostgreSQL
    `schema.name`. `dialect` is sqlglot's word: duckdb, postgres or sqlite. `schema` is the one qualifier that may
    stand before an admitted name in DuckDB and SQLite ("" admits none). `search_path`: in PostgreSQL, the schemas in
    which a name without one is looked up, in order. `partial`: ids of tables of which only the listed columns exist
    for the caller; every such table is read through a SELECT of exactly these. Of other tables the columns serve
    hints and filters, they are no boundary. `masked`: table id -> columns whose values people see and the model does
    not. `unsorted`: ids of tables of SQLite of which an index sorts by a column that is masked or hidden, so that rows
    in its order would tell of it -> a column that makes every scan go by the table, "" to read it without its indexes.
    `parameters`: how many values come with the SQL; `?`, `?1`, `:name` (SQLite) and `$1` (PostgreSQL) name them.
    `types`: the names by which a cast may mean a type of the database's own. `fields`: table id -> names that may stand
    behind a value in brackets, `(home).city`. `keys`: table id -> the columns of its primary key.
    `max_bytes` counts UTF-8; `max_nesting` counts open brackets outside literals and comments.
    """

    tables: Mapping[str, Sequence[str]]
    dialect: str = "duckdb"
    schema: str = "main"
    search_path: tuple[str, ...] = ()
    partial: frozenset[str] = frozenset()
    masked: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    unsorted: Mapping[str, str] = field(default_factory=dict[str, str])
    types: frozenset[str] = frozenset()
    fields: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    parameters: int = 0
    max_bytes: int = DEFAULT.sql_bytes
    max_nesting: int = DEFAULT.sql_nesting

    def key(self, name: str, *, quoted: bool) -> str:
        """`name` as the dialect compares it: PostgreSQL lowers unquoted names only, the others know no difference."""
        return name if quoted and self.dialect == "postgres" else fold(name)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Name as the dialect compares it -> name as admitted."""
        return {self.key(name, quoted=True): name for name in self.tables}

    def column(self, table: str, name: str) -> str | None:
        """The column of an admitted table that `name` means when case is left aside, as admitted."""
        wanted = fold(name)
        return next((column for column in self.tables[table] if fold(column) == wanted), None)


@dataclass(frozen=True, slots=True)
class EqualityFilter:
    """A text comparison on a real column, kept to look up near values when a query finds nothing.

    `operator` is one of `=`, `in`, `like`, `ilike`; an IN list gives one filter per value.
    """

    table: str
    column: str
    value: str
    operator: str = "="


@dataclass(frozen=True, slots=True)
class ValidatedQuery:
    """A query that passed. `sql` is regenerated from the checked tree and is the only text that may run.

    `tables`: admitted names read, sorted. `output`: names of the result's columns as far as the text tells (`*` where
    it does not). `has_aggregate`: some aggregate stands outside a window, so a NULL cell may mean "no rows".
    `masked`: names of the result's columns whose cells the model may not see, to be compared folded (`fold`).
    `named_by_rows`: values of rows are names of columns, as PIVOT without a list makes them.
    """

    sql: str
    original: str
    tables: tuple[str, ...]
    output: tuple[str, ...]
    has_aggregate: bool
    filters: tuple[EqualityFilter, ...]
    masked: tuple[str, ...] = ()
    named_by_rows: bool = False
