"""The Undo button under a change that is done: a turn of the presser's own, in the thread of the change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.address import Address
from bot.intake import Intake
from bot.listeners.actions import Ack, click_key, whisper
from bot.question import Question
from bot.undo import NOT_KEPT


@dataclass(frozen=True, slots=True)
class Undo:
    """Starts undoing. The button grants nothing: who may approve is asked again, on a card of its own."""

    intake: Intake

    async def pressed(self, ack: Ack, body: dict[str, Any], client: AsyncWebClient) -> None:
        """Once per click, in the conversation of the change alone."""
        await ack()
        click, receipt = click_key(body), str(body["actions"][0].get("value") or "")
        if not await self.intake.state.inbox.first_time(f"click:{click}"):
            return
        effect = await self.intake.state.effects.get(receipt)
        where = None if effect is None else Address.parse(effect.conversation)
        if where is None or where.channel != str((body.get("channel") or {}).get("id", "")):
            await whisper(client, body, NOT_KEPT)
            return
        question = Question(
            team=where.team,
            channel=where.channel,
            ts=where.thread_ts,
            thread_ts=where.thread_ts,
            user=str((body.get("user") or {}).get("id", "")),
            text=f"Undo the change {receipt}",
            addressed=True,
            undo=receipt,
        )
        await self.intake.question(f"undo:{receipt}:{click}", question, None)
