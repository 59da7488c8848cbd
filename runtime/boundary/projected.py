"""Stage 1: is this tool part of the run, and loaded?"""

from __future__ import annotations

from dataclasses import replace

from runtime.boundary.call import InFlight
from runtime.errors import CallError


async def projected(flight: InFlight) -> InFlight:
    """Finds the capability. Raises `tool_not_available` for an unknown or unloaded name, `budget_exceeded` when the
    step or the run has no calls left."""
    if flight.over_budget is not None:
        raise flight.over_budget
    name = flight.call.tool
    catalog = flight.environment.catalog
    capability = catalog.capability(name)
    if capability is None:
        near = catalog.near(name)
        hint = f"Did you mean {', '.join(near)}?" if near else "Use toolbox_search to see what this run offers."
        raise CallError("tool_not_available", f"There is no tool {name!r} in this run.", hint=hint)
    if not capability.pinned and name not in flight.loaded:
        raise CallError(
            "tool_not_available",
            f"{name} has not been loaded in this run.",
            hint=f'Call toolbox_load with tool_names ["{name}"] first; it can be used from the next step on.',
            retryable=True,
        )
    return replace(flight, capability=capability)
