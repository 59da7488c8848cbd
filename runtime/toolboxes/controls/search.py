"""toolbox_search: ranked hits over the frozen run catalog."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field
from rapidfuzz import fuzz

from runtime.capability import Access, Arguments, CallContext, Capability, CatalogEntry, Output, Toolbox
from runtime.evidence import Json
from runtime.limits import DEFAULT
from runtime.toolboxes.paging import binding, cursor, offset

_ENOUGH = 45.0  # below this a hit is filler: two unrelated English phrases reach about 40 in WRatio
_WORD = re.compile(r"[a-z0-9]+")


class ToolboxSearch(Arguments):
    """What to look for among the tools of this run."""

    query: Annotated[
        str,
        Field(description="A tool name or what you want to do.", min_length=1, max_length=DEFAULT.toolbox_query_chars),
    ]
    limit: Annotated[int, Field(description="How many hits to give.", ge=1, le=DEFAULT.toolbox_hits)] = (
        DEFAULT.toolbox_hits_default
    )
    cursor: Annotated[str | None, Field(description="next_cursor of an earlier answer to the same query.")] = None


async def execute(arguments: ToolboxSearch, context: CallContext) -> Output:
    """Hits in rank order: exact name first, then by likeness. Raises `cursor_invalid`."""
    bound = binding(context.catalog.digest, arguments.query)
    start = offset(arguments.cursor, bound, "run catalog")
    ranked = _ranked(arguments.query, context.catalog.entries)
    page = ranked[start : start + arguments.limit]
    end = start + len(page)
    hits: list[Json] = [_hit(entry, entry.pinned or entry.tool in context.loaded) for entry in page]
    return Output(
        title=f"{len(ranked)} hits" if ranked else "no match",
        summary=f"Looked for {arguments.query!r} among the tools of this run.",
        data={
            "match": "hits" if hits else "no_match",
            "hits": hits,
            "next_cursor": cursor(bound, end) if end < len(ranked) else None,
        },
        listing="hits",
    )


def _ranked(query: str, entries: tuple[CatalogEntry, ...]) -> list[CatalogEntry]:
    scored = [(score, entry) for entry in entries if (score := _score(query, entry)) >= _ENOUGH]
    scored.sort(key=lambda pair: (-pair[0], pair[1].tool))
    return [entry for _, entry in scored]


def _score(query: str, entry: CatalogEntry) -> float:
    wanted = query.strip().casefold()
    if wanted == entry.tool:
        return 1000.0
    words = set(_WORD.findall(wanted))
    text = f"{entry.tool.replace('_', ' ')} {entry.toolbox} {entry.summary} {entry.when}".casefold()
    shared = len(words & set(_WORD.findall(text)))
    likeness = max(fuzz.ratio(wanted, entry.tool), fuzz.token_set_ratio(wanted, entry.tool.replace("_", " ")))
    return max(likeness, 100.0 * shared / len(words) if words else 0.0)


def _hit(entry: CatalogEntry, loaded: bool) -> Json:
    return {
        "name": entry.tool,
        "toolbox": entry.toolbox,
        "summary": entry.summary,
        "when": entry.when,
        "loaded": loaded,
        "access": entry.access,
        "effect": entry.effect,
    }


CAPABILITY = Capability(
    id="controls.toolbox_search",
    tool="toolbox_search",
    toolbox=Toolbox.CONTROLS,
    pinned=True,
    summary="Find tools of this run that are not offered yet.",
    when="When no offered tool fits what you need.",
    description=(
        "Searches the tools of this run by name or purpose and says for each what it is for and whether it is loaded. "
        "Answers no_match rather than filler. Load what you need with toolbox_load."
    ),
    arguments=ToolboxSearch,
    example={"query": "query many files at once"},
    output_schema={
        "type": "object",
        "required": ["match", "hits", "next_cursor"],
        "additionalProperties": False,
        "properties": {
            "match": {"enum": ["hits", "no_match"]},
            "hits": {"type": "array", "maxItems": DEFAULT.toolbox_hits, "items": {"type": "object"}},
            "next_cursor": {"type": ["string", "null"]},
        },
    },
    execute=execute,
    access=Access.NONE,
)
