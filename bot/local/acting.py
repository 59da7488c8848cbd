"""What people do in the workspace: speak, share files, edit, delete, come and go, open App Home."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from . import file_store, posting
from .hub import Hub
from .wire import Json
from .workspace import StoredFile
from .world import Channel

Files = Mapping[str, bytes] | Iterable[tuple[str, bytes]]
"""Files by their names, or in pairs where two may have one name."""


def say(
    hub: Hub,
    channel: Channel,
    user: str,
    text: str,
    *,
    thread_ts: str | None = None,
    files: Files = (),
    broadcast: bool = False,
    extra: Json | None = None,
) -> str:
    """Post as a person (or as another app's bot user); the timestamp. Files are shared with the message, also several
    of one name."""
    content = _author(hub, user, text)
    content |= extra or {}
    if broadcast:
        content["subtype"] = "thread_broadcast"
    if not files:
        return posting.post(hub, channel, content, thread_ts)["ts"]
    named = cast(Mapping[str, bytes], files).items() if isinstance(files, Mapping) else files
    stored = [upload(hub, user, name, body) for name, body in named]
    content["subtype"] = "file_share"
    shared = file_store.share(hub, stored, channel, content, thread_ts)
    if shared is None:
        raise LookupError(f"no thread {thread_ts} in {channel.id}")
    return shared["ts"]


def upload(hub: Hub, user: str, name: str, body: bytes) -> StoredFile:
    """A person's file, stored; described at once unless files are held."""
    workspace = hub.workspace
    file_id, _ = file_store.reserve(workspace, name, len(body), user)
    stored = workspace.files[file_id]
    stored.content, stored.completed = body, True
    workspace.faults.when_files_flow(lambda: file_store.describe(stored))
    return stored


def delete_file(hub: Hub, file_id: str) -> None:
    """A person deletes a file that was shared."""
    file_store.forget(hub.workspace, file_id)
    event = {"type": "file_deleted", "file_id": file_id, "event_ts": _moment(hub)}
    hub.delivery.subscribed("file_deleted", event)


def edit(hub: Hub, channel: Channel, ts: str, user: str, text: str) -> None:
    """A person edits their message."""
    if hub.workspace.messages[channel.id][ts].get("user") != user:
        raise PermissionError(f"{user} did not write {ts}")
    posting.edit(hub, channel, ts, {"text": text, "blocks": [posting.rich_text(text)]}, user)


def delete(hub: Hub, channel: Channel, ts: str) -> None:
    """A person deletes a message."""
    posting.remove(hub, channel, ts)


def join(hub: Hub, channel: Channel, user: str, inviter: str | None = None) -> None:
    """Somebody (the bot, too) comes into a channel."""
    if user not in channel.members:
        channel.members.append(user)
    event: Json = {"type": "member_joined_channel", "user": user, "channel": channel.id, **_place(hub, channel)}
    if inviter:
        event["inviter"] = inviter
    hub.delivery.subscribed("member_joined_channel", event, channel)
    hub.workspace.changes.notify("channels")


def leave(hub: Hub, channel: Channel, user: str) -> None:
    """Somebody goes, or is sent away."""
    channel.members.remove(user)
    event = {"type": "member_left_channel", "user": user, "channel": channel.id, **_place(hub, channel)}
    hub.delivery.subscribed("member_left_channel", event, channel)
    hub.workspace.changes.notify("channels")


def archive(hub: Hub, channel: Channel, user: str) -> None:
    """A channel is archived."""
    channel.archived = True
    name = "group_archive" if channel.kind == "private" else "channel_archive"
    event = {"type": name, "channel": channel.id, "user": user, "event_ts": _moment(hub)}
    hub.delivery.subscribed(name, event, channel)
    hub.workspace.changes.notify("channels")


def share_channel(hub: Hub, channel: Channel, team: str) -> None:
    """A channel becomes shared with another organisation."""
    channel.ext_shared, channel.pending_ext_shared = True, False
    event = {"type": "channel_shared", "connected_team_id": team, "channel": channel.id, "event_ts": _moment(hub)}
    hub.delivery.subscribed("channel_shared", event, channel)
    hub.workspace.changes.notify("channels")


def open_home(hub: Hub, channel: Channel, user: str, tab: str) -> None:
    """A person opens the app's page: the `home` or the `messages` tab."""
    for app in hub.workspace.world.apps:
        if "app_home_opened" not in app.events:
            continue
        event: Json = {
            "type": "app_home_opened",
            "user": user,
            "channel": channel.id,
            "tab": tab,
            "event_ts": _moment(hub),
        }
        home = hub.workspace.homes.get((app.app_id, user))
        if tab == "home" and home is not None:
            event["view"] = {key: value for key, value in home.items() if key != "user"}
        hub.delivery.event(app, event, channel)


def stop_session(hub: Hub, channel: Channel, thread_ts: str, user: str) -> None:
    """A person presses the native Stop of an agent's thread."""
    live = [stream.ts for stream in hub.workspace.streams.values() if stream.channel == channel.id]
    event = {
        "type": "agent_session_stopped",
        "channel": channel.id,
        "thread_ts": thread_ts,
        "user": user,
        "streaming_message_ts": live,
        "event_ts": _moment(hub),
    }
    hub.delivery.subscribed("agent_session_stopped", event, channel)


def revoke_tokens(hub: Hub) -> None:
    """The workspace revokes the first app's bot token."""
    app = hub.workspace.app()
    app.revoked = True
    event = {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [app.bot_user]}, "event_ts": _moment(hub)}
    hub.delivery.event(app, event)


def _author(hub: Hub, user: str, text: str) -> Json:
    workspace = hub.workspace
    other_bot = workspace.app_of_bot(user)
    if other_bot is not None:
        return posting.bot_message(workspace, other_bot, {"text": text})
    person = workspace.person(user)
    if person is None:
        raise LookupError(f"no person {user!r} in this world")
    content: dict[str, Any] = {
        "type": "message",
        "client_msg_id": workspace.numbering.new("msg-"),
        "user": user,
        "text": text,
        "team": person.team,
        "blocks": [posting.rich_text(text)],
    }
    if person.external:
        content |= {"user_team": person.team, "source_team": person.team}
    return content


def _place(hub: Hub, channel: Channel) -> Json:
    kind = "G" if channel.kind == "private" else "C"
    return {"channel_type": kind, "team": hub.workspace.world.team_id, "event_ts": _moment(hub)}


def _moment(hub: Hub) -> str:
    return hub.workspace.numbering.ts(hub.workspace.now())
