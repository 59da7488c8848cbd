"""The click that asks in private: the same question in the presser's own direct message, as a turn of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.answers import CALL_ERRORS, error_name
from bot.intake import Intake
from bot.listeners.actions import click_key, whisper
from bot.question import Question
from bot.render.private_offer import asked_again
from bot.slack_client import body_of

log = structlog.get_logger(__name__)

_FORGOTTEN = "That question is not kept any more. Please ask it again."
_BY_HAND = "I could not open our direct message. Please write to me there yourself."


class AskInPrivate:
    """Takes the question of a refusal into a direct message. What is open there is decided for the presser."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    async def pressed(self, ack: Callable[..., Awaitable[Any]], body: dict[str, Any], client: AsyncWebClient) -> None:
        """Begins a thread in the direct message and a turn in it, once per click."""
        await ack()
        click = click_key(body)
        if not await self._intake.state.inbox.first_time(f"click:{click}"):
            return
        turn_id = str(body["actions"][0].get("value"))
        asked = await self._intake.asked(turn_id, channel=str((body.get("channel") or {}).get("id", "")))
        if asked is None:
            await whisper(client, body, _FORGOTTEN)
            return
        presser = str((body.get("user") or {}).get("id", ""))
        try:
            channel, ts = await _thread(client, presser, asked.text)
        except (SlackClientError, *CALL_ERRORS) as error:
            log.warning("no direct message was opened", user=presser, error=error_name(error) or type(error).__name__)
            await whisper(client, body, _BY_HAND)
            return
        private = Question(asked.team, channel, ts, ts, presser, asked.text, addressed=True)
        await self._intake.question(f"private:{turn_id}:{click}", private, None)
        await whisper(client, body, "I answer you in our direct message.")


async def _thread(client: AsyncWebClient, user: str, question: str) -> tuple[str, str]:
    """The direct message with a person, and the message there that quotes the question."""
    opened = body_of(await client.conversations_open(users=user))
    channel = str(opened["channel"]["id"])
    said = asked_again(question)
    posted = await client.chat_postMessage(
        channel=channel, text=said.text, blocks=list(said.blocks), unfurl_links=False, unfurl_media=False
    )
    return channel, str(body_of(posted)["ts"])
