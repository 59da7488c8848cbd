"""Remote tools over MCP: admitted by name, pinned by digest, bounded, and never trusted.

Importing this loads no MCP package; the first look at a server does.
"""

from runtime.engines.mcp.offer import Listing, Offer
from runtime.engines.mcp.result import RemoteResult
from runtime.engines.mcp.server import Changed, RemoteServer
from runtime.engines.mcp.tool import RemoteTool

__all__ = ["Changed", "Listing", "Offer", "RemoteResult", "RemoteServer", "RemoteTool"]
