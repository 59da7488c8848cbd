"""The files of a thread's messages: those posted before we were asked about them, and those taken back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.address import Address
from bot.delivery.answers import CALL_ERRORS, error_name
from bot.question import Question, event_of, team_of
from bot.shared_files.slack_file import SlackFile, described
from runtime.engines.workspace.folder import kind_of

log = structlog.get_logger(__name__)

_MESSAGES = 200


async def earlier_files(client: AsyncWebClient, question: Question) -> tuple[Mapping[str, Any], ...]:
    """What is kept of the readable files in the first messages of the question's thread, by people, before it. None
    when Slack can't be asked: the question is answered without them."""
    try:
        reply = await client.conversations_replies(
            channel=question.channel, ts=question.thread_ts, latest=question.ts, inclusive=False, limit=_MESSAGES
        )
    except CALL_ERRORS as error:
        log.warning("a thread's files could not be learned", reason=error_name(error) or type(error).__name__)
        return ()
    messages: list[dict[str, Any]] = reply.get("messages") or []
    earlier = [message for message in messages if not message.get("bot_id") and str(message.get("ts")) < question.ts]
    files = (file for message in earlier for file in described(message.get("files")))
    return tuple(file for file in files if kind_of(SlackFile.of(file).name)[0])


def taken_back(body: Mapping[str, Any]) -> tuple[str, str, frozenset[str]]:
    """The conversation of a message that was deleted or changed, its ts, and the files that it has no more."""
    event = event_of(body)
    before: Any = event.get("previous_message")
    if event.get("subtype") not in ("message_deleted", "message_changed") or not isinstance(before, Mapping):
        return "", "", frozenset()
    had = cast("Mapping[str, Any]", before)
    address = Address(team_of(body), str(event.get("channel") or ""), str(had.get("thread_ts") or had.get("ts") or ""))
    return str(address), str(had.get("ts") or ""), _ids(had) - _ids(event.get("message"))


def _ids(message: object) -> frozenset[str]:
    files = cast("Mapping[str, Any]", message).get("files") if isinstance(message, Mapping) else None
    return frozenset(str(file["id"]) for file in described(files))
