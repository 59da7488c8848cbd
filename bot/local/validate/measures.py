"""How texts and payloads are measured: the dearest way Slack could count, since it publishes none."""

from __future__ import annotations

import json
from typing import Any


def characters(value: str) -> int:
    """UTF-16 units, as JavaScript counts: an emoji is two."""
    return len(value.encode("utf-16-le", "surrogatepass")) // 2


def json_bytes(value: Any) -> int:
    """Bytes of compact JSON with everything beyond ASCII escaped, as the Python SDK sends it."""
    return len(json.dumps(value, separators=(",", ":")))
