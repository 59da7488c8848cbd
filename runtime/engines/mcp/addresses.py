"""Which addresses a pinned endpoint may mean: public ones, or this machine's own where the manifest says so."""

from __future__ import annotations

import asyncio
import ipaddress
import socket

_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")  # NAT64, which networks without IPv4 have
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class AddressRefused(Exception):
    """The endpoint's name means no address that may be called; the message says why."""


async def addresses_of(host: str, port: int) -> tuple[str, ...]:
    """The addresses to connect to, in the resolver's order, checked once, so that the name can't mean others a moment
    later. Raises AddressRefused when one of them isn't allowed."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise AddressRefused("its name can't be resolved") from error
    local = host in _LOOPBACK_NAMES
    addresses = [str(entry[4][0]) for entry in found]
    if refused := [address for address in addresses if not _allowed(address, local=local)]:
        kind = (
            "an address that isn't this machine's own" if local else "an address of this machine or a private network"
        )
        raise AddressRefused(f"its name means {kind} ({refused[0]})")
    return tuple(dict.fromkeys(addresses))


def _allowed(address: str, *, local: bool) -> bool:
    known = _meant(ipaddress.ip_address(address.partition("%")[0]))
    if local:
        return known.is_loopback
    unicast = known.version == 4 or known in _GLOBAL_UNICAST
    return unicast and known.is_global and not known.is_multicast


def _meant(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """The address, or the IPv4 address that one of IPv6 stands for: a translator on the way sends it there."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _TRANSLATED:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
