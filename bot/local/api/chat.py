"""`chat.postMessage`, `chat.update`, `chat.delete`, `chat.postEphemeral`, `chat.getPermalink`, `blocks.validate`."""

from __future__ import annotations

from bot.local import posting
from bot.local.content import read_content
from bot.local.hub import Call
from bot.local.validate import validate_payload
from bot.local.wire import Json, SlackError
from bot.local.world import Channel

from .method import Method


def post_message(call: Call) -> Json:
    """Post to a channel, a thread, or (by user id) a direct message."""
    thread_ts = call.args.optional("thread_ts")
    channel = posting.postable_channel(call.workspace, call.app, call.args.text("channel"), thread_ts)
    content, warnings = read_content(call)
    if call.args.flag("reply_broadcast") and thread_ts:
        content["subtype"] = "thread_broadcast"
    message = posting.post(call.hub, channel, posting.bot_message(call.workspace, call.app, content), thread_ts)
    reply: Json = {"channel": channel.id, "ts": message["ts"], "message": posting.public(message, metadata=True)}
    if warnings:
        reply |= {"warning": ",".join(warnings), "response_metadata": {"warnings": warnings}}
    return reply


def update(call: Call) -> Json:
    """Edit an own message. Fields not given stay as they are."""
    channel, ts = _own_message(call, "cant_update_message")
    if ts in call.workspace.streams:
        raise SlackError("streaming_state_conflict")
    content, _ = read_content(call, updating=True)
    message = posting.edit(call.hub, channel, ts, content, call.app.bot_user)
    return {
        "channel": channel.id,
        "ts": ts,
        "text": message.get("text", ""),
        "message": posting.public(message, metadata=True),
    }


def delete(call: Call) -> Json:
    """Delete an own message."""
    channel, ts = _own_message(call, "cant_delete_message")
    posting.remove(call.hub, channel, ts)
    return {"channel": channel.id, "ts": ts}


def post_ephemeral(call: Call) -> Json:
    """Show a message to one member of a channel."""
    thread_ts = call.args.optional("thread_ts")
    channel = posting.postable_channel(call.workspace, call.app, call.args.text("channel"), thread_ts)
    user = call.args.text("user")
    if user not in channel.members:
        raise SlackError("user_not_in_channel")
    content, _ = read_content(call)
    message = posting.post_ephemeral(
        call.hub, channel.id, user, posting.bot_message(call.workspace, call.app, content), thread_ts
    )
    return {"message_ts": message["ts"]}


def get_permalink(call: Call) -> Json:
    """A link to a message."""
    channel = posting.readable_channel(call.workspace, call.app, call.args.text("channel"))
    ts = call.args.text("message_ts")
    if call.workspace.message(channel.id, ts) is None:
        raise SlackError("message_not_found")
    domain = call.workspace.world.domain
    return {
        "channel": channel.id,
        "permalink": f"https://{domain}.slack.com/archives/{channel.id}/p{ts.replace('.', '')}",
    }


def blocks_validate(call: Call) -> Json:
    """Judge blocks, a message or a view without posting."""
    given = [name for name in ("blocks", "message", "view") if call.args.has(name)]
    if len(given) != 1:
        raise SlackError("invalid_arguments", "[ERROR] provide exactly one of blocks, message, or view")
    problems = validate_payload(given[0], call.args.json(given[0]))
    if problems:
        errors = [{"pointer": p.pointer, "code": "failed_constraint", "message": p.message} for p in problems]
        raise SlackError(f"invalid_{given[0]}", errors=errors)
    return {}


def _own_message(call: Call, refusal: str) -> tuple[Channel, str]:
    channel = posting.readable_channel(call.workspace, call.app, call.args.text("channel"))
    ts = call.args.text("ts")
    message = call.workspace.message(channel.id, ts)
    if message is None:
        raise SlackError("message_not_found")
    if message.get("bot_id") != call.app.bot_id:
        raise SlackError(refusal)
    if channel.archived:
        raise SlackError("is_archived")
    return channel, ts


_WRITE = ("chat:write",)
METHODS = {
    "chat.postMessage": Method(post_message, _WRITE),
    "chat.update": Method(update, _WRITE, 50),
    "chat.delete": Method(delete, _WRITE, 50),
    "chat.postEphemeral": Method(post_ephemeral, _WRITE, 100),
    "chat.getPermalink": Method(get_permalink),
    "blocks.validate": Method(blocks_validate, needs_token=False),
}
