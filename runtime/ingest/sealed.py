"""Small JSON files of a cache, each under a digest of itself: a flipped bit makes it unreadable, never another one."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def sealed(body: object) -> bytes:
    """The bytes to write for a body of plain JSON: a line with the SHA-256 of what follows it, and that."""
    text = json.dumps(body, ensure_ascii=True).encode("ascii")
    return hashlib.sha256(text).hexdigest().encode("ascii") + b"\n" + text


def unsealed(content: bytes) -> Any:
    """The body that was sealed. Raises ValueError when the bytes are not the ones that were written."""
    digest, _, text = content.partition(b"\n")
    if hashlib.sha256(text).hexdigest().encode("ascii") != digest:
        raise ValueError("its digest is another one")
    return json.loads(text)
