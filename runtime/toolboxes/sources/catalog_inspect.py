"""catalog_inspect: everything that the catalog knows of one source, table or column."""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import Field

from runtime.capability import Arguments, CallContext, Capability, Output, Toolbox
from runtime.catalog import CatalogColumn, CatalogTable, Structure
from runtime.catalog.paths import Join, JoinGraph
from runtime.catalog.resources import Resource, table_id
from runtime.evidence import Json
from runtime.limits import DEFAULT
from runtime.toolboxes.sources.catalog_sources import catalogs, resource, sources_of
from runtime.toolboxes.sources.catalog_view import (
    DATA_ONLY,
    IDS,
    OBJECTS,
    column_json,
    join_json,
    masked_note,
    table_facts,
    table_json,
)
from runtime.toolboxes.sources.database_scope import has_database

_ID_CHARS = 400


class CatalogInspect(Arguments):
    """Which resource."""

    resource_id: Annotated[
        str, Field(description="The id of a source, table or column.", min_length=1, max_length=_ID_CHARS)
    ]


async def execute(arguments: CatalogInspect, context: CallContext) -> Output:
    """All facets of one resource. Raises CallError `not_found` with near ids, `source_unavailable`."""
    known = await catalogs(context, sources_of(context, [arguments.resource_id]))
    found = resource(known, arguments.resource_id)
    data = await asyncio.to_thread(_facets, found)
    return Output(
        title=found.id,
        summary=f"Looked at the {found.kind.replace('_', ' ')} {found.id}.",
        data=data,
        listing="tables" if found.table is None else "relationships",
        notes=masked_note([found.table] if found.table is not None else []),
        sources=known.refs,
    )


def _facets(found: Resource) -> dict[str, Json]:
    if found.table is None:
        return _source_facets(found.structure)
    joins = found.structure.derived(JoinGraph).steps(found.table.id)
    if found.column is None:
        body = table_json(found.structure, found.table)
        views = _views_over(found.structure, found.table)
        body |= {"read_by": views} if views else {}
    else:
        body = _column_facets(found.structure, found.table, found.column)
        joins = tuple(join for join in joins if any(left == found.column.name for left, _ in join.pairs))
    return {"resource": {**body, "id": found.id, "kind": found.kind}, **_related(found.structure.source, joins)}


def _source_facets(structure: Structure) -> dict[str, Json]:
    shown = structure.tables[: DEFAULT.catalog_relationships]
    return {
        "resource": {
            "id": structure.source,
            "kind": "source",
            "dialect": structure.dialect,
            "revision": structure.revision[:12],
        },
        "tables": [
            {"id": table_id(structure, table), "kind": table.kind.value, **table_facts(table)} for table in shown
        ],
        "tables_total": len(structure.tables),
    }


def _column_facets(structure: Structure, table: CatalogTable, column: CatalogColumn) -> dict[str, Json]:
    return {
        "table": table_id(structure, table),
        **column_json(column),
        "in_primary_key": column.name in table.primary_key,
        "unique_together": [[*key] for key in table.unique if column.name in key],
    }


def _views_over(structure: Structure, table: CatalogTable) -> list[Json]:
    views = (table_id(structure, view) for view in structure.tables if table.id in view.reads)
    return [name for name, _ in zip(views, range(DEFAULT.catalog_relationships), strict=False)]


def _related(source: str, joins: tuple[Join, ...]) -> dict[str, Json]:
    shown = joins[: DEFAULT.catalog_relationships]
    return {
        "relationships": [join_json(source, join) for join in shown],
        "relationships_total": len(joins),
    }


CAPABILITY = Capability(
    id="sources.catalog_inspect",
    tool="catalog_inspect",
    toolbox=Toolbox.SOURCES,
    pinned=True,
    summary="Show everything the catalog knows of one source, table or column.",
    when="To list a source's tables, or when a table or column needs a closer look.",
    description=(
        "Shows one resource whole. A source: its dialect and its tables. A table: columns, keys, the views over it, "
        "and all declared keys from and to it. A column: type, comment, and the keys that it is part of. In "
        "relationships, on are pairs of equal columns and rows says how many rows of each side belong together. "
        f"{IDS}" + DATA_ONLY
    ),
    arguments=CatalogInspect,
    example={"resource_id": "shop/orders"},
    output_schema={
        "type": "object",
        "required": ["resource"],
        "additionalProperties": False,
        "properties": {
            "resource": {
                "type": "object",
                "required": ["id", "kind"],
                "properties": {"id": {"type": "string"}, "kind": {"type": "string"}},
            },
            "relationships": {**OBJECTS, "maxItems": DEFAULT.catalog_relationships},
            "relationships_total": {"type": "integer", "minimum": 0},
            "tables": {**OBJECTS, "maxItems": DEFAULT.catalog_relationships},
            "tables_total": {"type": "integer", "minimum": 0},
        },
    },
    execute=execute,
    offered=has_database,
    any_source=True,
)
