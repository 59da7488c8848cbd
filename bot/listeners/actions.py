"""Clicks: acknowledged at once, acted on once each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.answers import CALL_ERRORS, error_name
from bot.intake import Intake

log = structlog.get_logger(__name__)

Ack = Callable[..., Awaitable[Any]]


class Actions:
    """The buttons under answers."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    async def retry(self, ack: Ack, body: dict[str, Any], client: AsyncWebClient) -> None:
        """A fresh turn with the same words, asked by whoever pressed."""
        await ack()
        action, click = body["actions"][0], click_key(body)
        if not await self._intake.state.inbox.first_time(f"click:{click}"):
            return
        channel = str((body.get("channel") or {}).get("id", ""))
        begun = await self._intake.again(str(action.get("value")), presser=_user(body), channel=channel, click=click)
        if not begun:
            await whisper(client, body, "That question is not kept any more. Please ask it again.")

    async def feedback(self, ack: Ack, body: dict[str, Any], client: AsyncWebClient) -> None:
        """A vote on an answer goes into the audit; everyone may vote."""
        await ack()
        if await self._intake.state.inbox.first_time(f"click:{click_key(body)}"):
            value = str(body["actions"][0].get("value", ""))
            await self._intake.state.audit.add("feedback", {"user": _user(body), "vote": value})
            await whisper(client, body, "Thank you, noted.")

    async def unknown(self, ack: Ack, body: dict[str, Any], client: AsyncWebClient) -> None:
        """A button that this version does not know is answered, never ignored."""
        await ack()
        await whisper(client, body, "This button belongs to another version of me; nothing was done.")

    async def acknowledge(self, ack: Ack) -> None:
        """Shortcuts and views that do nothing yet."""
        await ack()


def _user(body: dict[str, Any]) -> str:
    return str((body.get("user") or {}).get("id", ""))


def click_key(body: dict[str, Any]) -> str:
    """The identity of one click, whichever payload brings it."""
    action = body["actions"][0]
    return f"{action.get('action_ts')}:{_user(body)}:{action.get('action_id')}"


async def whisper(client: AsyncWebClient, body: dict[str, Any], text: str) -> None:
    """Tells the presser alone, where they pressed. That Slack refuses it is logged."""
    channel, message = body.get("channel") or {}, body.get("message") or {}
    if channel.get("id"):
        thread = message.get("thread_ts") or message.get("ts")
        try:
            await client.chat_postEphemeral(channel=channel["id"], user=_user(body), text=text, thread_ts=thread)
        except CALL_ERRORS as error:
            log.warning("a private word could not be said", reason=error_name(error) or type(error).__name__)
