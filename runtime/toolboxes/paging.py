"""Cursors: where a list goes on, bound to what it was a list of."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json

from runtime.errors import CallError

_BINDING_CHARS = 16


def binding(*parts: str) -> str:
    """What a cursor is bound to: the query, and the digest of what it was asked of."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_BINDING_CHARS]


def cursor(bound: str, offset: int) -> str:
    """A cursor to this offset."""
    return base64.urlsafe_b64encode(json.dumps([bound, offset]).encode()).decode()


def offset(cursor: str | None, bound: str, belongs_to: str) -> int:
    """The offset of a cursor, 0 without one. Raises CallError `cursor_invalid` when it is bound to something else."""
    if cursor is None:
        return 0
    try:
        stored, found = json.loads(base64.urlsafe_b64decode(cursor.encode()))
    except (ValueError, TypeError, binascii.Error):
        stored, found = None, None
    if stored != bound or not isinstance(found, int) or found < 0:
        raise CallError(
            "cursor_invalid",
            f"The cursor belongs to another query or another {belongs_to}.",
            hint="Search again without a cursor.",
            retryable=True,
        )
    return found
