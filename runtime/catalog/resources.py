"""Ids of resources: `shop` is a source, `shop/orders` a table, `shop/orders.customer_id` a column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from runtime.catalog.structure import CatalogColumn, CatalogTable, Structure


@dataclass(frozen=True, slots=True)
class Resource:
    """A source, one of its tables, or one of that table's columns. `id` is unique among all sources."""

    structure: Structure
    table: CatalogTable | None = None
    column: CatalogColumn | None = None

    @property
    def id(self) -> str:
        """`source`, `source/table` or `source/table.column`, each name as the structure has it."""
        if self.table is None:
            return self.structure.source
        return (
            column_id(self.structure, self.table, self.column) if self.column else table_id(self.structure, self.table)
        )

    @property
    def name(self) -> str:
        """Its own name, without where it stands."""
        if self.table is None:
            return self.structure.source
        return self.column.name if self.column else self.table.name

    @property
    def kind(self) -> str:
        """`source`, `column`, or the table's kind."""
        if self.table is None:
            return "source"
        return "column" if self.column else self.table.kind.value


def table_id(structure: Structure, table: CatalogTable) -> str:
    """The id of a table."""
    return f"{structure.source}/{table.id}"


def column_id(structure: Structure, table: CatalogTable, column: CatalogColumn) -> str:
    """The id of a column."""
    return f"{structure.source}/{table.id}.{column.name}"


def source_of(resource_id: str) -> str:
    """The source that an id stands in."""
    return resource_id.partition("/")[0]


def found(structure: Structure, resource_id: str) -> Resource | None:
    """The resource of this id in its source's structure. As names may hold dots, a table comes before a column, and
    the longest table name first; another case is taken when nothing has this one."""
    _, slash, name = resource_id.partition("/")
    if not slash:
        return Resource(structure)
    return _exact(structure, name) or _other_case(structure, name.casefold())


def _exact(structure: Structure, name: str) -> Resource | None:
    if (whole := structure.by_id.get(name)) is not None:
        return Resource(structure, whole)
    for table_name, column_name in _splits(name):
        table = structure.by_id.get(table_name)
        if table is not None and (column := table.column(column_name)) is not None:
            return Resource(structure, table, column)
    return None


def _other_case(structure: Structure, folded: str) -> Resource | None:
    tables = structure.derived(_folded_tables)
    if (whole := tables.get(folded)) is not None:
        return Resource(structure, whole)
    for table_name, column_name in _splits(folded):
        if (table := tables.get(table_name)) is not None:
            for column in table.columns:
                if column.name.casefold() == column_name:
                    return Resource(structure, table, column)
    return None


def _folded_tables(structure: Structure) -> dict[str, CatalogTable]:
    return {table.id.casefold(): table for table in reversed(structure.tables)}


def _splits(name: str) -> Iterator[tuple[str, str]]:
    """Every way to take a name as table and column, the longest table first."""
    end = len(name)
    while (end := name.rfind(".", 0, end)) > 0:
        yield name[:end], name[end + 1 :]
