"""The transport to one endpoint: where it connects, what it lets out, what it lets in."""

from __future__ import annotations

import asyncio
import json
import socket

import httpx2
import pytest

from runtime.engines.mcp.transport import Allowance, BoundedTransport
from runtime.limits import DEFAULT

URL = "https://mcp.example.com/mcp?team=4"


class Wire(httpx2.AsyncBaseTransport):
    """Answers everything alike and remembers what came."""

    def __init__(self, answer: httpx2.Response | None = None, *, deaf: tuple[str, ...] = ()) -> None:
        self.answer, self.deaf, self.sent = answer, deaf, list[httpx2.Request]()

    async def handle_async_request(self, request):
        self.sent.append(request)
        if request.url.host in self.deaf:
            raise httpx2.ConnectError("refused")
        return self.answer or httpx2.Response(200, json={})


@pytest.fixture(autouse=True)
def resolver(monkeypatch):
    async def getaddrinfo(host, port, **_):
        addresses = {"mcp.example.com": ("2606:2800:220:1::1", "93.184.216.34"), "inside.example.com": ("10.0.0.8",)}
        return [(socket.AF_INET, 1, 6, "", (one, port)) for one in addresses[host]]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", lambda self, *a, **k: getaddrinfo(*a, **k))


def client(wire: Wire, allowance: Allowance | None = None, url: str = URL) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=BoundedTransport(url, wire, allowance or Allowance.of(DEFAULT)))


async def test_it_connects_to_the_checked_address_and_keeps_the_name_for_host_and_certificate():
    wire = Wire(deaf=("2606:2800:220:1::1",))
    await client(wire).post(URL, json={"a": 1})
    assert [request.url.host for request in wire.sent] == ["2606:2800:220:1::1", "93.184.216.34"]
    sent = wire.sent[-1]
    assert sent.headers["host"] == "mcp.example.com" and sent.extensions["sni_hostname"] == "mcp.example.com"
    assert sent.headers["accept-encoding"] == "identity" and sent.url.query == b"team=4"
    assert json.loads(await sent.aread()) == {"a": 1}


@pytest.mark.parametrize("other", ["https://mcp.example.com/other", "https://attacker.example/mcp", URL + "5"])
async def test_it_leaves_the_pinned_endpoint_for_nothing(other):
    wire, allowance = Wire(), Allowance.of(DEFAULT)
    with pytest.raises(httpx2.TransportError):
        await client(wire, allowance).post(other)
    assert wire.sent == [] and "pinned endpoint" in allowance.ended


async def test_a_name_inside_the_network_is_not_called():
    wire, allowance, url = Wire(), Allowance.of(DEFAULT), "https://inside.example.com/mcp"
    with pytest.raises(httpx2.TransportError):
        await client(wire, allowance, url).post(url)
    assert wire.sent == [] and "private network" in allowance.ended


async def test_it_never_listens():
    wire = Wire()
    assert (await client(wire).get(URL)).status_code == 405
    assert wire.sent == []


async def test_a_request_over_its_bound_is_not_sent():
    wire, allowance = Wire(), Allowance.of(DEFAULT)
    with pytest.raises(httpx2.TransportError):
        await client(wire, allowance).post(URL, content=b"x" * (DEFAULT.mcp_request_bytes + 1))
    assert wire.sent == [] and "262,144 bytes" in allowance.ended
    await client(wire).post(URL, content=b"x" * DEFAULT.mcp_request_bytes)


async def test_requests_are_counted_and_end_with_the_conversation():
    wire, allowance = Wire(), Allowance.of(DEFAULT.override({"mcp_http_requests": 2}))
    http = client(wire, allowance)
    await http.post(URL)
    await http.post(URL)
    with pytest.raises(httpx2.TransportError):
        await http.post(URL)
    allowance.over = True
    await http.delete(URL)
    assert [request.method for request in wire.sent] == ["POST", "POST", "DELETE"]
    assert allowance.ended == "it needs too many requests for one call"


async def test_what_is_sent_once_the_conversation_is_over_is_no_reason_for_its_end():
    wire, allowance = Wire(), Allowance.of(DEFAULT)
    allowance.over = True
    with pytest.raises(httpx2.TransportError):
        await client(wire, allowance).post(URL)
    assert wire.sent == [] and allowance.ended == ""


@pytest.mark.parametrize("size", [DEFAULT.mcp_response_bytes, DEFAULT.mcp_response_bytes + 1])
async def test_an_answer_may_have_as_many_bytes_as_its_bound(size):
    async def body():
        left = size
        while left:
            yield b"x" * min(left, 60_000)
            left -= min(left, 60_000)

    http, allowed = client(Wire(httpx2.Response(200, content=body()))), size <= DEFAULT.mcp_response_bytes
    if allowed:
        assert len((await http.post(URL)).content) == size
    else:
        with pytest.raises(httpx2.TransportError):
            await http.post(URL)
