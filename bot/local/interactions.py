"""What people do with messages: clicks, commands, shortcuts, submitted modals, as Slack words them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from . import posting
from .delivery import Ack
from .grants import issue_response_url, issue_trigger
from .hub import Hub
from .wire import Json, SlackError
from .workspace import Grant, Workspace
from .world import AppInstall


@dataclass(frozen=True, slots=True)
class Interaction:
    """What came of it: whether the app acknowledged in time, its payload, and the grants that were given."""

    acked: bool
    payload: Json | None
    trigger_id: str
    response_url: str | None
    reason: str | None = None


def user_object(workspace: Workspace, user: str) -> Json:
    """The `user` of an interaction payload."""
    person = workspace.person(user)
    name = person.name if person else user
    team = person.team if person else workspace.world.team_id
    return {"id": user, "username": name, "name": name, "team_id": team}


def find_message(workspace: Workspace, ts: str, channel: str | None = None) -> tuple[str, Json]:
    """(channel id, message) of a posted or ephemeral message; LookupError when it is gone."""
    for channel_id, messages in workspace.messages.items():
        if channel in (None, channel_id) and ts in messages:
            return channel_id, messages[ts]
    for message in workspace.ephemerals:
        if message["ts"] == ts and channel in (None, message["channel"]):
            return message["channel"], message
    raise LookupError(f"no message {ts}")


def find_element(blocks: Any, action_id: str, block_id: str | None = None) -> tuple[str, Json]:
    """(block id, element) of an interactive element, inside containers, too; LookupError when there is none."""
    for owner, element in interactive(blocks):
        if element.get("action_id") == action_id and block_id in (None, owner):
            return owner, element
    raise LookupError(f"no element with action_id {action_id!r}")


def interactive(blocks: Any) -> Iterator[tuple[str, Json]]:
    """Every interactive element with the id of its block."""
    for block in blocks or []:
        owner = block.get("block_id", "")
        for element in [*(block.get("elements") or []), *(block.get("actions") or [])]:
            if isinstance(element, dict):
                yield owner, element
        for name in ("accessory", "element"):
            if isinstance(block.get(name), dict):
                yield owner, block[name]
        yield from interactive(block.get("child_blocks"))


async def click(
    hub: Hub, app: AppInstall, user: str, channel: str, message: Json, block_id: str, action: Json
) -> Interaction:
    """A person uses an element of a message."""
    workspace = hub.workspace
    ephemeral = bool(message.get("is_ephemeral"))
    thread_ts = message.get("thread_ts")
    trigger = issue_trigger(workspace, app, user, channel)
    grant = Grant(app.app_id, user, channel, workspace.now(), 0, message["ts"], ephemeral, thread_ts)
    response_url = issue_response_url(workspace, grant)
    container: Json = {
        "type": "message",
        "message_ts": message["ts"],
        "channel_id": channel,
        "is_ephemeral": ephemeral,
        **({"thread_ts": thread_ts} if thread_ts else {}),
    }
    payload = {
        **_frame(workspace, app, user, trigger),
        "type": "block_actions",
        "container": container,
        "channel": _channel(workspace, channel),
        "state": {"values": {}},
        "response_url": response_url,
        "actions": [_action(workspace, block_id, action)],
    }
    if not ephemeral:
        payload["message"] = posting.public(message)
    ack = await hub.delivery.interaction(app, "interactive", payload)
    return _outcome(ack, trigger, response_url)


async def click_view(hub: Hub, app: AppInstall, user: str, view: Json, block_id: str, action: Json) -> Interaction:
    """A person uses an element of a modal or of App Home."""
    workspace = hub.workspace
    trigger = issue_trigger(workspace, app, user, "")
    shown = {key: value for key, value in view.items() if key != "user"}
    payload = {
        **_frame(workspace, app, user, trigger),
        "type": "block_actions",
        "container": {"type": "view", "view_id": view["id"]},
        "view": shown,
        "state": {"values": view.get("state", {}).get("values", {})},
        "actions": [_action(workspace, block_id, action)],
    }
    return _outcome(await hub.delivery.interaction(app, "interactive", payload), trigger, None)


async def command(hub: Hub, app: AppInstall, user: str, channel: str, name: str, text: str) -> Interaction:
    """A person uses a slash command; an answer in the acknowledgement is shown, privately by default."""
    workspace = hub.workspace
    if name not in app.commands:
        raise LookupError(f"{name} is not a command of {app.name}")
    trigger = issue_trigger(workspace, app, user, channel)
    grant = Grant(app.app_id, user, channel, workspace.now())
    response_url = issue_response_url(workspace, grant)
    person = workspace.person(user)
    where = workspace.channel(channel)
    shown = {"im": "directmessage", "private": "privategroup"}.get(where.kind, where.name)
    payload = {
        "token": app.verification_token,
        "team_id": workspace.world.team_id,
        "team_domain": workspace.world.domain,
        "channel_id": channel,
        "channel_name": shown,
        "user_id": user,
        "user_name": person.name if person else user,
        "command": name,
        "text": text,
        "api_app_id": app.app_id,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": trigger,
    }
    ack = await hub.delivery.interaction(app, "slash_commands", payload)
    return _outcome(ack, trigger, response_url)


async def shortcut(hub: Hub, app: AppInstall, user: str, channel: str, message: Json, callback_id: str) -> Interaction:
    """A person uses a message shortcut."""
    workspace = hub.workspace
    if callback_id not in app.shortcuts:
        raise LookupError(f"{callback_id} is not a shortcut of {app.name}")
    trigger = issue_trigger(workspace, app, user, channel)
    grant = Grant(app.app_id, user, channel, workspace.now(), 0, message["ts"], False, message.get("thread_ts"))
    response_url = issue_response_url(workspace, grant)
    payload = {
        **_frame(workspace, app, user, trigger),
        "type": "message_action",
        "callback_id": callback_id,
        "action_ts": workspace.numbering.ts(workspace.now()),
        "message_ts": message["ts"],
        "channel": _channel(workspace, channel),
        "message": posting.public(message),
        "response_url": response_url,
    }
    return _outcome(await hub.delivery.interaction(app, "interactive", payload), trigger, response_url)


async def submit(hub: Hub, app: AppInstall, user: str, view: Json, values: Json) -> Interaction:
    """A person submits a modal; the acknowledgement's `response_action` is carried out."""
    workspace = hub.workspace
    trigger = issue_trigger(workspace, app, user, "")
    view["state"] = {"values": values}
    payload = {
        **_frame(workspace, app, user, trigger),
        "type": "view_submission",
        "view": {key: value for key, value in view.items() if key != "user"},
        "response_urls": [],
    }
    ack = await hub.delivery.interaction(app, "interactive", payload)
    if ack.ok:
        _follow(hub, view, ack.payload or {})
    return _outcome(ack, trigger, None)


async def close(hub: Hub, app: AppInstall, user: str, view: Json) -> Interaction | None:
    """A person closes a modal; the app hears of it only when it asked to."""
    workspace = hub.workspace
    workspace.views.pop(view["id"], None)
    workspace.changes.notify("view", view_id=view["id"], user=user)
    if not view.get("notify_on_close"):
        return None
    payload = {
        **_frame(workspace, app, user, ""),
        "type": "view_closed",
        "view": {key: value for key, value in view.items() if key != "user"},
        "is_cleared": False,
    }
    return _outcome(await hub.delivery.interaction(app, "interactive", payload), "", None)


def _follow(hub: Hub, view: Json, answer: Json) -> None:
    workspace = hub.workspace
    action = answer.get("response_action")
    if action == "errors":
        view["errors"] = answer.get("errors", {})
    elif action == "update":
        view |= answer.get("view", {})
    elif action == "push":
        pushed = {**view, **answer.get("view", {}), "id": workspace.numbering.new("V"), "previous_view_id": view["id"]}
        workspace.views[pushed["id"]] = pushed
    elif action == "clear":
        for stale in [key for key, known in workspace.views.items() if known["user"] == view["user"]]:
            del workspace.views[stale]
    elif action is None:
        workspace.views.pop(view["id"], None)
    else:
        raise SlackError("invalid_response_action")
    workspace.changes.notify("view", view_id=view["id"], user=view["user"])


def _frame(workspace: Workspace, app: AppInstall, user: str, trigger: str) -> Json:
    return {
        "user": user_object(workspace, user),
        "api_app_id": app.app_id,
        "token": app.verification_token,
        "trigger_id": trigger,
        "team": {"id": workspace.world.team_id, "domain": workspace.world.domain},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _channel(workspace: Workspace, channel: str) -> Json:
    where = workspace.channel(channel)
    return {"id": channel, "name": "directmessage" if where.kind == "im" else where.name}


def _action(workspace: Workspace, block_id: str, action: Json) -> Json:
    moment = workspace.numbering.ts(workspace.now())
    kept = {key: value for key, value in action.items() if key not in ("confirm", "visible_to_user_ids", "url")}
    return {**kept, "block_id": block_id, "action_ts": moment}


def _outcome(ack: Ack, trigger: str, response_url: str | None) -> Interaction:
    return Interaction(ack.ok, ack.payload, trigger, response_url, ack.reason)
