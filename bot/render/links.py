"""Which addresses may be live: https on a listed host, nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from bot.render.inert import escape

_SAFE = re.compile(r"https://[A-Za-z0-9.\-]+(?:[/?#][A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*)?")
MAX_ADDRESS_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class LinkPolicy:
    """Hosts that may be linked, in lower case. Empty: no link at all."""

    hosts: frozenset[str] = frozenset()

    def admit(self, address: str) -> str | None:
        """`address` fit for `<…>` markup, or None. Exact host, no port, no user part, nothing outside RFC 3986."""
        if len(address) > MAX_ADDRESS_CHARS or not _SAFE.fullmatch(address):
            return None
        host = urlsplit(address).netloc
        return escape(address) if host.lower() in self.hosts else None
