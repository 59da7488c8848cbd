"""Files in three steps (address, bytes, completion), their description, and their removal."""

from __future__ import annotations

from bot.local import file_store, posting
from bot.local.content import judge, record_refusal
from bot.local.hub import Call
from bot.local.wire import Json, SlackError

from .method import Method

_MOST_CHANNELS = 100
_ALT_TEXT = 1_000


def upload_url(call: Call) -> Json:
    """Step 1: an address for the bytes. An empty file is refused as Slack does: `missing_argument`."""
    filename = call.args.text("filename")
    length = call.args.number("length", 0)
    if length <= 0:
        raise SlackError("missing_argument", "[ERROR] missing required field: length")
    alt_text = call.args.optional("alt_txt")
    if alt_text and len(alt_text) > _ALT_TEXT:
        raise SlackError("alt_txt_too_large")
    file_id, url = file_store.reserve(call.workspace, filename, length, call.app.bot_user, alt_text)
    return {"upload_url": url, "file_id": file_id}


def complete(call: Call) -> Json:
    """Step 3: share uploaded files. Processing goes on after the reply, so `shares` is still empty in it."""
    wanted = call.args.json("files")
    if not isinstance(wanted, list) or not wanted:
        raise SlackError("invalid_arguments", "[ERROR] missing required field: files")
    channels = [call.args.text("channel_id")] if call.args.has("channel_id") else call.args.listing("channels")
    if len(channels) > _MOST_CHANNELS:
        raise SlackError("too_many_channels")
    thread_ts = call.args.optional("thread_ts")
    targets = [posting.postable_channel(call.workspace, call.app, channel, thread_ts) for channel in channels]
    stored = [file_store.claim(call.workspace, item) for item in wanted]
    comment = call.args.optional("initial_comment")
    blocks = None if comment else call.args.json("blocks", "invalid_blocks_format")
    if blocks:
        try:
            judge(call.workspace, {"blocks": blocks})
        except SlackError as error:
            record_refusal(call.workspace, call.method, error, call.args.values)
            raise
    content = posting.bot_message(call.workspace, call.app, {"text": comment or ""})
    if blocks:
        content["blocks"] = blocks
    shown = [file_store.snapshot(item) for item in stored]
    file_store.finish(call.hub, stored, targets, content, thread_ts)
    return {"files": shown}


def info(call: Call) -> Json:
    """One file; `shares` and `mimetype` appear when its processing is over."""
    stored = call.workspace.files.get(call.args.text("file"))
    if stored is None or not stored.completed:
        raise SlackError("file_not_found")
    return {"file": file_store.snapshot(stored), "comments": [], "response_metadata": {"next_cursor": ""}}


def delete(call: Call) -> Json:
    """Remove an own file."""
    file_id = call.args.text("file")
    stored = call.workspace.files.get(file_id)
    if stored is None:
        raise SlackError("file_not_found")
    if stored.info["user"] != call.app.bot_user:
        raise SlackError("cant_delete_file")
    file_store.forget(call.workspace, file_id)
    return {}


METHODS = {
    "files.getUploadURLExternal": Method(upload_url, ("files:write",), 100),
    "files.completeUploadExternal": Method(complete, ("files:write",), 100),
    "files.info": Method(info, ("files:read",), 100),
    "files.delete": Method(delete, ("files:write",), 50),
}
