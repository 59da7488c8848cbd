"""The frame of what Slack sends over HTTP: which bodies hold what a listener reads, whoever signed them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator

from bot.question import team_of

_TEXT = {"type": "string", "minLength": 1}
_PERSON = {"type": "object", "properties": {"id": _TEXT}, "required": ["id"]}
_ACTION = {"type": "object", "properties": {"action_id": _TEXT}, "required": ["action_id"]}
_VIEW = {"type": "object", "properties": {"callback_id": {"type": "string"}}, "required": ["callback_id"]}


def _frame(**properties: object) -> Draft202012Validator:
    return Draft202012Validator({"type": "object", "properties": properties, "required": list(properties)})


_BY_PERSON = _frame(user=_PERSON)
_OF_VIEW = _frame(user=_PERSON, view=_VIEW)
# What must stand in a body, by its type; other types are nothing to us.
_FRAMES = {
    "url_verification": _frame(challenge=_TEXT),
    "event_callback": _frame(event={"type": "object", "properties": {"type": _TEXT}, "required": ["type"]}),
    "block_actions": _frame(user=_PERSON, actions={"type": "array", "minItems": 1, "items": _ACTION}),
    "block_suggestion": _BY_PERSON,
    "message_action": _BY_PERSON,
    "shortcut": _BY_PERSON,
    "view_submission": _OF_VIEW,
    "view_closed": _OF_VIEW,
}
_COMMAND = _frame(command=_TEXT, user_id=_TEXT, channel_id=_TEXT)


def missing_in(body: Mapping[str, Any]) -> str | None:
    """What keeps a body from being an event, a click, a submitted view or a command; None when it is one. Nothing of
    its content is repeated."""
    if "command" in body:
        frame = _COMMAND
    elif not isinstance(kind := body.get("type"), str) or (found := _FRAMES.get(kind)) is None:
        return "its type is none that is known here"
    else:
        frame = found
    problem = next(frame.iter_errors(body), None)  # pyright: ignore[reportUnknownMemberType]
    if problem is not None:
        return f"{'.'.join(map(str, problem.absolute_path)) or 'the body'} lacks what its type needs"
    if body.get("type") == "event_callback" and not team_of(body):
        return "it names no workspace"
    return None
