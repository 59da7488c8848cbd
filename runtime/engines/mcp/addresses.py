"""Which addresses a pinned endpoint may mean: public ones, or this machine's own where the manifest says so."""

from __future__ import annotations

import asyncio
import ipaddress
import socket

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
    known = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(known, ipaddress.IPv6Address) and known.ipv4_mapped is not None:
        known = known.ipv4_mapped
    return known.is_loopback if local else known.is_global and not known.is_multicast
