"""catalog_schema: tables ready for SQL, with the joins between them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, model_validator

from runtime.capability import Arguments, CallContext, Capability, Output, Toolbox
from runtime.catalog import CatalogTable, Structure
from runtime.catalog.paths import JoinGraph, between
from runtime.catalog.ranking import search
from runtime.catalog.resources import Resource, found, source_of
from runtime.evidence import Json
from runtime.limits import DEFAULT
from runtime.toolboxes.sources.catalog_sources import Catalogs, catalogs, near_ids, not_found, sources_of
from runtime.toolboxes.sources.catalog_view import (
    DATA_ONLY,
    IDS,
    OBJECTS,
    TEXTS,
    masked_note,
    path_json,
    table_json,
)
from runtime.toolboxes.sources.database_scope import has_database

_ID_CHARS = 400

Chosen = tuple[Structure, CatalogTable]


class CatalogSchema(Arguments):
    """Which tables, by ids or by words, and how far to look for joins."""

    query: Annotated[
        str | None,
        Field(
            description=f"Words: the {DEFAULT.catalog_tables_of_query} best tables are shown.",
            min_length=1,
            max_length=DEFAULT.catalog_query_chars,
        ),
    ] = None
    resource_ids: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=_ID_CHARS)]],
        Field(
            description="Ids of tables; a column stands for its table, a source for its tables.",
            max_length=DEFAULT.catalog_resources,
            default_factory=list[str],
        ),
    ]
    include_relationships: Annotated[bool, Field(description="Give the join paths between the tables.")] = True
    max_join_depth: Annotated[
        int, Field(description="How many joins a path between two of them may have.", ge=1, le=DEFAULT.catalog_depth)
    ] = DEFAULT.catalog_join_depth_default

    @model_validator(mode="after")
    def _one_way(self) -> CatalogSchema:
        if (self.query is None) == (not self.resource_ids):
            raise ValueError("give exactly one of query and resource_ids")
        return self


@dataclass(frozen=True, slots=True)
class _Choice:
    """The tables to show, how the query matched, and the ids that nothing has."""

    tables: list[Chosen]
    total: int
    match: str | None = None
    missing: tuple[str, ...] = ()


async def execute(arguments: CatalogSchema, context: CallContext) -> Output:
    """The tables with their columns, keys and joins. Raises CallError `not_found` with near ids when no table is left,
    `source_unavailable` when no source can be asked."""
    sources = None if arguments.query is not None else sources_of(context, arguments.resource_ids)
    known = await catalogs(context, sources)
    return await asyncio.to_thread(_output, arguments, known)


def _output(arguments: CatalogSchema, known: Catalogs) -> Output:
    choice = _of_query(known, arguments.query) if arguments.query is not None else _of_ids(known, arguments)
    tables = [table_json(structure, table, len(choice.tables)) for structure, table in choice.tables]
    data: dict[str, Json] = {
        "tables": [*tables],
        "tables_total": choice.total,
        "missing": [{"id": name, "near": [*near_ids(known, name)]} for name in choice.missing],
        "freshness": [_freshness(one) for one in known.structures],
        "unavailable": known.unavailable,
    }
    if choice.match is not None:
        data["match"] = choice.match
    notes = [*masked_note(table for _, table in choice.tables)]
    if any("columns_total" in table for table in tables):
        notes.append(
            "Not all columns are shown where columns_total stands; catalog_search with kinds [column] finds more."
        )
    if arguments.include_relationships:
        data["join_paths"], more = _joins(choice.tables, arguments.max_join_depth)
        if more:
            notes.append(f"{more:,} more pairs of these tables are joined; ask for fewer tables at once.")
    count = len(tables)
    return Output(
        title=f"{count} {'table' if count == 1 else 'tables'}" if count else "no match",
        summary=f"Looked at the columns and keys of {count} {'table' if count == 1 else 'tables'}.",
        data=data,
        listing="tables",
        notes=tuple(notes),
        sources=known.refs,
    )


def _of_query(known: Catalogs, query: str) -> _Choice:
    ranked = search(known.structures, query)
    tables = dict[str, Chosen]()
    for hit in ranked[: DEFAULT.catalog_hits]:
        if hit.resource.table is not None and len(tables) < DEFAULT.catalog_tables_of_query:
            tables.setdefault(_key(hit.resource), (hit.resource.structure, hit.resource.table))
    match, _ = ranked.verdict(1)
    return _Choice([*tables.values()], len(tables), match)


def _of_ids(known: Catalogs, arguments: CatalogSchema) -> _Choice:
    tables, missing = dict[str, Chosen](), list[str]()
    failed = {source for source, _ in known.failures}
    for name in arguments.resource_ids:
        structure = known.of(source_of(name))
        resource = found(structure, name) if structure is not None else None
        if resource is None and source_of(name) not in failed:
            missing.append(name)
        elif resource is not None and resource.table is not None:
            tables.setdefault(_key(resource), (resource.structure, resource.table))
        elif resource is not None:
            every = resource.structure
            tables |= {_key(Resource(every, table)): (every, table) for table in every.tables}
    if missing and not tables:
        raise not_found(known, missing[0])
    return _Choice([*tables.values()][: DEFAULT.catalog_resources], len(tables), None, tuple(missing))


def _key(resource: Resource) -> str:
    return Resource(resource.structure, resource.table).id


def _joins(tables: Sequence[Chosen], depth: int) -> tuple[list[Json], int]:
    """The shortest joins between these tables, source by source, and how many more pairs there are."""
    found_paths = list[tuple[str, tuple[object, ...], Json]]()
    for structure in dict.fromkeys(one.source for one, _ in tables):
        own = [(one, table) for one, table in tables if one.source == structure]
        graph = own[0][0].derived(JoinGraph)
        for path in between(graph, [table.id for _, table in own], depth):
            found_paths.append((structure, (len(path), structure, path), path_json(structure, path)))
    found_paths.sort(key=lambda item: item[1])
    shown = [body for _, _, body in found_paths[: DEFAULT.catalog_join_paths]]
    return shown, len(found_paths) - len(shown)


def _freshness(structure: Structure) -> Json:
    return {
        "source": structure.source,
        "dialect": structure.dialect,
        "revision": structure.revision[:12],
        "rows": "counted" if structure.dialect == "duckdb" else "estimated",
    }


CAPABILITY = Capability(
    id="sources.catalog_schema",
    tool="catalog_schema",
    toolbox=Toolbox.SOURCES,
    pinned=True,
    summary="Show tables ready for SQL: columns, types, keys, row estimates, joins.",
    when="Before you write SQL for a source, with the tables that the question is about.",
    description=(
        "Shows tables by resource_ids or, with query, the best matches. For each: sql is its name for FROM, columns "
        "with type (not_null, masked, generated where they are, sql where the name must be quoted), keys, and "
        "rows_estimate. join_paths join each two of the tables by the shortest way over declared keys: on are pairs of "
        "equal columns, left then right; rows says how many rows of each side belong together (one_to_many repeats "
        f"the left side: aggregate first). {IDS}Tables of different sources can't be joined in SQL. The structure is "
        "as it is now; freshness names its revision. " + DATA_ONLY
    ),
    arguments=CatalogSchema,
    example={"resource_ids": ["shop/orders", "shop/customers"]},
    output_schema={
        "type": "object",
        "required": ["tables", "tables_total", "missing", "freshness", "unavailable"],
        "additionalProperties": False,
        "properties": {
            "match": {"enum": ["unique", "ambiguous", "none"]},
            "tables": {
                "type": "array",
                "maxItems": DEFAULT.catalog_resources,
                "items": {
                    "type": "object",
                    "required": ["id", "sql", "kind", "columns"],
                    "properties": {"id": {"type": "string"}, "sql": {"type": "string"}, "columns": dict(OBJECTS)},
                },
            },
            "tables_total": {"type": "integer", "minimum": 0},
            "join_paths": {**OBJECTS, "maxItems": DEFAULT.catalog_join_paths},
            "missing": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["id", "near"],
                    "additionalProperties": False,
                    "properties": {"id": {"type": "string"}, "near": dict(TEXTS)},
                },
            },
            "freshness": dict(OBJECTS),
            "unavailable": dict(OBJECTS),
        },
    },
    execute=execute,
    offered=has_database,
    any_source=True,
)
