"""catalog_traverse: the ways from some tables to others over declared keys."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from runtime.capability import Arguments, CallContext, Capability, Output, Toolbox
from runtime.catalog.paths import Cut, Found, JoinGraph, Path, shortest_paths
from runtime.catalog.resources import Resource
from runtime.evidence import Json
from runtime.limits import DEFAULT
from runtime.toolboxes.sources.catalog_sources import Catalogs, catalogs, resource, sources_of
from runtime.toolboxes.sources.catalog_view import DATA_ONLY, IDS, OBJECTS, path_json
from runtime.toolboxes.sources.database_scope import has_database

_ID_CHARS = 400

End = Annotated[str, Field(min_length=1, max_length=_ID_CHARS)]


class CatalogTraverse(Arguments):
    """From where to where, how far, and how many ways."""

    from_ids: Annotated[
        list[End],
        Field(description="Ids of tables to start from.", min_length=1, max_length=DEFAULT.catalog_ends),
    ]
    to_ids: Annotated[
        list[End], Field(description="Ids of tables to reach.", min_length=1, max_length=DEFAULT.catalog_ends)
    ]
    max_depth: Annotated[int, Field(description="How many joins a path may have.", ge=1, le=DEFAULT.catalog_depth)] = (
        DEFAULT.catalog_path_depth_default
    )
    paths: Annotated[int, Field(description="How many paths to give.", ge=1, le=DEFAULT.catalog_paths)] = (
        DEFAULT.catalog_paths_default
    )


async def execute(arguments: CatalogTraverse, context: CallContext) -> Output:
    """The shortest simple paths, in a fixed order. Raises CallError `not_found` with near ids, `source_unavailable`."""
    names = [*arguments.from_ids, *arguments.to_ids]
    known = await catalogs(context, sources_of(context, names))
    starts, ends = _tables(known, arguments.from_ids), _tables(known, arguments.to_ids)
    return await asyncio.to_thread(_output, arguments, known, starts, ends)


def _output(
    arguments: CatalogTraverse, known: Catalogs, starts: Sequence[Resource], ends: Sequence[Resource]
) -> Output:
    found_paths, pairs = list[tuple[int, str, Path]](), list[Json]()
    for start, end in [(start, end) for start in starts for end in ends]:
        found, reason = _between(start, end, arguments)
        found_paths += [(len(path), start.structure.source, path) for path in found.paths]
        pairs.append({"from": start.id, "to": end.id, "found": len(found.paths), "shortest": found.shortest, **reason})
    found_paths.sort()
    shown = found_paths[: arguments.paths]
    left_out = len(found_paths) - len(shown)
    return Output(
        title=f"{len(shown)} {'path' if len(shown) == 1 else 'paths'}" if shown else "no path",
        summary=f"Looked for joins from {', '.join(arguments.from_ids)} to {', '.join(arguments.to_ids)}.",
        data={"paths": [path_json(source, path) for _, source, path in shown], "pairs": pairs},
        listing="pairs",
        notes=(f"{left_out} longer paths were found and left out: paths is {arguments.paths}.",) if left_out else (),
        sources=known.refs,
    )


def _tables(known: Catalogs, names: Sequence[str]) -> list[Resource]:
    """The tables of these ids; a column stands for its table. A source has no way to anywhere."""
    tables = dict[str, Resource]()
    for name in names:
        found = resource(known, name)
        whole = Resource(found.structure, found.table)
        tables.setdefault(whole.id, whole)
    return [*tables.values()]


def _between(start: Resource, end: Resource, arguments: CatalogTraverse) -> tuple[Found, dict[str, Json]]:
    """The paths of one pair, with the exact reason when there are none or more."""
    if start.table is None or end.table is None:
        return Found((), None), {"reason": "a source is no table: name tables"}
    if start.structure.source != end.structure.source:
        return Found((), None), {"reason": "tables of different sources are never joined by keys"}
    if start.table.id == end.table.id:
        return Found((), 0), {"reason": "both are the same table"}
    graph = start.structure.derived(JoinGraph)
    found = shortest_paths(
        graph,
        start.table.id,
        end.table.id,
        depth=arguments.max_depth,
        paths=arguments.paths,
        steps=DEFAULT.catalog_path_steps,
    )
    return found, _reason(found, arguments)


def _reason(found: Found, arguments: CatalogTraverse) -> dict[str, Json]:
    if found.shortest is None:
        return {"reason": "no declared keys join them at any depth"}
    if found.cut is None:
        return {}
    reasons = {
        Cut.PATHS: f"more paths exist than paths = {arguments.paths}",
        Cut.DEPTH: f"paths longer than max_depth = {arguments.max_depth} exist; the shortest has {found.shortest}",
        Cut.STEPS: f"the search ended after {DEFAULT.catalog_path_steps:,} joins; there may be more paths",
    }
    return {"cut": found.cut.value, "reason": reasons[found.cut]}


CAPABILITY = Capability(
    id="sources.catalog_traverse",
    tool="catalog_traverse",
    toolbox=Toolbox.SOURCES,
    pinned=False,
    summary="Find how tables are joined: the shortest paths over declared keys.",
    when="When catalog_schema shows no join between two tables, or there may be several ways.",
    description=(
        "Gives the shortest ways without detours from tables to tables of the same source over declared keys, shortest "
        "first, always in the same order. Of each join, on are pairs of equal columns, left then right, and rows says "
        "how many rows of each side belong together (one_to_many repeats the left side). pairs says for each two "
        f"tables how many paths were found, how long the shortest is, and exactly why there are none or more. {IDS}"
        + DATA_ONLY
    ),
    arguments=CatalogTraverse,
    example={"from_ids": ["shop/orders"], "to_ids": ["shop/regions"], "max_depth": 4},
    output_schema={
        "type": "object",
        "required": ["paths", "pairs"],
        "additionalProperties": False,
        "properties": {
            "paths": {**OBJECTS, "maxItems": DEFAULT.catalog_paths},
            "pairs": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["from", "to", "found", "shortest"],
                    "additionalProperties": False,
                    "properties": {
                        "from": {"type": "string"},
                        "to": {"type": "string"},
                        "found": {"type": "integer", "minimum": 0},
                        "shortest": {"type": ["integer", "null"]},
                        "cut": {"enum": [cut.value for cut in Cut]},
                        "reason": {"type": "string"},
                    },
                },
            },
        },
    },
    execute=execute,
    offered=has_database,
    any_source=True,
)
