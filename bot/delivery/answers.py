"""Slack's answers to a call, as what the outbox has to know: later, in doubt, or refused and why."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError

from bot.slack_client import retry_after
from runtime.deliveries import InDoubt, Later, Refused

# What a broken line, a lost reply or a refusal looks like from here.
CALL_ERRORS = (SlackApiError, aiohttp.ClientError, asyncio.TimeoutError, OSError)

BLOCK_ERRORS = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_blocks_too_long",
        "invalid_attachments",
        "too_many_attachments",
        "block_mismatch",
    }
)
# Slack says of these that part of the work may have been done.
_DOUBTFUL = frozenset({"internal_error", "fatal_error", "duplicate_message_not_found", "duplicate_channel_not_found"})
_SURELY_NOT = frozenset({"ratelimited", "rate_limited", "service_unavailable", "request_timeout", "team_added_to_org"})
_LATER_S = 5.0
_MOST_LATER_S = 300.0

REASONS: Mapping[str, str] = {
    "thread_not_found": "the thread's first message was deleted",
    "cannot_reply_to_message": "the thread's first message was deleted or takes no replies",
    "message_not_found": "the message to be edited is gone",
    "cant_update_message": "the message to be edited is not ours",
    "edit_window_closed": "the workspace no longer lets this message be edited",
    "channel_not_found": "the channel is gone, or the bot may not see it",
    "not_in_channel": "the bot is not in the channel; invite it",
    "is_archived": "the channel is archived",
    "restricted_action": "the workspace does not let the bot post here",
    "restricted_action_read_only_channel": "the channel is read-only",
    "restricted_action_thread_locked": "the thread is locked",
    "no_permission": "the bot lacks a permission in the workspace",
    "invalid_auth": "the bot token is not valid; set SLACK_BOT_TOKEN again",
    "not_authed": "no bot token was sent; set SLACK_BOT_TOKEN",
    "not_allowed_token_type": "this is not a bot token; SLACK_BOT_TOKEN begins with xoxb-",
    "token_revoked": "the bot token was revoked; install the app again",
    "token_expired": "the bot token has expired; install the app again",
    "account_inactive": "the bot's account or the workspace is deactivated",
    "missing_scope": "the app lacks a scope; add it and install the app again",
    "org_login_required": "the workspace is being migrated to an organisation",
    "msg_too_long": "the text is too long",
    "no_text": "there was nothing to post",
    "metadata_too_large": "the message's metadata is too large",
    "file_not_found": "the uploaded file is gone",
    "file_uploads_disabled": "the workspace does not allow uploads",
    "storage_limit_reached": "the workspace has no storage left",
}


def error_name(error: BaseException) -> str:
    """Slack's own name for a refusal; `http_500` and the like when it gave none; '' for a broken line."""
    if not isinstance(error, SlackApiError):
        return ""
    body = _body(error)
    named = body.get("error")
    return str(named) if named else f"http_{getattr(error.response, 'status_code', 0)}"


def outcome_of(error: BaseException) -> Later | InDoubt | Refused:
    """What a failed call means for the posting it was to make."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return Later(_LATER_S)
    name = error_name(error)
    if not name:
        return InDoubt(f"no reply: {type(error).__name__}")
    response = getattr(error, "response", None)
    if getattr(response, "status_code", 200) == 429 or name in _SURELY_NOT:
        asked = retry_after(getattr(response, "headers", None))
        return Later(min(_LATER_S if asked is None else asked, _MOST_LATER_S))
    if name in _DOUBTFUL or name.startswith("http_"):
        return InDoubt(name)
    return Refused(reason_of(error))


def reason_of(error: BaseException) -> str:
    """`name: what it means`, fit for an operator's log; never a token or a body."""
    name = error_name(error) or type(error).__name__
    said = REASONS.get(name, "Slack refused the call")
    needed = _body(error).get("needed")
    return f"{name}: {said}" + (f" (scope {needed})" if needed else "")


def complaints(error: BaseException) -> list[str]:
    """Slack's remarks on refused blocks, with pointers to the bad ones."""
    details = _body(error).get("response_metadata") or {}
    return [str(message) for message in details.get("messages", [])]


def _body(error: BaseException) -> Mapping[str, Any]:
    data = getattr(getattr(error, "response", None), "data", None)
    return data if isinstance(data, Mapping) else {}
