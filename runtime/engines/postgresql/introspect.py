"""The structure of a PostgreSQL database as its catalogue tells it, and what of it the read role may read."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import structlog

from runtime.catalog import CatalogColumn, CatalogTable, ForeignKey, Structure, TableKind
from runtime.engines.postgresql import catalogue
from runtime.engines.postgresql.connections import Connection, fetch

DIALECT = "postgres"
MOST_TABLES = 10_000
"""Of more, the first by schema and name are taken, and the log says so."""

_KINDS = {
    "r": TableKind.TABLE,
    "v": TableKind.VIEW,
    "m": TableKind.MATERIALIZED_VIEW,
    "p": TableKind.PARTITIONED,
    "f": TableKind.FOREIGN,
}

log = structlog.get_logger(__name__)


def table_id(schema: str, name: str) -> str:
    """The id of a relation in structures, policies and messages."""
    return f"{schema}.{name}"


@dataclass(frozen=True, slots=True)
class Introspected:
    """`structure` is all that the schemas hold, whatever the role may read of it: a view is judged by what it reads.
    `readable` are the columns that the role may read, by table id; None for a table that it may read as a whole."""

    structure: Structure
    readable: Mapping[str, frozenset[str] | None]


async def fingerprint(connection: Connection, schemas: Sequence[str]) -> str:
    """A text that changes when the structure or the role's rights do."""
    ((found,),) = await fetch(connection, catalogue.FINGERPRINT, (list(schemas),))
    return str(found)


async def introspect(connection: Connection, source: str, schemas: Sequence[str], revision: str) -> Introspected:
    """All relations of `schemas`; `revision` is the fingerprint they were looked at for. Raises psycopg.Error."""
    found = await fetch(connection, catalogue.RELATIONS, (list(schemas), MOST_TABLES + 1))
    if len(found) > MOST_TABLES:
        log.warning("source has too many tables", source=source, taken=MOST_TABLES)
        found = found[:MOST_TABLES]
    twice = {name for name, times in Counter(table_id(row[1], row[2]) for row in found).items() if times > 1}
    relations = [row for row in found if table_id(row[1], row[2]) not in twice]
    parts = await _parts(connection, [row[0] for row in relations])
    partly = await fetch(connection, catalogue.READABLE_COLUMNS, ([row[0] for row in relations if not row[5]],))
    # Half a second of work at 10,000 tables, in which other runs go on.
    return await asyncio.to_thread(_assembled, source, revision, relations, parts, partly)


def _assembled(
    source: str,
    revision: str,
    relations: Sequence[tuple[Any, ...]],
    parts: _Parts,
    partly: Iterable[tuple[Any, ...]],
) -> Introspected:
    ids = {row[0]: table_id(row[1], row[2]) for row in relations}
    # Equal columns (`id integer not null`) are one object: it saves half the time and most of the memory.
    column = cache(CatalogColumn)
    tables = sorted((_table(row, parts, ids, column) for row in relations), key=lambda table: table.id)
    structure = Structure(source, DIALECT, tuple(tables), revision)
    return Introspected(structure, _readable(relations, ids, partly, parts))


@dataclass(frozen=True, slots=True)
class _Parts:
    """What belongs to relations, by their object ids, which stay in here."""

    columns: Mapping[int, list[tuple[Any, ...]]]
    names: Mapping[tuple[int, int], str]
    types: Mapping[tuple[int, int], tuple[tuple[str, ...], tuple[str, ...]]]
    held: Mapping[tuple[int, int], tuple[str, ...]]
    comments: Mapping[tuple[int, int], str]
    keys: Mapping[int, list[tuple[Any, ...]]]
    foreign_keys: Mapping[int, list[tuple[Any, ...]]]
    reads: Mapping[int, list[tuple[Any, ...]]]
    partitions: Mapping[int, list[tuple[Any, ...]]]


async def _parts(connection: Connection, oids: list[int]) -> _Parts:
    columns = await fetch(connection, catalogue.COLUMNS, (oids,))
    comments = await fetch(connection, catalogue.COMMENTS, (oids,))
    types = await fetch(connection, catalogue.OWN_TYPES, (oids,))
    held = defaultdict[tuple[int, int], tuple[str, ...]](tuple)
    for oid, position, schema, name in await fetch(connection, catalogue.ROWS_HELD, (oids,)):
        held[oid, position] += (table_id(schema, name),)
    return _Parts(
        _by_relation(columns),
        {(row[0], row[1]): row[2] for row in columns},
        {(row[0], row[1]): (tuple(row[2]), tuple(row[3])) for row in types},
        held,
        {(row[0], row[1]): row[2] for row in comments},
        _by_relation(await fetch(connection, catalogue.KEYS, (oids,))),
        _by_relation(await fetch(connection, catalogue.FOREIGN_KEYS, (oids,))),
        _by_relation(await fetch(connection, catalogue.READS, (oids,))),
        _by_relation(await fetch(connection, catalogue.PARTS, (oids,))),
    )


def _by_relation(rows: Iterable[tuple[Any, ...]]) -> Mapping[int, list[tuple[Any, ...]]]:
    grouped = defaultdict[int, list[tuple[Any, ...]]](list)
    for row in rows:
        grouped[row[0]].append(row)
    return grouped


def _readable(
    relations: Sequence[tuple[Any, ...]], ids: Mapping[int, str], partly: Iterable[tuple[Any, ...]], parts: _Parts
) -> Mapping[str, frozenset[str] | None]:
    columns = _by_relation(partly)
    return {
        ids[row[0]]: None if row[5] else frozenset(parts.names[row[0], position] for _, position in columns[row[0]])
        for row in relations
    }


def _table(
    row: tuple[Any, ...], parts: _Parts, ids: Mapping[int, str], column: Callable[..., CatalogColumn]
) -> CatalogTable:
    oid, schema, table, kind, estimate, _ = row
    keys = [(primary, _names(parts, oid, positions)) for _, primary, positions in parts.keys[oid]]
    return CatalogTable(
        id=ids[oid],
        schema=schema,
        name=table,
        kind=_KINDS[kind],
        columns=tuple(
            column(
                name,
                type_,
                nullable,
                parts.comments.get((oid, position), ""),
                generated,
                False,
                *parts.types.get((oid, position), ((), ())),
                parts.held.get((oid, position), ()),
            )
            for _, position, name, type_, nullable, generated in parts.columns[oid]
        ),
        primary_key=next((key for primary, key in keys if primary), ()),
        unique=tuple(dict.fromkeys(key for primary, key in keys if not primary)),
        foreign_keys=tuple(
            ForeignKey(key, _names(parts, oid, own), ids[target], _names(parts, target, theirs))
            for _, key, own, target, theirs in parts.foreign_keys[oid]
            if target in ids
        ),
        comment=parts.comments.get((oid, 0), ""),
        rows_estimate=estimate,
        reads=tuple(table_id(*read) for _, *read in parts.reads[oid]),
        parts=tuple((part_schema, part) for _, part_schema, part in parts.partitions[oid]),
    )


def _names(parts: _Parts, oid: int, positions: Sequence[int]) -> tuple[str, ...]:
    return tuple(parts.names[oid, position] for position in positions)


def readable_part(structure: Structure, readable: Mapping[str, frozenset[str] | None]) -> Structure:
    """The part of an admitted structure that the role may read: what it may not is as if it weren't admitted."""
    tables = {table.id: _restricted(table, readable[table.id]) for table in structure.tables}
    kept = {name: table for name, table in tables.items() if table.columns}
    closed = tuple(view for view in structure.closed if readable[view.id] is None or readable[view.id])
    return replace(structure, tables=tuple(_tied(table, kept) for table in kept.values()), closed=closed)


def _restricted(table: CatalogTable, readable: frozenset[str] | None) -> CatalogTable:
    if readable is None:
        return table
    columns = tuple(column for column in table.columns if column.name in readable)
    return replace(
        table,
        columns=columns,
        primary_key=table.primary_key if readable.issuperset(table.primary_key) else (),
        unique=tuple(key for key in table.unique if readable.issuperset(key)),
        foreign_keys=tuple(key for key in table.foreign_keys if readable.issuperset(key.columns)),
        partial=True,
    )


def _tied(table: CatalogTable, kept: Mapping[str, CatalogTable]) -> CatalogTable:
    """The table with the ways that lead to what is left."""
    if not table.foreign_keys and not table.reads:
        return table
    keys = tuple(
        key
        for key in table.foreign_keys
        if key.table in kept and all(kept[key.table].column(name) for name in key.references)
    )
    return replace(table, foreign_keys=keys, reads=tuple(name for name in table.reads if name in kept))
