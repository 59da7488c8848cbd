"""Streaming messages: `chat.startStream`, `chat.appendStream`, `chat.stopStream`."""

from __future__ import annotations

from bot.local import posting
from bot.local.content import MARKDOWN_TEXT, judge, record_refusal
from bot.local.hub import Call
from bot.local.validate.measures import characters
from bot.local.wire import Json, SlackError
from bot.local.workspace import Stream
from bot.local.world import Channel

from .method import Method

#: A stream dies about this many seconds after it began.
STREAM_SECONDS = 300


def start(call: Call) -> Json:
    """Begin a message that grows. Outside direct messages the human recipient must be named."""
    thread_ts = call.args.text("thread_ts")
    channel = posting.postable_channel(call.workspace, call.app, call.args.text("channel"), thread_ts)
    if channel.kind != "im":
        for name in ("recipient_user_id", "recipient_team_id"):
            if not call.args.has(name):
                raise SlackError(f"missing_{name}")
    content = posting.bot_message(call.workspace, call.app, {"text": "", "streaming_state": "in_progress"})
    message = posting.post(call.hub, channel, content, thread_ts, silent=True)
    stream = Stream(channel.id, message["ts"], call.workspace.now())
    call.workspace.streams[message["ts"]] = stream
    _grow(call, stream, message)
    return {"channel": channel.id, "ts": message["ts"]}


def append(call: Call) -> Json:
    """Add text or chunks."""
    channel, stream, message = _live(call)
    _grow(call, stream, message)
    return {"channel": channel.id, "ts": stream.ts}


def stop(call: Call) -> Json:
    """End the stream; final blocks stand under the text."""
    channel, stream, message = _live(call)
    _grow(call, stream, message)
    blocks = call.args.json("blocks", "invalid_blocks_format") or []
    content: Json = {"blocks": blocks, "metadata": call.args.json("metadata", "invalid_metadata_format")}
    try:
        judge(call.workspace, {name: value for name, value in content.items() if value})
    except SlackError as error:
        record_refusal(call.workspace, call.method, error, call.args.values)
        raise
    del call.workspace.streams[stream.ts]
    message.pop("streaming_state", None)
    text_block = [{"type": "markdown", "text": stream.text}] if stream.text else []
    message["blocks"] = posting.with_block_ids([*text_block, *message.get("blocks", []), *blocks], stream.ts)
    if content["metadata"]:
        message["metadata"] = content["metadata"]
    call.workspace.changes.notify("message", channel=channel.id, ts=stream.ts, thread_ts=message.get("thread_ts"))
    call.hub.delivery.message(posting.public(message), channel)
    return {"channel": channel.id, "ts": stream.ts, "message": posting.public(message, metadata=True)}


def _live(call: Call) -> tuple[Channel, Stream, Json]:
    channel = posting.member_channel(call.workspace, call.app, call.args.text("channel"))
    ts = call.args.text("ts")
    message = call.workspace.message(channel.id, ts)
    if message is None:
        raise SlackError("message_not_found")
    stream = call.workspace.streams.get(ts)
    if stream is None or call.workspace.now() - stream.started > STREAM_SECONDS:
        call.workspace.streams.pop(ts, None)
        raise SlackError("message_not_in_streaming_state")
    return channel, stream, message


def _grow(call: Call, stream: Stream, message: Json) -> None:
    text = call.args.optional("markdown_text") or ""
    if characters(text) > MARKDOWN_TEXT:
        raise SlackError("msg_too_long")
    stream.text += text
    for chunk in call.args.json("chunks") or []:
        _take_chunk(chunk, stream, message)
    message["text"] = stream.text
    call.workspace.changes.notify("message", channel=stream.channel, ts=stream.ts, thread_ts=message.get("thread_ts"))


def _take_chunk(chunk: Json, stream: Stream, message: Json) -> None:
    match chunk.get("type"):
        case "markdown_text":
            stream.text += chunk.get("text", "")
        case "task_update":
            tasks = message.setdefault("tasks", {})
            tasks[chunk.get("id")] = {**tasks.get(chunk.get("id"), {}), **chunk}
        case "plan_update":
            message["plan_title"] = chunk.get("title")
        case "blocks":
            message.setdefault("blocks", []).extend(chunk.get("blocks", []))
        case _:
            raise SlackError("invalid_chunks")


_WRITE = ("chat:write",)
METHODS = {
    "chat.startStream": Method(start, _WRITE, 20),
    "chat.appendStream": Method(append, _WRITE, 100),
    "chat.stopStream": Method(stop, _WRITE, 20),
}
