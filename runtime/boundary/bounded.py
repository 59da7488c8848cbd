"""An envelope as JSON text that never exceeds its bound and never fails: cells are cut, lists shortened, and said."""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import Any, cast

from runtime.boundary.call import Payload
from runtime.evidence import Json


def fit(envelope: Payload, listing: str | None, bound: int, cell_chars: int) -> tuple[str, bool]:
    """The envelope's text within `bound` bytes of UTF-8, and whether something had to be cut. Strings over
    `cell_chars` are cut with a mark; then `data[listing]` is cut at its end; then the largest lists and texts."""
    shortened = cast(Payload, _cut_strings(envelope, cell_chars))
    text = _dump(shortened)
    if len(text.encode()) <= bound:
        return text, shortened != envelope
    data = shortened.get("data")
    if listing and isinstance(data, dict) and isinstance(items := data.get(listing), list):
        total = _total(shortened, items)
        shortened = _shorten(shortened, data, listing, items, total, bound)
    chars = cell_chars
    while len((text := _dump(shortened)).encode()) > bound:
        if not _halve_largest_list(shortened):
            chars = chars // 2
            shortened = cast(Payload, _cut_strings(shortened, chars))
        _mark(shortened, "text_limit")
    return text, True


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace").decode()


def _cut_strings(value: Json, chars: int) -> Json:
    if isinstance(value, str):
        return value if len(value) <= chars else f"{value[:chars]}… [cut, {len(value):,} characters]"
    if isinstance(value, list):
        return [_cut_strings(item, chars) for item in value]
    if isinstance(value, dict):
        return {key: _cut_strings(item, chars) for key, item in value.items()}
    return value


def _total(envelope: Payload, items: list[Json]) -> int:
    cut = envelope.get("truncated")
    known = cut.get("total") if isinstance(cut, dict) else None
    return known if isinstance(known, int) else len(items)


def _shorten(
    envelope: Payload, data: dict[str, Json], listing: str, items: list[Json], total: int, bound: int
) -> Payload:
    def attempt(count: int) -> Payload:
        part: Payload = {**data, listing: items[:count]}
        if "shown" in data:
            part["shown"] = count
        cut: Payload = {"reason": "text_limit", "shown": count, "total": total}
        return {**envelope, "data": part, "truncated": cut}

    counts = range(1, len(items) + 1)
    return attempt(bisect_right(counts, bound, key=lambda count: len(_dump(attempt(count)).encode())))


def _mark(envelope: Payload, reason: str) -> None:
    if envelope.get("ok") and "truncated" not in envelope:
        envelope["truncated"] = {"reason": reason, "shown": 0}


def _halve_largest_list(value: Any) -> bool:
    """Halves the list with the most text in it, in place; False when no list has more than one item."""
    best: list[Any] | None = None
    size = 0
    stack: list[Any] = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            items = cast(list[Any], node)
            if len(items) > 1 and (length := len(_dump(items))) > size:
                best, size = items, length
            stack.extend(items)
        elif isinstance(node, dict):
            stack.extend(cast(dict[str, Any], node).values())
    if best is None:
        return False
    del best[len(best) // 2 :]
    return True
