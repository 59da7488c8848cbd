"""What a model sent, as JSON that can be kept and sent back: no number, letter or depth that JSON does not have."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, cast

from runtime.errors import ModelGarbled

# Deeper than any tool's schema; what is nested deeper is not worth an error of its own further in.
_DEPTH = 64
_SURROGATE = re.compile("[\ud800-\udfff]")


def parsed(text: str) -> Any:
    """JSON text as values. NaN, Infinity and numbers too large for a float stay the words they are, so that the call
    fails on its argument and not the whole run. Raises ValueError when it does not parse."""
    return json.loads(text, parse_constant=str, parse_float=_finite)


def sendable(value: Any, depth: int = 0) -> Any:
    """The value with lone surrogates replaced by U+FFFD. Raises ModelGarbled when it is nested too deep."""
    if depth > _DEPTH:
        raise ModelGarbled("The model sent a call whose arguments are nested too deep.")
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        items = cast(Mapping[str, Any], value).items()
        return {sendable(key, depth): sendable(item, depth + 1) for key, item in items}
    if isinstance(value, list):
        return [sendable(item, depth + 1) for item in cast(list[Any], value)]
    return value


def _finite(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text
