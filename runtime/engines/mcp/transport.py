"""HTTP to one pinned endpoint: no redirects, no compression, no listening, and every byte counted while it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx2

from runtime.engines.mcp.addresses import AddressRefused, addresses_of
from runtime.limits import Limits

_GOODBYE_SECONDS = 2
_FAREWELL = "DELETE"
_PORTS = {"https": 443, "http": 80}


@dataclass(slots=True)
class Allowance:
    """What one conversation with a server may still use, and why it was ended."""

    requests: int
    bytes_each: int
    bytes_sent: int
    ended: str = ""
    over: bool = False

    @classmethod
    def of(cls, limits: Limits) -> Allowance:
        """A whole allowance."""
        return cls(limits.mcp_http_requests, limits.mcp_response_bytes, limits.mcp_request_bytes)

    def end(self, reason: str) -> httpx2.TransportError:
        """Ends the conversation for a reason; the first one stays, and what comes once it is over is no reason."""
        if not self.over:
            self.ended = self.ended or reason
        return httpx2.TransportError(reason)


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Stands between the MCP client and the network; `inner` is shared by conversations and closed by its owner."""

    def __init__(self, url: str, inner: httpx2.AsyncBaseTransport, allowance: Allowance) -> None:
        self._url, self._inner, self._allowance = httpx2.URL(url), inner, allowance

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One exchange. Raises TransportError for whatever is not allowed, naming the reason in the allowance."""
        if request.url != self._url:
            raise self._allowance.end("the request left the pinned endpoint")
        if request.method == "GET":  # the server's own stream, or a broken answer's rest: we neither listen nor resume
            return httpx2.Response(405, request=request)
        if request.method == _FAREWELL:
            async with asyncio.timeout(_GOODBYE_SECONDS):  # also behind a cancelled call, so it may not hang
                return await self._send(request)
        return await self._post(request)

    async def _post(self, request: httpx2.Request) -> httpx2.Response:
        allowance = self._allowance
        if allowance.over:
            raise allowance.end("the conversation is over")
        if allowance.requests == 0:
            raise allowance.end("it needs too many requests for one call")
        allowance.requests -= 1
        if len(await request.aread()) > allowance.bytes_sent:
            raise allowance.end(f"the request is larger than {allowance.bytes_sent:,} bytes")
        return await self._send(request)

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._connected(request)
        if refused := _refused(response):
            await response.aclose()
            raise self._allowance.end(refused)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        counted = _Counted(response.stream, self._allowance)
        return httpx2.Response(response.status_code, headers=response.headers, stream=counted, request=request)

    async def _connected(self, request: httpx2.Request) -> httpx2.Response:
        """The answer from the first of the checked addresses that takes a connection."""
        url = request.url
        try:
            addresses = await addresses_of(url.host, url.port or _PORTS[url.scheme])
        except AddressRefused as error:
            raise self._allowance.end(str(error)) from error
        for address in addresses[:-1]:
            try:
                return await self._inner.handle_async_request(_addressed(request, address))
            except httpx2.ConnectError:
                continue
        return await self._inner.handle_async_request(_addressed(request, addresses[-1]))


class _Counted(httpx2.AsyncByteStream):
    """An answer's bytes, until there are too many."""

    def __init__(self, stream: httpx2.AsyncByteStream, allowance: Allowance) -> None:
        self._stream, self._allowance = stream, allowance

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._allowance.bytes_each
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise self._allowance.end(f"its answer is larger than {self._allowance.bytes_each:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def _addressed(request: httpx2.Request, address: str) -> httpx2.Request:
    """The request to a checked address; the name stays in the Host header and in the certificate's check."""
    headers = request.headers.copy()
    headers["accept-encoding"] = "identity"
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.host},
    )


def _refused(response: httpx2.Response) -> str:
    """Why an answer isn't read at all, or ''."""
    if 300 <= response.status_code < 400:
        return "it redirects elsewhere, which is not followed"
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        return "its answer is compressed, which was not asked for"
    return ""
