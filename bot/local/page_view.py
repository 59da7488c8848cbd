"""What the page shows: the world, a channel and a thread as one person sees them, as JSON."""

from __future__ import annotations

from typing import Any

from . import posting
from .wire import Json, SlackError
from .workspace import Workspace
from .world import Channel, Person


def world(workspace: Workspace, user: str) -> Json:
    """Team, people, apps, and the conversations this person sees."""
    person = known_person(workspace, user)
    return {
        "team": workspace.world.team_name,
        "me": user,
        "people": [_person(p) for p in workspace.world.people if not p.deleted],
        "apps": [
            {
                "id": app.app_id,
                "user": app.bot_user,
                "name": app.name,
                "commands": app.commands,
                "usage_hint": app.usage_hint,
                "shortcuts": app.shortcuts,
            }
            for app in workspace.world.apps
        ],
        "channels": [
            _channel(workspace, c, user) for c in workspace.world.channels if sees(person, c) and c.kind != "im"
        ],
        "direct": [_channel(workspace, workspace.direct_message(user, app), user) for app in workspace.world.apps],
        "views": [_view(view) for view in workspace.views.values() if view["user"] == user],
        "home": workspace.homes.get((workspace.app().app_id, user)),
        "tour": list(workspace.world.tour),
        "faults": sorted(workspace.faults.refused_blocks),
    }


def channel(workspace: Workspace, channel_id: str, user: str) -> Json:
    """Top-level messages of a conversation, what only this person sees, and the status lines."""
    where = visible_channel(workspace, channel_id, user)
    messages = [_shown(message) for message in workspace.history(where.id)]
    return {
        "channel": _channel(workspace, where, user),
        "messages": sorted([*messages, *_private(workspace, where.id, user, None)], key=lambda m: m["ts"]),
        "statuses": _statuses(workspace, where.id),
    }


def thread(workspace: Workspace, channel_id: str, thread_ts: str, user: str) -> Json:
    """A thread, root first, with what only this person sees in it."""
    where = visible_channel(workspace, channel_id, user)
    messages = [_shown(message) for message in workspace.thread(where.id, thread_ts)]
    return {
        "channel": _channel(workspace, where, user),
        "messages": sorted([*messages, *_private(workspace, where.id, user, thread_ts)], key=lambda m: m["ts"]),
        "status": workspace.status(where.id, thread_ts),
        "loading": _loading(workspace, where.id, thread_ts),
        "gone": workspace.message(where.id, thread_ts) is None,
    }


def known_person(workspace: Workspace, user: str) -> Person:
    """The person, or Slack's `user_not_found`."""
    person = workspace.person(user)
    if person is None or person.deleted:
        raise SlackError("user_not_found", status=404)
    return person


def visible_channel(workspace: Workspace, channel_id: str, user: str) -> Channel:
    """A channel this person may read; `channel_not_found` otherwise."""
    where = workspace.channel(channel_id)
    if not sees(known_person(workspace, user), where):
        raise SlackError("channel_not_found", status=404)
    return where


def sees(person: Person, where: Channel) -> bool:
    """Members see their channels; staff sees public ones, guests and people from outside don't."""
    if person.id in where.members:
        return True
    return where.kind == "channel" and person.guest == "none" and not person.external


def _person(person: Person) -> Json:
    kind = "external" if person.external else "guest" if person.guest in ("multi", "single") else "member"
    return {"id": person.id, "name": person.name, "real_name": person.real_name, "kind": kind, "admin": person.admin}


def _channel(workspace: Workspace, where: Channel, user: str) -> Json:
    """`app`: whether the app under test is in it; `outsiders`: whether guests or people from elsewhere read it."""
    readers = [person for person in map(workspace.person, where.members) if person is not None]
    return {
        "id": where.id,
        "name": where.name,
        "kind": where.kind,
        "shared": bool(where.ext_shared),
        "archived": where.archived,
        "topic": where.topic,
        "member": user in where.members,
        "app": workspace.app().bot_user in where.members,
        "outsiders": any(person.guest != "none" or person.external for person in readers),
    }


def _view(view: Json) -> Json:
    return {key: value for key, value in view.items() if key != "private_metadata"}


def _shown(message: Json) -> Json:
    return posting.public(message)


def _private(workspace: Workspace, channel_id: str, user: str, thread_ts: str | None) -> list[Json]:
    return [
        posting.public(message)
        for message in workspace.ephemerals
        if (message["channel"], message["shown_to"], message.get("thread_ts")) == (channel_id, user, thread_ts)
    ]


def _statuses(workspace: Workspace, channel_id: str) -> dict[str, str]:
    threads = {entry.thread_ts for entry in workspace.statuses if entry.channel == channel_id}
    current = {ts: workspace.status(channel_id, ts) for ts in threads}
    return {ts: status for ts, status in current.items() if status}


def _loading(workspace: Workspace, channel_id: str, thread_ts: str) -> list[Any]:
    for entry in reversed(workspace.statuses):
        if (entry.channel, entry.thread_ts) == (channel_id, thread_ts):
            return list(entry.loading_messages)
    return []
