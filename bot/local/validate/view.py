"""Limits of modals and App Home, and the judge behind `blocks.validate`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .blocks import block_for
from .elements import plain
from .measures import json_bytes
from .message import problems as message_problems
from .problem import Problem
from .shapes import Check, choice, flag, items, shape, text

BLOCKS_PER_VIEW = 100
VIEW_BYTES = 250 * 1024

_COMMON: dict[str, Check] = {
    "private_metadata": text(3_000),
    "callback_id": text(255),
    "external_id": text(255),
}


def _submit_for_inputs(value: Any, pointer: str) -> Iterator[Problem]:
    blocks = value.get("blocks") or []
    if not value.get("submit") and any(isinstance(b, dict) and b.get("type") == "input" for b in blocks):
        yield Problem(f"{pointer}/submit", "a submit button is required when the view has input blocks")


VIEWS: dict[str, Check] = {
    "modal": shape(
        {"type": choice("modal"), "title": plain(24), "blocks": items(block_for("modal"), 0, BLOCKS_PER_VIEW)},
        {
            **_COMMON,
            "submit": plain(24),
            "close": plain(24),
            "clear_on_close": flag,
            "notify_on_close": flag,
            "submit_disabled": flag,
        },
        _submit_for_inputs,
    ),
    "home": shape({"type": choice("home"), "blocks": items(block_for("home"), 0, BLOCKS_PER_VIEW)}, _COMMON),
}


def check_view(view: dict[str, Any], kind: str) -> Problem | None:
    """The first problem of a view that has to be a `modal` or a `home`; None when Slack takes it."""
    if json_bytes(view) > VIEW_BYTES:
        return Problem("/view", "must be less than 250 KB", "view_too_large")
    found = next(VIEWS[kind](view, "/view"), None)
    return None if found is None else Problem(found.pointer, found.message, "invalid_arguments")


def validate_payload(what: str, payload: Any) -> list[Problem]:
    """Every problem of `blocks`, a `message` or a `view`; empty when Slack takes it."""
    if what == "blocks":
        return list(message_problems({"blocks": payload}))
    if not isinstance(payload, dict):
        return [Problem(f"/{what}", "must be an object")]
    if what == "message":
        return list(message_problems(payload))
    kind = payload.get("type")
    if kind not in VIEWS:
        return [Problem("/view/type", f"unsupported view type: {kind}")]
    return list(VIEWS[kind](payload, "/view"))
