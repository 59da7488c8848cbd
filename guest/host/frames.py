"""Messages between the bot and the guest's process: a JSON head and a text body, both with their length in front.

The body (a program, or rows as JSON) is not wrapped in JSON a second time. A length beyond the bound ends the talk.
"""

import json
import struct
from typing import Any

HEAD = struct.Struct("<II")
MOST = 64 * 1024 * 1024  # above every limit of a message: a broken peer can't make the other one reserve more


class BrokenFrame(Exception):
    """The other side sent something that is no message."""


def pack(head: dict[str, Any], body: str = "") -> bytes:
    """A message as bytes."""
    first, second = json.dumps(head).encode(), body.encode()
    return HEAD.pack(len(first), len(second)) + first + second


def sizes(start: bytes) -> tuple[int, int]:
    """Lengths of head and body; raises BrokenFrame."""
    first, second = HEAD.unpack(start)
    if first > MOST or second > MOST:
        raise BrokenFrame(f"a message of {first} + {second} bytes")
    return first, second


def unpack(first: bytes, second: bytes) -> tuple[dict[str, Any], str]:
    """Head and body; raises BrokenFrame."""
    try:
        head = json.loads(first)
        text = second.decode()
    except ValueError as error:
        raise BrokenFrame(str(error)) from error
    if not isinstance(head, dict):
        raise BrokenFrame("a message without a head")
    return head, text
