"""Puts messages into the workspace, edits and removes them, and tells everyone who listens."""

from __future__ import annotations

import re
from copy import deepcopy

from .hub import Hub
from .wire import Json, SlackError
from .workspace import Status, Workspace
from .world import AppInstall, Channel

_TOKEN = re.compile(r"<(@[UW]\w+|#C\w+(?:\|[^>]*)?|![^>]+|https?://[^>|]+(?:\|[^>]*)?)>")


def readable_channel(workspace: Workspace, app: AppInstall, channel_id: str) -> Channel:
    """A channel whose existence the app may know: private ones only for members. `channel_not_found`."""
    channel = workspace.channel(channel_id)
    if channel.kind != "channel" and app.bot_user not in channel.members:
        raise SlackError("channel_not_found")
    return channel


def member_channel(workspace: Workspace, app: AppInstall, channel_id: str) -> Channel:
    """A channel that the app is in. `channel_not_found`, `not_in_channel`."""
    channel = readable_channel(workspace, app, channel_id)
    if app.bot_user not in channel.members:
        raise SlackError("not_in_channel")
    return channel


def postable_channel(workspace: Workspace, app: AppInstall, channel_id: str, thread_ts: str | None) -> Channel:
    """A channel (or, by a user id, a direct message) the app may post to, in a thread that still exists."""
    if workspace.person(channel_id) is not None:
        channel = workspace.direct_message(channel_id, app)
    else:
        channel = member_channel(workspace, app, channel_id)
    if channel.archived:
        raise SlackError("is_archived")
    if thread_ts is not None and workspace.message(channel.id, thread_ts) is None:
        raise SlackError("thread_not_found")
    return channel


def bot_message(workspace: Workspace, app: AppInstall, content: Json) -> Json:
    """The common fields of a message from an app, with its content."""
    return {
        "type": "message",
        "user": app.bot_user,
        "bot_id": app.bot_id,
        "app_id": app.app_id,
        "team": workspace.world.team_id,
        "bot_profile": {
            "id": app.bot_id,
            "app_id": app.app_id,
            "name": app.name,
            "deleted": False,
            "team_id": workspace.world.team_id,
        },
        **content,
    }


def post(hub: Hub, channel: Channel, content: Json, thread_ts: str | None = None, *, silent: bool = False) -> Json:
    """Store a message under a fresh timestamp and deliver its events; returns the stored message.

    `silent` stores without events (an answer that is still streaming).
    """
    workspace = hub.workspace
    ts = workspace.numbering.ts(workspace.now())
    message: Json = {**content, "ts": ts}
    if "blocks" in message:
        message["blocks"] = with_block_ids(message["blocks"], ts)
    if thread_ts is not None:
        _join_thread(workspace, channel, message, thread_ts)
    workspace.messages[channel.id][ts] = message
    if "bot_id" in message:
        _clear_status(workspace, channel.id, thread_ts or ts)
    workspace.changes.notify("message", channel=channel.id, ts=ts, thread_ts=message.get("thread_ts"))
    if not silent:
        hub.delivery.message(public(message), channel)
    return message


def edit(hub: Hub, channel: Channel, ts: str, changes: Json, editor: str) -> Json:
    """Change a stored message; a value of None removes the field. Delivers `message_changed`."""
    workspace = hub.workspace
    message = workspace.messages[channel.id][ts]
    before = public(message)
    if changes.get("blocks"):
        changes = {**changes, "blocks": with_block_ids(changes["blocks"], ts)}
    for name, value in changes.items():
        if value in (None, []):
            message.pop(name, None)
        else:
            message[name] = value
    message["edited"] = {"user": editor, "ts": workspace.numbering.ts(workspace.now())}
    workspace.changes.notify("message", channel=channel.id, ts=ts, thread_ts=message.get("thread_ts"))
    hub.delivery.message_changed(channel, public(message), before)
    return message


def remove(hub: Hub, channel: Channel, ts: str) -> None:
    """Delete a message; replies of a deleted root stay, but nobody can reply any more."""
    workspace = hub.workspace
    message = workspace.messages[channel.id].pop(ts)
    workspace.deleted[channel.id].add(ts)
    workspace.changes.notify("deleted", channel=channel.id, ts=ts, thread_ts=message.get("thread_ts"))
    hub.delivery.message_deleted(channel, public(message))


def post_ephemeral(hub: Hub, channel_id: str, user: str, content: Json, thread_ts: str | None) -> Json:
    """Show a message to one person only; it is in no history."""
    workspace = hub.workspace
    ts = workspace.numbering.ts(workspace.now())
    message: Json = {**content, "ts": ts, "channel": channel_id, "is_ephemeral": True, "shown_to": user}
    if "blocks" in message:
        message["blocks"] = with_block_ids(message["blocks"], ts)
    if thread_ts is not None:
        message["thread_ts"] = thread_ts
    workspace.ephemerals.append(message)
    workspace.changes.notify("ephemeral", channel=channel_id, ts=ts, user=user, thread_ts=thread_ts)
    return message


def public(message: Json, *, metadata: bool = False) -> Json:
    """A copy as the API shows it: metadata only when asked for."""
    return {key: deepcopy(value) for key, value in message.items() if metadata or key != "metadata"}


def with_block_ids(blocks: list[Json], seed: str) -> list[Json]:
    """Blocks with an id each: Slack generates the missing ones."""
    return [{"block_id": f"b{seed[-6:]}-{place}", **block} for place, block in enumerate(blocks)]


def rich_text(text: str) -> Json:
    """The `rich_text` block that Slack makes of what a person typed."""
    elements: list[Json] = []
    end = 0
    for match in _TOKEN.finditer(text):
        if match.start() > end:
            elements.append({"type": "text", "text": _plain(text[end : match.start()])})
        elements.append(_element(match.group(1)))
        end = match.end()
    if end < len(text):
        elements.append({"type": "text", "text": _plain(text[end:])})
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements}]}


def _plain(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _element(token: str) -> Json:
    head, _, label = token[1:].partition("|")
    match token[0]:
        case "@":
            return {"type": "user", "user_id": head}
        case "#":
            return {"type": "channel", "channel_id": head}
        case "!":
            return {"type": "broadcast", "range": head}
        case _:
            url, _, shown = token.partition("|")
            return {"type": "link", "url": url, **({"text": shown or label} if shown else {})}


def _join_thread(workspace: Workspace, channel: Channel, message: Json, thread_ts: str) -> None:
    root = workspace.messages[channel.id].get(thread_ts)
    if root is None:
        raise SlackError("thread_not_found")
    # Slack accepts a reply's timestamp for a thread but files the message under the root.
    thread_ts = root.get("thread_ts", thread_ts)
    root = workspace.messages[channel.id].get(thread_ts, root)
    message["thread_ts"] = thread_ts
    message["parent_user_id"] = root.get("user")
    root["thread_ts"] = thread_ts
    root["reply_count"] = root.get("reply_count", 0) + 1
    root["reply_users"] = sorted({*root.get("reply_users", []), message.get("user", "")})
    root["latest_reply"] = message["ts"]


def _clear_status(workspace: Workspace, channel: str, thread_ts: str) -> None:
    if workspace.status(channel, thread_ts):
        workspace.set_status(Status(channel, thread_ts, "", (), workspace.now(), cleared_by_post=True))
