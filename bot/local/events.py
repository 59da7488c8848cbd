"""Events as Slack words them: which app hears what, and the full envelope around each event."""

from __future__ import annotations

from collections.abc import Iterator

from .wire import Json
from .workspace import Workspace
from .world import AppInstall, Channel

_HISTORY_SCOPES = {
    "channel": "channels:history",
    "private": "groups:history",
    "im": "im:history",
    "mpim": "mpim:history",
}
_MESSAGE_EVENTS = {
    "channel": "message.channels",
    "private": "message.groups",
    "im": "message.im",
    "mpim": "message.mpim",
}
CHANNEL_TYPES = {"channel": "channel", "private": "group", "im": "im", "mpim": "mpim"}


def envelope(workspace: Workspace, app: AppInstall, event: Json, channel: Channel | None, event_id: str) -> Json:
    """The `event_callback` around one event for one app."""
    team = workspace.world.team_id
    skew = workspace.faults.events.timestamp_skew
    return {
        "token": app.verification_token,
        "team_id": team,
        "context_team_id": team,
        "context_enterprise_id": None,
        "api_app_id": app.app_id,
        "event": event,
        "type": "event_callback",
        "event_id": event_id,
        "event_time": int(workspace.now() + skew),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": team,
                "user_id": app.bot_user,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": bool(channel and channel.ext_shared),
        "event_context": f"4-{event_id}",
    }


def message_events(app: AppInstall, message: Json, channel: Channel) -> Iterator[Json]:
    """The events that one app receives for one posted message.

    A mention in a channel gives two: `app_mention` and `message`. A direct message gives `message` only.
    """
    member = app.bot_user in channel.members
    own = message.get("bot_id") == app.bot_id
    mentioned = f"<@{app.bot_user}>" in message.get("text", "")
    can_hear = member or (channel.kind == "channel" and app.mention_outside)
    if mentioned and not own and channel.kind != "im" and can_hear and _subscribed(app, "app_mention"):
        yield app_mention(message, channel)
    if member and _subscribed(app, _MESSAGE_EVENTS[channel.kind], _HISTORY_SCOPES[channel.kind]):
        yield message_event(message, channel)


def app_mention(message: Json, channel: Channel) -> Json:
    """The `app_mention` form of a message."""
    event = {key: value for key, value in message.items() if key not in ("subtype", "reply_count", "reply_users")}
    return {**event, "type": "app_mention", "channel": channel.id, "event_ts": message["ts"], **_teams(message)}


def message_event(message: Json, channel: Channel) -> Json:
    """The `message` form of a message."""
    return {
        **message,
        "type": "message",
        "channel": channel.id,
        "event_ts": message["ts"],
        "channel_type": CHANNEL_TYPES[channel.kind],
        **_teams(message),
    }


def changed_event(channel: Channel, after: Json, before: Json, ts: str) -> Json:
    """A `message_changed` event."""
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "message": after,
        "previous_message": before,
        "channel": channel.id,
        "ts": ts,
        "event_ts": ts,
        "channel_type": CHANNEL_TYPES[channel.kind],
    }


def deleted_event(channel: Channel, before: Json, ts: str) -> Json:
    """A `message_deleted` event."""
    return {
        "type": "message",
        "subtype": "message_deleted",
        "hidden": True,
        "deleted_ts": before["ts"],
        "previous_message": before,
        "channel": channel.id,
        "ts": ts,
        "event_ts": ts,
        "channel_type": CHANNEL_TYPES[channel.kind],
    }


def hears_messages(app: AppInstall, channel: Channel) -> bool:
    """Whether the app receives message events of this channel."""
    scope = _HISTORY_SCOPES[channel.kind]
    return app.bot_user in channel.members and _subscribed(app, _MESSAGE_EVENTS[channel.kind], scope)


def _subscribed(app: AppInstall, event: str, scope: str | None = None) -> bool:
    needed = scope or ("app_mentions:read" if event == "app_mention" else None)
    return not app.revoked and event in app.events and (needed is None or needed in app.scopes)


def _teams(message: Json) -> Json:
    # For somebody of another organisation Slack adds where the person and the message come from.
    if "user_team" not in message:
        return {}
    return {"user_team": message["user_team"], "source_team": message["user_team"]}
