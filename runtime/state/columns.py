"""Column types that read the same from SQLite and PostgreSQL: moments, and JSON bodies packed when they are large."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect

PACK_FROM_BYTES = 4 * 1024
_PACKED = b"z"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Moment(sa.TypeDecorator[datetime]):
    """A timezone-aware moment, kept as whole microseconds since 1970 UTC so that both databases order it alike."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        return None if value is None else _EPOCH + int(value) * _MICROSECOND


class PackedJson(sa.TypeDecorator[Any]):
    """A JSON value as UTF-8 bytes, zlib-compressed from 4 KiB on.

    Bytes, not text: what people and models write may hold NUL characters and lone surrogates, which PostgreSQL's text
    and the drivers refuse. A JSON document never begins with `z`, so that letter marks a packed body.
    """

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any | None, dialect: Dialect) -> bytes | None:
        return None if value is None else pack(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any:
        return None if value is None else unpack(bytes(value))


def pack(value: Any) -> bytes:
    """The stored form of a JSON value."""
    raw = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return raw if len(raw) < PACK_FROM_BYTES else _PACKED + zlib.compress(raw, 6)


def unpack(stored: bytes) -> Any:
    """The inverse of `pack`."""
    raw = zlib.decompress(stored[1:]) if stored.startswith(_PACKED) else stored
    return json.loads(raw.decode("utf-8", "surrogatepass"))
