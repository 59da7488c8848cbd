"""Saves the workspace as JSON and brings it back: world, messages, files, App Homes, numbering."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .wire import Json
from .workspace import StoredFile, Workspace
from .world import AppInstall, Channel, Person, UserGroup, World

VERSION = 1


def dump(workspace: Workspace) -> Json:
    """Everything that outlives a restart, JSON-ready. Triggers, response urls, modals and streams do not."""
    return {
        "version": VERSION,
        "world": _world(workspace.world),
        "numbering": workspace.numbering.dump(),
        "messages": {channel: list(kept.values()) for channel, kept in workspace.messages.items()},
        "deleted": {channel: sorted(gone) for channel, gone in workspace.deleted.items()},
        "ephemerals": workspace.ephemerals,
        "homes": [[app, user, view] for (app, user), view in workspace.homes.items()],
        "files": [
            {
                "info": stored.info,
                "length": stored.length,
                "completed": stored.completed,
                "content": None if stored.content is None else base64.b64encode(stored.content).decode(),
            }
            for stored in workspace.files.values()
        ],
    }


def load(workspace: Workspace, data: Json) -> None:
    """Continue from a dump. ValueError for another version."""
    if data.get("version") != VERSION:
        raise ValueError(f"snapshot version {data.get('version')!r} is not {VERSION}")
    workspace.world = read_world(data["world"])
    workspace.numbering.load(data["numbering"])
    for stored in data["files"]:
        content = None if stored["content"] is None else base64.b64decode(stored["content"])
        kept = StoredFile(stored["info"], stored["length"], content, stored["completed"])
        workspace.files[kept.info["id"]] = kept
    for channel, messages in data["messages"].items():
        workspace.messages[channel].update({message["ts"]: _relinked(workspace, message) for message in messages})
    for channel, gone in data["deleted"].items():
        workspace.deleted[channel].update(gone)
    workspace.ephemerals.extend(data["ephemerals"])
    workspace.homes.update({(app, user): view for app, user, view in data["homes"]})
    workspace.changes.notify("channels")


def save(workspace: Workspace, path: Path) -> None:
    """Write a dump beside the old one and swap, so that a crash leaves one of them whole."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(dump(workspace)), encoding="utf-8")
    fresh.replace(path)


def read_world(data: Json) -> World:
    """A world from its JSON form."""
    return World(
        people=[Person(**person) for person in data["people"]],
        channels=[Channel(**channel) for channel in data["channels"]],
        apps=[_read_app(app) for app in data["apps"]],
        groups=[UserGroup(**group) for group in data["groups"]],
        team_id=data["team_id"],
        team_name=data["team_name"],
        domain=data["domain"],
    )


def _read_app(app: Json) -> AppInstall:
    return AppInstall(**{**app, "scopes": set(app["scopes"]), "events": set(app["events"])})


def _world(world: World) -> Json:
    shown = asdict(world)
    for app in shown["apps"]:
        app["scopes"], app["events"] = sorted(app["scopes"]), sorted(app["events"])
    return shown


def _relinked(workspace: Workspace, message: Json) -> Json:
    # A message shows its files as they are now, so it holds the very objects.
    files: list[Any] = message.get("files", [])
    if files:
        message["files"] = [workspace.files[f["id"]].info if f["id"] in workspace.files else f for f in files]
    return message
