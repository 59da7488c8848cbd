"""toolbox_load: adds on-demand tools to the run, all of them or none."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from rapidfuzz import process

from runtime.capability import Access, Arguments, CallContext, Capability, Output, Toolbox
from runtime.errors import CallError
from runtime.limits import DEFAULT


class ToolboxLoad(Arguments):
    """Which tools to load."""

    tool_names: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=128)]],
        Field(
            description="Names of on-demand tools, each once.",
            min_length=1,
            max_length=DEFAULT.toolbox_load_names,
            json_schema_extra={"uniqueItems": True},
        ),
    ]


async def execute(arguments: ToolboxLoad, context: CallContext) -> Output:
    """Loads all names or none. Raises `toolbox_tool_not_available` (with near names), `toolbox_already_pinned` or
    `toolbox_limit_exceeded`. Loading what is loaded already changes nothing."""
    entries = {entry.tool: entry for entry in context.catalog.entries}
    names = arguments.tool_names
    for name in names:
        if name not in entries:
            raise _unknown(name, [tool for tool, entry in entries.items() if not entry.pinned])
    if pinned := [name for name in names if entries[name].pinned]:
        raise CallError(
            "toolbox_already_pinned",
            f"{', '.join(pinned)} {'is' if len(pinned) == 1 else 'are'} offered already.",
            hint="Nothing was loaded. Call it directly, and load the others without it.",
            retryable=True,
        )
    after = context.loaded | set(names)
    if len(after) > context.limits.toolbox_loaded:
        raise CallError(
            "toolbox_limit_exceeded",
            f"A run holds at most {context.limits.toolbox_loaded} loaded tools; this would make {len(after)}.",
            hint="Nothing was loaded. Load only what the next steps need.",
        )
    return Output(
        title=f"{len(names)} loaded",
        summary=f"Loaded {', '.join(names)}.",
        data={"loaded": [*names]},
        loaded=tuple(names),
    )


def _unknown(name: str, known: list[str]) -> CallError:
    near = [match[0] for match in process.extract(name, known, limit=3, score_cutoff=50)]
    return CallError(
        "toolbox_tool_not_available",
        f"There is no tool {name!r} to load in this run.",
        hint="Nothing was loaded. " + (f"Did you mean {', '.join(near)}?" if near else "Use toolbox_search."),
        retryable=bool(near),
        details={"near": near},
    )


CAPABILITY = Capability(
    id="controls.toolbox_load",
    tool="toolbox_load",
    toolbox=Toolbox.CONTROLS,
    pinned=True,
    summary="Load tools found by toolbox_search.",
    when="Before the first use of a tool that is not offered yet.",
    description=(
        "Adds on-demand tools to this run, all of the names or none. They can be used from your next step on. "
        "Tools that are offered already need no loading."
    ),
    arguments=ToolboxLoad,
    example={"tool_names": ["file_query"]},
    output_schema={
        "type": "object",
        "required": ["loaded"],
        "additionalProperties": False,
        "properties": {"loaded": {"type": "array", "items": {"type": "string"}}},
    },
    execute=execute,
    access=Access.NONE,
)
