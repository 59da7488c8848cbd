"""Tells the operators of a problem, each in their own direct message."""

from __future__ import annotations

from collections.abc import Iterable

import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.answers import CALL_ERRORS, error_name
from bot.render.failure import plain_message
from bot.slack_client import body_of

log = structlog.get_logger(__name__)


async def tell_operators(client: AsyncWebClient, users: Iterable[str], text: str) -> None:
    """Posts `text` to each. That Slack refuses it is logged: the problem itself stands in the log already."""
    said = plain_message(text)
    for user in users:
        try:
            opened = body_of(await client.conversations_open(users=user))
            await client.chat_postMessage(
                channel=str(opened["channel"]["id"]), text=said.text, blocks=list(said.blocks), unfurl_links=False
            )
        except (SlackClientError, *CALL_ERRORS) as error:
            log.warning("an operator was not told", user=user, error=error_name(error) or type(error).__name__)
