"""What a Web API method is: its handler, the scope it needs, its rate tier, and cursor pagination."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bot.local.hub import Call
from bot.local.wire import Json, SlackError


@dataclass(frozen=True, slots=True)
class Method:
    """`scopes`: any one of them is enough. `per_minute`: calls per app, None for specially limited ones."""

    handler: Callable[[Call], Json]
    scopes: tuple[str, ...] = ()
    per_minute: int | None = None
    needs_token: bool = True
    app_level: bool = False


def page(call: Call, items: Sequence[Any], default: int, most: int = 1000) -> tuple[list[Any], Json]:
    """One page of `items` and the `response_metadata` with the next cursor (empty at the end)."""
    limit = call.args.number("limit", default)
    if not 1 <= limit <= most:
        raise SlackError("invalid_limit")
    start = _offset(call.args.optional("cursor"))
    end = start + limit
    cursor = base64.b64encode(f"next:{end}".encode()).decode() if end < len(items) else ""
    return list(items[start:end]), {"next_cursor": cursor}


def _offset(cursor: str | None) -> int:
    if cursor is None:
        return 0
    try:
        word, _, number = base64.b64decode(cursor, validate=True).decode().partition(":")
        if word == "next":
            return int(number)
    except (binascii.Error, UnicodeDecodeError, ValueError):
        pass
    raise SlackError("invalid_cursor")
