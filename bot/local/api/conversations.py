"""Channels and what was said in them: `conversations.*` and `reactions.add`."""

from __future__ import annotations

from bot.local import posting
from bot.local.hub import Call
from bot.local.wire import Json, SlackError
from bot.local.workspace import Workspace
from bot.local.world import AppInstall, Channel

from .method import Method, page

_TYPES = {"public_channel": "channel", "private_channel": "private", "im": "im", "mpim": "mpim"}


def listing(call: Call) -> Json:
    """Channels of the given types; private ones only when the app is in them."""
    wanted = {_TYPES.get(name) for name in call.args.listing("types") or ["public_channel"]}
    if None in wanted:
        raise SlackError("invalid_types")
    without_archived = call.args.flag("exclude_archived")
    channels = [
        channel
        for channel in call.workspace.world.channels
        if channel.kind in wanted
        and not (without_archived and channel.archived)
        and (channel.kind == "channel" or call.app.bot_user in channel.members)
    ]
    shown, cursor = page(call, channels, 100)
    return {
        "channels": [channel_object(call.workspace, call.app, c, counted=True) for c in shown],
        "response_metadata": cursor,
    }


def info(call: Call) -> Json:
    """One channel."""
    channel = posting.readable_channel(call.workspace, call.app, call.args.text("channel"))
    counted = call.args.flag("include_num_members")
    return {"channel": channel_object(call.workspace, call.app, channel, counted=counted)}


def members(call: Call) -> Json:
    """User ids of a channel's members."""
    channel = posting.readable_channel(call.workspace, call.app, call.args.text("channel"))
    shown, cursor = page(call, channel.members, 100)
    return {"members": shown, "response_metadata": cursor}


def open_dm(call: Call) -> Json:
    """Open a direct message with one person."""
    users = call.args.listing("users")
    if len(users) != 1:
        raise SlackError("invalid_arguments", "[ERROR] one user here [json-pointer:/users]")
    person = call.workspace.person(users[0])
    if person is None:
        raise SlackError("user_not_found")
    if person.deleted:
        raise SlackError("user_disabled")
    channel = call.workspace.direct_message(person.id, call.app)
    if call.args.flag("return_im"):
        return {"channel": channel_object(call.workspace, call.app, channel)}
    return {"channel": {"id": channel.id}}


def history(call: Call) -> Json:
    """Top-level messages, newest first."""
    channel = posting.member_channel(call.workspace, call.app, call.args.text("channel"))
    messages = _window(call, call.workspace.history(channel.id))
    messages.reverse()
    shown, cursor = page(call, messages, 100, 999)
    return _messages(call, shown, cursor)


def replies(call: Call) -> Json:
    """A thread, oldest first; every page begins with the root, as in Slack."""
    channel = posting.member_channel(call.workspace, call.app, call.args.text("channel"))
    thread = call.workspace.thread(channel.id, call.args.text("ts"))
    root = call.workspace.message(channel.id, call.args.text("ts"))
    if root is None:
        raise SlackError("thread_not_found")
    if root.get("thread_ts") not in (None, root["ts"]):
        # Asked with a reply's timestamp, Slack shows that reply alone.
        return _messages(call, [root], {"next_cursor": ""})
    rest = _window(call, [message for message in thread if message["ts"] != root["ts"]])
    shown, cursor = page(call, rest, 1000)
    return _messages(call, [root, *shown], cursor)


def react(call: Call) -> Json:
    """Add an emoji to a message."""
    channel = posting.member_channel(call.workspace, call.app, call.args.text("channel"))
    message = call.workspace.message(channel.id, call.args.text("timestamp"))
    if message is None:
        raise SlackError("message_not_found")
    name = call.args.text("name")
    reactions: list[Json] = message.setdefault("reactions", [])
    entry = next((reaction for reaction in reactions if reaction["name"] == name), None)
    if entry is None:
        entry = {"name": name, "users": [], "count": 0}
        reactions.append(entry)
    if call.app.bot_user in entry["users"]:
        raise SlackError("already_reacted")
    entry["users"].append(call.app.bot_user)
    entry["count"] += 1
    call.workspace.changes.notify("message", channel=channel.id, ts=message["ts"], thread_ts=message.get("thread_ts"))
    return {}


def channel_object(workspace: Workspace, app: AppInstall, channel: Channel, *, counted: bool = False) -> Json:
    """A channel as the API shows it."""
    shared = {} if channel.ext_shared is None else {"is_ext_shared": channel.ext_shared}
    if channel.kind == "im":
        other = next((user for user in channel.members if user != app.bot_user), "")
        return {
            "id": channel.id,
            "is_im": True,
            "user": other,
            "is_archived": channel.archived,
            "is_pending_ext_shared": channel.pending_ext_shared,
            "context_team_id": workspace.world.team_id,
            **shared,
        }
    shown: Json = {
        "id": channel.id,
        "name": channel.name,
        "is_channel": channel.kind == "channel",
        "is_group": channel.kind == "private",
        "is_im": False,
        "is_mpim": channel.kind == "mpim",
        "is_private": channel.kind in ("private", "mpim"),
        "is_archived": channel.archived,
        "is_member": app.bot_user in channel.members,
        "is_general": channel.name == "general",
        "is_shared": bool(channel.ext_shared),
        **shared,
        "is_org_shared": False,
        "is_pending_ext_shared": channel.pending_ext_shared,
        "pending_shared": ["T0PENDING"] if channel.pending_ext_shared else [],
        "context_team_id": workspace.world.team_id,
        "topic": {"value": channel.topic, "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
        "previous_names": [],
    }
    if counted:
        shown["num_members"] = len(channel.members)
    return shown


def _messages(call: Call, messages: list[Json], cursor: Json) -> Json:
    metadata = call.args.flag("include_all_metadata")
    return {
        "messages": [posting.public(message, metadata=metadata) for message in messages],
        "has_more": bool(cursor["next_cursor"]),
        "response_metadata": cursor,
    }


def _window(call: Call, messages: list[Json]) -> list[Json]:
    oldest, latest = call.args.optional("oldest") or "0", call.args.optional("latest")
    inclusive = call.args.flag("inclusive")
    try:
        low, high = float(oldest), float(latest) if latest else float("inf")
    except ValueError:
        raise SlackError("invalid_ts_oldest") from None

    def inside(message: Json) -> bool:
        ts = float(message["ts"])
        return low <= ts <= high if inclusive else low < ts < high

    return [message for message in messages if inside(message)]


_READ = ("channels:read", "groups:read", "im:read", "mpim:read")
_HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")
METHODS = {
    "conversations.list": Method(listing, _READ, 20),
    "conversations.info": Method(info, _READ, 50),
    "conversations.members": Method(members, _READ, 100),
    "conversations.open": Method(open_dm, ("im:write", "channels:manage", "groups:write", "mpim:write"), 50),
    "conversations.history": Method(history, _HISTORY, 50),
    "conversations.replies": Method(replies, _HISTORY, 50),
    "reactions.add": Method(react, ("reactions:write",), 50),
}
