"""Modals and App Home: `views.open`, `views.push`, `views.update`, `views.publish`."""

from __future__ import annotations

import hashlib
import json

from bot.local.content import record_refusal
from bot.local.grants import exchange_trigger
from bot.local.hub import Call
from bot.local.validate import check_view
from bot.local.wire import Json, SlackError

from .method import Method

_DEPTH = 3


def open_view(call: Call) -> Json:
    """Open a modal for the person behind a trigger."""
    definition = _definition(call, "modal")
    user = exchange_trigger(call.workspace, call.app, call.args.text("trigger_id")).user
    return {"view": _store(call, definition, user, root=None)}


def push(call: Call) -> Json:
    """Put a modal on top of the open one; three at most."""
    definition = _definition(call, "modal")
    user = exchange_trigger(call.workspace, call.app, call.args.text("trigger_id")).user
    stack = [view for view in call.workspace.views.values() if view["user"] == user and view["type"] == "modal"]
    if not stack:
        raise SlackError("not_found")
    if len(stack) >= _DEPTH:
        raise SlackError("push_limit_reached")
    return {"view": _store(call, definition, user, root=stack[0]["root_view_id"], previous=stack[-1]["id"])}


def update(call: Call) -> Json:
    """Replace a view that is still open."""
    view = _find(call)
    if call.args.has("hash") and call.args.text("hash") != view["hash"]:
        raise SlackError("hash_conflict")
    definition = _definition(call, view["type"])
    view |= definition
    _seal(call, view)
    return {"view": _public(view)}


def publish(call: Call) -> Json:
    """Set a person's App Home."""
    user = call.args.text("user_id")
    if call.workspace.person(user) is None:
        raise SlackError("user_not_found")
    definition = _definition(call, "home")
    home = call.workspace.homes.get((call.app.app_id, user))
    if home is not None and call.args.has("hash") and call.args.text("hash") != home["hash"]:
        raise SlackError("hash_conflict")
    view = {"id": home["id"] if home else call.workspace.numbering.new("V"), **_frame(call, user), **definition}
    _seal(call, view)
    call.workspace.homes[call.app.app_id, user] = view
    return {"view": _public(view)}


def _definition(call: Call, kind: str) -> Json:
    view = call.args.json("view")
    if not isinstance(view, dict):
        raise SlackError("invalid_arguments", "[ERROR] missing required field: view")
    problem = check_view(view, kind) if call.workspace.strict else None
    if problem is not None:
        error = SlackError(problem.error, f"[ERROR] {problem.message} [json-pointer:{problem.pointer}]")
        record_refusal(call.workspace, call.method, error, call.args.values)
        raise error
    external_id = view.get("external_id")
    if external_id and any(known.get("external_id") == external_id for known in call.workspace.views.values()):
        raise SlackError("duplicate_external_id")
    return dict(view)


def _find(call: Call) -> Json:
    wanted = call.args.optional("view_id")
    external = call.args.optional("external_id")
    for view in [*call.workspace.views.values(), *call.workspace.homes.values()]:
        if view["id"] == wanted or (external and view.get("external_id") == external):
            return view
    raise SlackError("not_found")


def _frame(call: Call, user: str) -> Json:
    return {
        "team_id": call.workspace.world.team_id,
        "app_id": call.app.app_id,
        "bot_id": call.app.bot_id,
        "app_installed_team_id": call.workspace.world.team_id,
        "user": user,
        "previous_view_id": None,
        "private_metadata": "",
        "callback_id": "",
        "external_id": "",
        "state": {"values": {}},
    }


def _store(call: Call, definition: Json, user: str, *, root: str | None, previous: str | None = None) -> Json:
    view_id = call.workspace.numbering.new("V")
    view = {
        "id": view_id,
        **_frame(call, user),
        "root_view_id": root or view_id,
        "previous_view_id": previous,
        **definition,
    }
    if root is None:
        for stale in [key for key, known in call.workspace.views.items() if known["user"] == user]:
            del call.workspace.views[stale]
    call.workspace.views[view_id] = view
    _seal(call, view)
    return _public(view)


def _seal(call: Call, view: Json) -> None:
    body = json.dumps({key: value for key, value in view.items() if key != "hash"}, sort_keys=True, default=str)
    view["hash"] = f"{int(call.workspace.now())}.{hashlib.sha256(body.encode()).hexdigest()[:8]}"
    call.workspace.changes.notify("view", view_id=view["id"], user=view["user"])


def _public(view: Json) -> Json:
    return {key: value for key, value in view.items() if key != "user"}


METHODS = {
    "views.open": Method(open_view, (), 100),
    "views.push": Method(push, (), 100),
    "views.update": Method(update, (), 100),
    "views.publish": Method(publish, (), 100),
}
