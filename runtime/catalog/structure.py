"""The structure of one source: what introspection gives, and what guard, tools and planner work on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar, cast

T = TypeVar("T")


class TableKind(StrEnum):
    """What kind of relation a table is."""

    TABLE = "table"
    VIEW = "view"
    MATERIALIZED_VIEW = "materialized_view"
    PARTITIONED = "partitioned_table"
    FOREIGN = "foreign_table"


@dataclass(frozen=True, slots=True)
class CatalogColumn:
    """One column. `type` is the engine's own word; `generated` ones are computed from other columns (an identity or
    a default isn't); `masked` ones are shown to people and never to the model. `holds`: the ids of the relations whose
    whole rows stand in it, by its type."""

    name: str
    type: str
    nullable: bool = True
    comment: str = ""
    generated: bool = False
    masked: bool = False
    casts: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns that point at a unique key of another table; `references` are that key's columns, pair by pair."""

    name: str
    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CatalogTable:
    """One relation. `id` is its name within the source as SQL may write it unquoted where it can (`public.orders` in
    PostgreSQL, `orders` in SQLite) and is unique there; `rows_estimate` is None where nothing was measured; `reads`
    are the ids of the relations that a view is made of, directly, and of those that inherit from a table. `parts`:
    schema and name of each partition, to be meant by the manifest's rules. `partial`: columns of it aren't admitted,
    which the guard has to know. `indexed`: the columns of each index of SQLite, "" for an expression or a condition.
    Nobody is told of these three."""

    id: str
    schema: str
    name: str
    kind: TableKind
    columns: tuple[CatalogColumn, ...]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str = ""
    rows_estimate: int | None = None
    reads: tuple[str, ...] = ()
    parts: tuple[tuple[str, str], ...] = ()
    partial: bool = False
    indexed: tuple[tuple[str, ...], ...] = ()

    def column(self, name: str) -> CatalogColumn | None:
        """The column of exactly this name."""
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True, slots=True)
class ClosedView:
    """A view that would be open but for what it calls, which may read anything: names of functions, with `()`, and of
    the database's own catalogue."""

    id: str
    calls: tuple[str, ...]


@dataclass(frozen=True)
class Structure:
    """All relations of one source, in the order of their ids. `revision` is the fingerprint of the engine's own
    catalogue: it changes whenever tables, columns, types, keys or comments do. `closed` are views of which people are
    told why they aren't among the tables."""

    source: str
    dialect: str
    tables: tuple[CatalogTable, ...]
    revision: str
    closed: tuple[ClosedView, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, CatalogTable]:
        """The relations by their ids."""
        return {table.id: table for table in self.tables}

    def derived(self, make: Callable[[Structure], T]) -> T:
        """What `make` makes of this structure, made once and kept as long as the structure itself."""
        kept = self._derived
        if make not in kept:
            kept[make] = make(self)
        return cast(T, kept[make])

    @cached_property
    def _derived(self) -> dict[Callable[[Structure], Any], Any]:
        return {}
