"""catalog_search: which tables and columns of the open sources a few words mean."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from pydantic import Field

from runtime.capability import Arguments, CallContext, Capability, Output, Toolbox
from runtime.catalog import TableKind
from runtime.catalog.ranking import Ranked, search
from runtime.catalog.resources import Resource
from runtime.limits import DEFAULT
from runtime.toolboxes.paging import binding, cursor, offset
from runtime.toolboxes.sources.catalog_sources import Catalogs, catalogs
from runtime.toolboxes.sources.catalog_view import DATA_ONLY, IDS, OBJECTS, TEXTS, hit_json
from runtime.toolboxes.sources.database_scope import has_database

_SOURCE_CHARS = 63
_VIEWS = (TableKind.VIEW.value, TableKind.MATERIALIZED_VIEW.value)

Kind = Literal["source", "table", "view", "column"]


class CatalogSearch(Arguments):
    """What to look for, and where."""

    query: Annotated[
        str,
        Field(description="A name, an id, or a few words.", min_length=1, max_length=DEFAULT.catalog_query_chars),
    ]
    source_id: Annotated[
        str | None, Field(description="Only in this source; in all when left out.", max_length=_SOURCE_CHARS)
    ] = None
    kinds: Annotated[
        list[Kind], Field(description="Only resources of these kinds.", max_length=4, default_factory=list[Kind])
    ]
    limit: Annotated[int, Field(description="How many hits to give.", ge=1, le=DEFAULT.catalog_hits)] = (
        DEFAULT.catalog_hits_default
    )
    cursor: Annotated[str | None, Field(description="next_cursor of an earlier answer to the same query.")] = None


async def execute(arguments: CatalogSearch, context: CallContext) -> Output:
    """One page of hits, best first. Raises CallError `cursor_invalid` when the query or a structure is another one,
    `not_found` for a source that isn't open, `source_unavailable` when no source can be asked."""
    known = await catalogs(context, None if arguments.source_id is None else [arguments.source_id])
    bound = _bound_to(arguments, known)
    start = offset(arguments.cursor, bound, "state of the sources")
    ranked = await asyncio.to_thread(_ranked, arguments, known)
    match, candidates = ranked.verdict(DEFAULT.catalog_candidates)
    page = ranked[start : start + arguments.limit]
    end = start + len(page)
    total = len(ranked)
    searched = [one.source for one in known.structures]
    return Output(
        title=f"{total:,} {'hit' if total == 1 else 'hits'}" if total else "no match",
        summary=f"Looked for {arguments.query!r} in the catalog of {', '.join(searched)}.",
        data={
            "match": match,
            "candidates": [hit.resource.id for hit in candidates],
            "hits": [hit_json(hit) for hit in page],
            "total": total,
            "next_cursor": cursor(bound, end) if end < total else None,
            "searched": [*searched],
            "unavailable": known.unavailable,
        },
        listing="hits",
        sources=known.refs,
    )


def _ranked(arguments: CatalogSearch, known: Catalogs) -> Ranked:
    if not arguments.kinds:
        return search(known.structures, arguments.query)
    return search(known.structures, arguments.query, lambda resource: _kind(resource) in arguments.kinds)


def _kind(resource: Resource) -> str:
    """Its kind as `kinds` says it: partitioned and foreign tables are tables, materialized views are views."""
    if resource.table is None or resource.column is not None:
        return resource.kind
    return "view" if resource.kind in _VIEWS else "table"


def _bound_to(arguments: CatalogSearch, known: Catalogs) -> str:
    return binding(
        arguments.query,
        ",".join(sorted(arguments.kinds)),
        *(f"{one.source}={one.revision}" for one in known.structures),
    )


CAPABILITY = Capability(
    id="sources.catalog_search",
    tool="catalog_search",
    toolbox=Toolbox.SOURCES,
    pinned=True,
    summary="Find tables and columns of the open sources by name or words.",
    when="When you don't know which source, table or column holds what is asked for.",
    description=(
        "Searches names and comments of the tables, views and columns of the open databases, and of the workspace's "
        "tables. Exact names come first, then the same words, then near spellings. match says whether the words mean "
        "one resource (unique), several equally well (ambiguous: ask which of the candidates is meant, or look at "
        f"them), or none. {IDS}A source that can't be reached stands in unavailable. rows_estimate of a database is "
        "an estimate: count to be exact. " + DATA_ONLY
    ),
    arguments=CatalogSearch,
    example={"query": "customer email", "kinds": ["column"]},
    output_schema={
        "type": "object",
        "required": ["match", "candidates", "hits", "total", "next_cursor", "searched", "unavailable"],
        "additionalProperties": False,
        "properties": {
            "match": {"enum": ["unique", "ambiguous", "none"]},
            "candidates": {**TEXTS, "maxItems": DEFAULT.catalog_candidates},
            "hits": {
                "type": "array",
                "maxItems": DEFAULT.catalog_hits,
                "items": {
                    "type": "object",
                    "required": ["id", "kind", "why"],
                    "additionalProperties": False,
                    "properties": {
                        "id": {"type": "string"},
                        "kind": {"enum": ["source", *(kind.value for kind in TableKind), "column"]},
                        "why": {"type": "string"},
                        "tables": {"type": "integer", "minimum": 0},
                        "rows_estimate": {"type": "integer", "minimum": 0},
                        "type": {"type": "string"},
                        "not_null": {"const": True},
                        "generated": {"const": True},
                        "masked": {"const": True},
                        "comment": {"type": "string"},
                    },
                },
            },
            "total": {"type": "integer", "minimum": 0},
            "next_cursor": {"type": ["string", "null"]},
            "searched": dict(TEXTS),
            "unavailable": dict(OBJECTS),
        },
    },
    execute=execute,
    offered=has_database,
    any_source=True,
)
