"""Answers through `response_url` and through the acknowledgement of a command."""

from __future__ import annotations

from . import posting
from .content import judge, record_refusal
from .grants import use_response_url
from .hub import Hub
from .wire import Json, SlackError
from .workspace import Grant


def respond(hub: Hub, secret: str, body: Json) -> None:
    """One use of a response url: reply, replace or delete. Raises Slack's refusals."""
    grant = use_response_url(hub.workspace, secret)
    answer(hub, grant, body, method="response_url")


def answer(hub: Hub, grant: Grant, body: Json, *, method: str) -> None:
    """Carry out an answer: `delete_original`, `replace_original`, or a new message, private by default."""
    if body.get("delete_original"):
        _delete(hub, grant)
        return
    content = {name: body[name] for name in ("text", "blocks", "attachments", "metadata") if body.get(name)}
    _check(hub, content, method, body)
    app = hub.workspace.app(grant.app_id)
    if body.get("replace_original") and grant.message_ts is not None:
        _replace(hub, grant, content)
        return
    message = posting.bot_message(hub.workspace, app, {"text": "", **content})
    thread_ts = body.get("thread_ts") or grant.thread_ts
    if body.get("response_type") == "in_channel":
        posting.post(hub, hub.workspace.channel(grant.channel), message, thread_ts)
    else:
        posting.post_ephemeral(hub, grant.channel, grant.user, message, thread_ts)


def _check(hub: Hub, content: Json, method: str, body: Json) -> None:
    try:
        if not content:
            raise SlackError("no_text", status=400)
        judge(hub.workspace, content)
    except SlackError as error:
        record_refusal(hub.workspace, method, error, body)
        raise


def _replace(hub: Hub, grant: Grant, content: Json) -> None:
    workspace = hub.workspace
    if grant.ephemeral:
        original = next((m for m in workspace.ephemerals if m["ts"] == grant.message_ts), None)
        if original is None:
            raise SlackError("message_not_found", status=404)
        original.pop("blocks", None)
        original |= content
        if "blocks" in content:
            original["blocks"] = posting.with_block_ids(content["blocks"], original["ts"])
        workspace.changes.notify("ephemeral", channel=grant.channel, ts=original["ts"], user=grant.user)
        return
    channel = workspace.channel(grant.channel)
    if workspace.message(channel.id, grant.message_ts or "") is None:
        raise SlackError("message_not_found", status=404)
    bot = workspace.app(grant.app_id).bot_user
    posting.edit(hub, channel, grant.message_ts or "", {"blocks": None, **content}, bot)


def _delete(hub: Hub, grant: Grant) -> None:
    workspace = hub.workspace
    if grant.ephemeral:
        workspace.ephemerals[:] = [m for m in workspace.ephemerals if m["ts"] != grant.message_ts]
        workspace.changes.notify("ephemeral", channel=grant.channel, ts=grant.message_ts, user=grant.user)
    elif grant.message_ts is not None and workspace.message(grant.channel, grant.message_ts) is not None:
        posting.remove(hub, workspace.channel(grant.channel), grant.message_ts)
    else:
        raise SlackError("message_not_found", status=404)
