"""How long a text or a payload is, counted the dearest way Slack could count it."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any

ELLIPSIS = "…"
_COMPACT = json.JSONEncoder(separators=(",", ":")).encode


def chars(text: str) -> int:
    """Length in UTF-16 units: what JavaScript calls length, never less than Python's."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def json_bytes(value: Any) -> int:
    """Bytes of `value` as compact JSON with everything beyond ASCII escaped."""
    return len(_COMPACT(value))


def fits(text: str, max_chars: int, max_bytes: int | None = None) -> bool:
    """Whether `text` keeps both bounds; bytes are those of the JSON string."""
    return chars(text) <= max_chars and (max_bytes is None or json_bytes(text) <= max_bytes)


def cut(text: str, max_chars: int, max_bytes: int | None = None, render: Callable[[str], str] | None = None) -> str:
    """`text` within the bounds, ending in `…` when something was left out.

    With `render` (escaping, say, which makes text longer) the result is rendered, and it is what keeps the bounds.
    """
    shown = render or str
    if len(text) <= max_chars and fits(whole := shown(text), max_chars, max_bytes):
        return whole
    kept = longest(min(len(text), max_chars), lambda end: fits(shown(text[:end] + ELLIPSIS), max_chars, max_bytes))
    return shown(text[:kept].rstrip() + ELLIPSIS)


def longest(most: int, taken: Callable[[int], bool]) -> int:
    """The greatest length up to `most` that is taken, 0 without any; a text that is taken is so when shortened, too."""
    return bisect_right(range(1, most + 1), False, key=lambda length: not taken(length))


def shown_chars(blocks: Sequence[Mapping[str, Any]]) -> int:
    """Characters of every `text` string anywhere in `blocks`: the count behind `msg_blocks_too_long`."""
    total, stack = 0, list[Any](blocks)
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            for key, value in node.items():
                if isinstance(value, str):
                    total += chars(value) if key == "text" else 0
                else:
                    stack.append(value)
        elif isinstance(node, list):
            stack += node
    return total
