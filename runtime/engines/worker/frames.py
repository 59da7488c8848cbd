"""The wire between parent and worker: JSON bodies behind a four-byte length, bounded on both sides."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO, cast

HEADER = struct.Struct(">I")
RESULT_BYTES = 8 * 1024 * 1024
"""What the cells of one answer may weigh as JSON; the rows beyond it are not kept, and the answer says so."""
FRAME_BYTES = 2 * RESULT_BYTES
"""The longest frame that is accepted: a worker that sends more is broken and is killed."""


class FrameTooLong(ValueError):
    """The body is longer than FRAME_BYTES."""


def encode(body: Mapping[str, Any]) -> bytes:
    """One frame. Raises FrameTooLong."""
    raw = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if len(raw) > FRAME_BYTES:
        raise FrameTooLong(f"a frame of {len(raw)} bytes is over the bound of {FRAME_BYTES}")
    return HEADER.pack(len(raw)) + raw


def decode(raw: bytes) -> dict[str, Any]:
    """The body of a frame. Raises ValueError when it is not a JSON object."""
    body = json.loads(raw.decode("utf-8", "surrogatepass"))
    if not isinstance(body, dict):
        raise ValueError("a frame holds one JSON object")
    return cast(dict[str, Any], body)


def body_length(header: bytes) -> int:
    """The length that a header announces. Raises ValueError above FRAME_BYTES."""
    (length,) = HEADER.unpack(header)
    if length > FRAME_BYTES:
        raise ValueError(f"a frame of {length} bytes is over the bound of {FRAME_BYTES}")
    return int(length)


def read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    """The next body from a blocking stream, or None at its end, even in mid-frame."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    length = body_length(header)
    raw = stream.read(length)
    return decode(raw) if len(raw) == length else None
