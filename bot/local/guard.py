"""Keeps other web pages out: only own host names, only own origins, never a cross-site request."""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})


def host_guard(allowed_hosts: frozenset[str] = LOOPBACK_NAMES) -> Middleware:
    """A middleware against DNS rebinding (foreign `Host`) and cross-site requests (foreign `Origin`)."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if _host_name(request.host) not in allowed_hosts:
            return web.Response(status=421, text="this server answers to its own host name only")
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"http://{request.host}":
            return web.Response(status=403, text="requests from other origins are refused")
        if request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return web.Response(status=403, text="requests from other sites are refused")
        return await handler(request)

    return guard


def _host_name(host: str) -> str:
    name, separator, port = host.rpartition(":")
    return name if separator and port.isdigit() else host
