"""The part of `footnote check` about remote servers: what each offers now, with the digests that admit it."""

from __future__ import annotations

from bot.commands.finding import Finding
from bot.sources import open_remote
from runtime.admission.manifest import McpSource
from runtime.clock import SystemClock
from runtime.engines.mcp import Listing, Offer, RemoteServer
from runtime.engines.mcp.safe_schema import plain
from runtime.errors import CallError
from runtime.limits import Limits

_NAME_CHARS = 80


async def check_remote(source: McpSource, limits: Limits) -> Finding:
    """Whether the server answers, which of its admitted tools are what was admitted, and every tool's digest."""
    server = open_remote(source, limits, SystemClock())
    try:
        listing = await server.listing()
    except CallError as error:
        return Finding(source.id, "fail", error.message)
    finally:
        await server.close()
    return _standing(server, listing)


def _standing(server: RemoteServer, listing: Listing) -> Finding:
    server.settle(listing)
    admitted = server.tools
    usable = sum(tool.offered for tool in admitted.values())
    name = " ".join(filter(None, (_shown(listing.server["name"]), _shown(listing.server["version"]))))
    lines = [
        f"mcp: {name or 'a server without a name'}; {usable} of {len(admitted)} admitted tools can be used",
        *(f"  {name}: {tool.reason}" for name, tool in admitted.items() if not tool.offered),
        "  offered now (a line of its `tools` admits one):",
        *map(_line, listing.offers()),
        *(f"    {_shown(name)}: listed more than once, so it can't be admitted" for name in sorted(listing.repeated)),
    ]
    state = "fail" if usable < len(admitted) else "ok" if admitted else "warn"
    return Finding(server.source.id, state, "\n".join(lines))


def _line(offer: Offer) -> str:
    writes = "  # its server says that it does more than read" if offer.says_it_writes else ""
    return f'    {plain(str(offer.tool["name"]), _NAME_CHARS)}: "{offer.digest}"{writes}'


def _shown(name: str) -> str:
    """A name that a server chose, fit for a terminal."""
    return plain(name, _NAME_CHARS)
