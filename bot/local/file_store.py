"""Files of the workspace: reserved, uploaded, processed, shared, downloaded."""

from __future__ import annotations

import mimetypes
from copy import deepcopy
from pathlib import PurePosixPath

from . import posting
from .hub import Hub
from .wire import Json, SlackError
from .workspace import StoredFile, Workspace
from .world import Channel


def reserve(
    workspace: Workspace, filename: str, length: int, user: str, alt_text: str | None = None
) -> tuple[str, str]:
    """A fresh file id and the absolute address its bytes go to."""
    file_id = workspace.numbering.new("F")
    base = f"{workspace.url}/files-pri/{workspace.world.team_id}-{file_id}"
    name = PurePosixPath(filename).name or "untitled"
    info: Json = {
        "id": file_id,
        "created": int(workspace.now()),
        "timestamp": int(workspace.now()),
        "name": name,
        "title": name,
        "user": user,
        "size": length,
        "mode": "hosted",
        "is_external": False,
        "is_public": False,
        "url_private": f"{base}/{name}",
        "url_private_download": f"{base}/download/{name}",
        "permalink": f"https://{workspace.world.domain}.slack.com/files/{user}/{file_id}/{name}",
        "channels": [],
        "groups": [],
        "ims": [],
        "shares": {},
    }
    if alt_text:
        info["alt_txt"] = alt_text
    workspace.files[file_id] = StoredFile(info, length)
    secret = workspace.new_secret()
    workspace.uploads[secret] = file_id
    return file_id, f"{workspace.url}/upload/v1/{secret}"


def receive(workspace: Workspace, secret: str, content: bytes) -> StoredFile:
    """Step 2: the bytes. LookupError for an unknown address, ValueError when the length differs."""
    file_id = workspace.uploads[secret]
    stored = workspace.files[file_id]
    if len(content) != stored.length:
        raise ValueError(f"expected {stored.length} bytes, got {len(content)}")
    stored.content = content
    return stored


def claim(workspace: Workspace, item: Json) -> StoredFile:
    """An uploaded file that is to be completed, with its title. `file_not_found` before its bytes came."""
    stored = workspace.files.get(str(item.get("id")))
    if stored is None or stored.content is None:
        raise SlackError("file_not_found")
    if item.get("title"):
        stored.info["title"] = str(item["title"])
    return stored


def finish(hub: Hub, stored: list[StoredFile], targets: list[Channel], content: Json, thread_ts: str | None) -> None:
    """Complete files now; describe and share them when processing is over (faults may hold or lose that)."""
    workspace = hub.workspace
    for item in stored:
        item.completed = True
    shared = True
    if targets and workspace.faults.lost_shares > 0:
        workspace.faults.lost_shares -= 1
        shared = False

    def process() -> None:
        for item in stored:
            describe(item)
        if shared:
            for channel in targets:
                share(hub, stored, channel, content, thread_ts)
        workspace.changes.notify("file", ids=[item.info["id"] for item in stored])

    workspace.faults.when_files_flow(process)


def describe(stored: StoredFile) -> None:
    """What Slack learns by processing: type, and thumbnails for images."""
    name = stored.info["name"]
    mimetype = mimetypes.guess_type(name)[0] or "application/octet-stream"
    extension = PurePosixPath(name).suffix.lstrip(".").lower()
    stored.info |= {"mimetype": mimetype, "filetype": extension or "text", "pretty_type": extension.upper() or "Text"}


def share(hub: Hub, stored: list[StoredFile], channel: Channel, content: Json, thread_ts: str | None) -> Json | None:
    """Post the message that carries the files; None when its thread or channel is gone by now."""
    workspace = hub.workspace
    if channel.archived or (thread_ts is not None and workspace.message(channel.id, thread_ts) is None):
        return None
    message = posting.post(
        hub, channel, {**content, "files": [item.info for item in stored], "upload": True}, thread_ts, silent=True
    )
    # The files' own record lists the share before anybody hears of it.
    for item in stored:
        visibility = "public" if channel.kind == "channel" else "private"
        entry: Json = {"ts": message["ts"], "channel_name": channel.name, "team_id": workspace.world.team_id}
        if thread_ts is not None:
            entry["thread_ts"] = thread_ts
        item.info["shares"].setdefault(visibility, {}).setdefault(channel.id, []).append(entry)
        item.info[{"im": "ims", "private": "groups"}.get(channel.kind, "channels")].append(channel.id)
        item.info["is_public"] = item.info["is_public"] or channel.kind == "channel"
    hub.delivery.message(posting.public(message), channel)
    for item in stored:
        event = {
            "type": "file_shared",
            "file_id": item.info["id"],
            "user_id": item.info["user"],
            "file": {"id": item.info["id"]},
            "channel_id": channel.id,
            "event_ts": message["ts"],
        }
        hub.delivery.subscribed("file_shared", event, channel)
    return message


def snapshot(stored: StoredFile) -> Json:
    """The file object as the API shows it now."""
    return deepcopy(stored.info)


def forget(workspace: Workspace, file_id: str) -> None:
    """Remove a file and its appearances in messages."""
    del workspace.files[file_id]
    for messages in workspace.messages.values():
        for message in messages.values():
            if any(shown["id"] == file_id for shown in message.get("files", [])):
                message["files"] = [shown for shown in message["files"] if shown["id"] != file_id]
    workspace.changes.notify("file", ids=[file_id])
