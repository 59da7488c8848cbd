"""An endpoint's name may mean public addresses only; this machine only where the manifest names it."""

from __future__ import annotations

import asyncio
import socket

import pytest

from runtime.engines.mcp.addresses import AddressRefused, addresses_of


@pytest.fixture
def resolved(monkeypatch):
    def to(*addresses: str) -> None:
        async def getaddrinfo(host, port, **_):
            return [(socket.AF_INET6 if ":" in one else socket.AF_INET, 1, 6, "", (one, port)) for one in addresses]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo, raising=False)

    return to


async def test_a_public_address_is_taken(resolved):
    resolved("93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822")
    assert await addresses_of("mcp.example.com", 443) == (
        "93.184.216.34",
        "2606:2800:220:1::1",
        "64:ff9b::5db8:d822",
    )


@pytest.mark.parametrize(
    "address",
    "127.0.0.1 10.0.0.8 192.168.1.4 172.16.0.1 169.254.169.254 0.0.0.0 224.0.0.1 100.64.0.1 ::1 fe80::1 fd00::1 "
    "::ffff:127.0.0.1 fe80::1%eth0 64:ff9b::10.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 2002:a00:1:: ::127.0.0.1 "
    "::ffff:0:127.0.0.1 fec0::1 5f00::1".split(),
)
async def test_a_name_that_means_a_local_address_is_refused_even_beside_a_public_one(resolved, address):
    resolved("93.184.216.34", address)
    with pytest.raises(AddressRefused, match="private network"):
        await addresses_of("mcp.example.com", 443)


async def test_a_loopback_name_may_mean_this_machine_only(resolved):
    resolved("127.0.0.1", "::1")
    assert await addresses_of("localhost", 8000) == ("127.0.0.1", "::1")
    resolved("93.184.216.34")
    with pytest.raises(AddressRefused, match="isn't this machine's"):
        await addresses_of("localhost", 8000)


async def test_a_name_that_is_unknown_is_said(monkeypatch):
    async def getaddrinfo(*_, **__):
        raise socket.gaierror

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo, raising=False)
    with pytest.raises(AddressRefused, match="resolved"):
        await addresses_of("mcp.example.com", 443)
