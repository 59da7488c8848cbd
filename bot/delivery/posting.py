"""Posts one message, and steps down the ladder when Slack refuses its blocks: folds, flat blocks, text and a file."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.answers import BLOCK_ERRORS, CALL_ERRORS, complaints, error_name, outcome_of
from bot.delivery.payload import Place
from bot.pacing import Pacer
from bot.render.blocks import SlackMessage
from bot.render.fallback import as_text, flat, short_text
from runtime.deliveries import InDoubt, Refused, SendOutcome, Sent

log = structlog.get_logger(__name__)

EVENT_TYPE = "footnote_delivery"
_REMEMBERED = 1_000
_NOTES = uuid.UUID("5b0c8d8e-2a57-4c51-9f3f-6b1f2a0f6c33")


@dataclass(frozen=True, slots=True)
class Rung:
    """One way to say a message. `rest`: the whole text, when this rung had to leave some of it out."""

    name: str
    text: str
    blocks: tuple[dict[str, Any], ...] = ()
    rest: str = ""


def rungs(message: SlackMessage) -> Iterator[Rung]:
    """The message as meant, flat, and as text alone."""
    if message.blocks:
        yield Rung("blocks", message.text, message.blocks)
        lower = flat(message)
        if lower is not None and lower.blocks != message.blocks:
            yield Rung("flat", lower.text, lower.blocks)
    full = as_text(message)
    text, left = short_text(full)
    yield Rung("text", text, rest=full if left else "")


class Posting:
    """Posts and edits messages over one client."""

    def __init__(self, client: AsyncWebClient, pacer: Pacer) -> None:
        self._client = client
        self._pacer = pacer
        # How far down each delivery was when its fate was in doubt: "internal_error" may be Slack's word for blocks
        # it can't digest, so the next attempt begins one rung lower.
        self._lowered: OrderedDict[str, int] = OrderedDict()

    async def post(self, place: Place, message: SlackMessage, token: str, delivery_id: str) -> tuple[SendOutcome, str]:
        """Posts to a thread or channel; with the outcome comes what is left for a file ('' for nothing)."""
        ladder = list(rungs(message))
        for number in range(min(self._lowered.get(delivery_id, 0), len(ladder) - 1), len(ladder)):
            rung = ladder[number]
            await self._pacer.wait(place.channel)
            try:
                reply = await self._client.chat_postMessage(
                    channel=place.channel,
                    thread_ts=place.thread_ts,
                    text=rung.text,
                    blocks=list(rung.blocks) or None,
                    unfurl_links=False,
                    unfurl_media=False,
                    link_names=False,
                    client_msg_id=token,
                    metadata={"event_type": EVENT_TYPE, "event_payload": {"delivery_id": delivery_id}},
                )
            except CALL_ERRORS as error:
                outcome = self._judged(error, rung, number, delivery_id)
                if outcome is None:
                    continue
                return outcome, ""
            self._lowered.pop(delivery_id, None)
            return Sent(str(reply["ts"])), rung.rest
        return Refused("invalid_blocks: Slack refused every form of this message"), ""

    async def edit(self, place: Place, message: SlackMessage) -> SendOutcome:
        """Replaces our own message `place.ts`. `parse` is set because chat.update would link names by default."""
        for rung in rungs(message):
            try:
                await self._client.chat_update(
                    channel=place.channel,
                    ts=place.ts or "",
                    text=rung.text,
                    blocks=list(rung.blocks),
                    parse="none",
                    link_names=False,
                )
            except CALL_ERRORS as error:
                if error_name(error) in BLOCK_ERRORS and rung.blocks:
                    _tell(error, rung)
                    continue
                return outcome_of(error)
            return Sent(place.ts or "")
        return Refused("invalid_blocks: Slack refused every form of this message")

    async def remark(self, place: Place, text: str, token: str) -> None:
        """A short word beside a delivery that failed in part; a failure here is logged, never raised."""
        await self._pacer.wait(place.channel)
        try:
            await self._client.chat_postMessage(
                channel=place.channel,
                thread_ts=place.thread_ts,
                text=text,
                unfurl_links=False,
                unfurl_media=False,
                client_msg_id=str(uuid.uuid5(_NOTES, token)),
            )
        except CALL_ERRORS as error:
            log.warning("a remark could not be posted", reason=error_name(error) or type(error).__name__)

    def _judged(self, error: BaseException, rung: Rung, number: int, delivery_id: str) -> SendOutcome | None:
        """The outcome of a failed attempt; None to try the next rung."""
        if error_name(error) in BLOCK_ERRORS and rung.blocks:
            _tell(error, rung)
            return None
        outcome = outcome_of(error)
        if isinstance(outcome, InDoubt) and error_name(error) == "internal_error":
            self._lowered[delivery_id] = number + 1
            while len(self._lowered) > _REMEMBERED:
                self._lowered.popitem(last=False)
        return outcome


def _tell(error: BaseException, rung: Rung) -> None:
    log.warning("blocks refused", rung=rung.name, error=error_name(error), messages=complaints(error))
