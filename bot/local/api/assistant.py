"""Agent surfaces: status line, suggested prompts, thread title, agent sessions."""

from __future__ import annotations

from bot.local import posting
from bot.local.hub import Call
from bot.local.wire import Json, SlackError
from bot.local.workspace import Status

from .method import Method

_LOADING_MESSAGES = 10
_PROMPTS = 4
_SESSION_STATES = {"active", "processing", "suspended", "closed"}


def set_status(call: Call) -> Json:
    """Show what the app is doing in a thread; an empty status clears it."""
    channel = posting.member_channel(call.workspace, call.app, call.args.text("channel_id"))
    thread_ts = call.args.text("thread_ts")
    if call.workspace.message(channel.id, thread_ts) is None:
        raise SlackError("thread_not_found")
    loading = call.args.json("loading_messages") or []
    if not isinstance(loading, list) or len(loading) > _LOADING_MESSAGES:
        raise SlackError("invalid_arguments", "[ERROR] no more than 10 items [json-pointer:/loading_messages]")
    status = call.args.text("status")
    call.workspace.set_status(Status(channel.id, thread_ts, status, tuple(map(str, loading)), call.workspace.now()))
    return {}


def set_suggested_prompts(call: Call) -> Json:
    """Offer up to four prompts in a direct message."""
    channel = posting.member_channel(call.workspace, call.app, call.args.text("channel_id"))
    prompts = call.args.json("prompts")
    if not isinstance(prompts, list) or not 1 <= len(prompts) <= _PROMPTS:
        raise SlackError("invalid_arguments", "[ERROR] 1 to 4 items [json-pointer:/prompts]")
    if not all(isinstance(prompt, dict) and prompt.get("title") and prompt.get("message") for prompt in prompts):
        raise SlackError("invalid_arguments", "[ERROR] title and message are required [json-pointer:/prompts]")
    key = (channel.id, call.args.optional("thread_ts") or "")
    call.workspace.prompts[key] = {"title": call.args.optional("title"), "prompts": prompts}
    call.workspace.changes.notify("prompts", channel=channel.id)
    return {}


def set_title(call: Call) -> Json:
    """Name a thread."""
    channel = posting.member_channel(call.workspace, call.app, call.args.text("channel_id"))
    call.workspace.titles[channel.id, call.args.text("thread_ts")] = call.args.text("title")
    return {}


def session_status(call: Call) -> Json:
    """Move an agent session to a state, creating it when needed."""
    channel = posting.member_channel(call.workspace, call.app, call.args.text("channel_id"))
    status = call.args.text("status")
    if status not in _SESSION_STATES:
        raise SlackError("invalid_arguments", "[ERROR] unknown status [json-pointer:/status]")
    session = call.workspace.sessions.setdefault((channel.id, call.args.optional("thread_ts") or ""), {})
    session["status"] = status
    if call.args.has("title"):
        session["title"] = call.args.text("title")
    call.workspace.changes.notify("session", channel=channel.id)
    return {}


def session_rename(call: Call) -> Json:
    """Rename an agent session."""
    channel = posting.member_channel(call.workspace, call.app, call.args.text("channel_id"))
    session = call.workspace.sessions.get((channel.id, call.args.optional("thread_ts") or ""))
    if session is None:
        raise SlackError("session_not_found")
    session["title"] = call.args.text("title")
    return {}


METHODS = {
    "assistant.threads.setStatus": Method(set_status, ("chat:write", "assistant:write")),
    "assistant.threads.setSuggestedPrompts": Method(set_suggested_prompts, ("assistant:write",), 100),
    "assistant.threads.setTitle": Method(set_title, ("assistant:write",), 100),
    "agents.sessions.setStatus": Method(session_status, ("chat:write",), 50),
    "agents.sessions.rename": Method(session_rename, ("chat:write",), 50),
}
