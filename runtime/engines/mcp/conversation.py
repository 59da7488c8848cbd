"""One conversation with a remote server: greeting, its list of tools, and at most one call. Loads the MCP package."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import httpx2
import structlog
from mcp import Client, ClientSession, MCPError
from mcp import types as protocol
from mcp.client.streamable_http import streamable_http_client
from pydantic import TypeAdapter

from runtime.engines.mcp.offer import Listing
from runtime.engines.mcp.result import THEIR_WORDS
from runtime.engines.mcp.transport import Allowance, BoundedTransport
from runtime.errors import CallError
from runtime.limits import Limits

log = structlog.get_logger(__name__)
logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)  # its messages quote what servers send

_RAW: Any = TypeAdapter(dict[str, Any])  # results as they came, instead of as models of the package
_SELF = protocol.Implementation(name="footnote", version="1")

Wanted = tuple[str, Mapping[str, Any]]
"""The call to make: the tool's name at its server, and the arguments."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of a conversation: the list, and the raw result of the call if one was made."""

    listing: Listing
    result: Mapping[str, Any] | None


class Network:
    """The connections of this process to one endpoint."""

    def __init__(self, url: str, token: str | None, limits: Limits) -> None:
        self._url, self._limits = url, limits
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._inner = httpx2.AsyncHTTPTransport(verify=url.startswith("https:"), trust_env=False, retries=0)

    async def converse(self, choose: Callable[[Listing], Wanted | None]) -> Heard:
        """Lists the server's tools, asks `choose` what to call, and calls it; the caller keeps the time. Raises
        CallError: what `choose` raises, `source_unavailable` with the reason, `remote_failed` for an error that the
        server tells of the call."""
        allowance = Allowance.of(self._limits)
        try:
            async with self._session(allowance) as session:
                return await _talk(session, choose, self._limits)
        except Exception as error:
            # a server can make the package raise anything; its traceback may quote the server, so only for debugging
            log.debug("remote conversation ended", reason=allowance.ended, exc_info=error)
            raise _told(error, allowance) from error
        finally:
            allowance.over = True

    @asynccontextmanager
    async def _session(self, allowance: Allowance) -> AsyncGenerator[ClientSession]:
        """A greeted session that offers the server no roots, no sampling and no elicitation."""
        transport = BoundedTransport(self._url, self._inner, allowance)
        # no time of its own: who converses keeps it, and of two clocks with one bound either may strike first
        async with httpx2.AsyncClient(
            transport=transport, timeout=None, headers=self._headers, trust_env=False, follow_redirects=False
        ) as http:
            wire = streamable_http_client(
                self._url, http_client=http, max_sse_event_size=self._limits.mcp_response_bytes
            )
            async with Client(wire, client_info=_SELF, cache=None) as client:
                try:
                    yield client.session
                finally:
                    allowance.over = True

    async def close(self) -> None:
        """Closes the connections."""
        await self._inner.aclose()


async def _talk(session: ClientSession, choose: Callable[[Listing], Wanted | None], limits: Limits) -> Heard:
    listing = await _listing(session, limits)
    wanted = choose(listing)
    if wanted is None:
        return Heard(listing, None)
    name, arguments = wanted
    call = protocol.CallToolRequest(params=protocol.CallToolRequestParams(name=name, arguments=dict(arguments)))
    try:
        result: dict[str, Any] = await session.send_request(call, _RAW)
    except MCPError as error:
        if error.code in (protocol.CONNECTION_CLOSED, protocol.PARSE_ERROR, protocol.REQUEST_TIMEOUT):
            raise
        raise CallError("remote_failed", error.message[: limits.mcp_error_chars], hint=THEIR_WORDS) from error
    return Heard(listing, result)


async def _listing(session: ClientSession, limits: Limits) -> Listing:
    """All pages, raw: digests are made from what the server sent, not from what a library makes of it."""
    tools: list[Mapping[str, Any]] = []
    cursor: str | None = None
    while True:
        asked = protocol.ListToolsRequest(params=protocol.PaginatedRequestParams(cursor=cursor))
        page: dict[str, Any] = await session.send_request(asked, _RAW)
        tools += cast(list[Mapping[str, Any]], page["tools"])
        cursor = page.get("nextCursor")
        if len(tools) > limits.mcp_tools:
            raise CallError("source_unavailable", f"The server lists more than {limits.mcp_tools:,} tools.")
        if not cursor:
            break
    known = session.server_info
    return Listing(
        {"name": known.name, "version": known.version} if known else {"name": "", "version": ""}, tuple(tools)
    )


def _told(error: BaseException, allowance: Allowance) -> CallError:
    """The error in our words. What a server or a library says of a broken conversation isn't passed on."""
    own = next((leaf for leaf in _leaves(error) if isinstance(leaf, CallError)), None)
    if own is not None:
        return own
    if allowance.ended:
        reason = allowance.ended
    elif any(isinstance(leaf, httpx2.TransportError) for leaf in _leaves(error)):
        reason = "it can't be reached"
    else:
        reason = "it does not answer as an MCP server must"
    return CallError(
        "source_unavailable",
        f"The remote server can't be used now: {reason}.",
        hint="Say so; other sources still work.",
        retryable=not allowance.ended,
    )


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in cast(BaseExceptionGroup[BaseException], error).exceptions:
            yield from _leaves(part)
    else:
        yield error
