"""The Slack side of the outbox: sends one delivery, or looks whether an earlier attempt arrived."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.answers import CALL_ERRORS, outcome_of
from bot.delivery.looking import look
from bot.delivery.payload import Place, message_of
from bot.delivery.posting import Posting
from bot.delivery.uploading import Uploading
from bot.pacing import Pacer
from bot.render.files import FilePart
from bot.render.text import line_text
from runtime.deliveries import InDoubt, Later, Probed, Refused, SendOutcome, Sent
from runtime.evidence import Json
from runtime.state import Delivery

log = structlog.get_logger(__name__)

Note = Callable[[Delivery, Json], Awaitable[None]]
Edited = Callable[[Delivery], Awaitable[str | None]]
_REMEMBERED = 1_000
_ASK_AGAIN_S = 5.0
# With these nothing can be said in the thread either.
_SILENT = (
    "thread_not_found",
    "cannot_reply",
    "channel_not_found",
    "not_in_channel",
    "is_archived",
    "restricted_action",
)


class SlackSender:
    """Implements `runtime.deliveries.Sender`. `note` keeps an upload's id in the outbox across a crash; `edited` finds
    the message that an edit without a `ts` of its own is about."""

    def __init__(
        self,
        client: AsyncWebClient,
        pacer: Pacer,
        *,
        note: Note | None = None,
        edited: Edited | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._posting = Posting(client, pacer)
        self._uploading = Uploading(client, pacer, sleep)
        self._note = note
        self._edited = edited
        self._uploads: OrderedDict[str, str] = OrderedDict()

    async def send(self, delivery: Delivery) -> SendOutcome:
        """Makes the posting. Raises nothing that Slack or the line can cause."""
        place = Place.of(delivery.payload)
        match delivery.kind:
            case "file":
                outcome = await self._send_file(place, delivery)
            case "update":
                outcome = await self._edit(place, delivery)
            case _:
                outcome = await self._send_message(place, delivery)
        if isinstance(outcome, Refused):
            log.error("delivery refused", delivery_id=delivery.id, kind=delivery.kind, reason=outcome.reason)
        if isinstance(outcome, Later):
            log.info("posting again later", delivery_id=delivery.id, kind=delivery.kind, seconds=outcome.seconds)
        return outcome

    async def probe(self, delivery: Delivery) -> Probed:
        """Looks in the thread for the delivery's metadata, or for the share of its file. Raises what a call raises
        that Slack refuses for a reason of its own (a revoked token): the posting then stays in doubt."""
        place = Place.of(delivery.payload)
        try:
            if delivery.kind == "file":
                return await self._uploading.look(place, self._file_id(delivery))
            return await look(self._client, place, delivery)
        except CALL_ERRORS as error:
            match outcome_of(error):
                case Later() as later:
                    return later
                case InDoubt():
                    return Later(_ASK_AGAIN_S)
                case Refused():
                    raise

    async def _edit(self, place: Place, delivery: Delivery) -> SendOutcome:
        if place.ts is None and self._edited is not None:
            place = Place(place.channel, ts=await self._edited(delivery))
        if place.ts is None:
            return Refused("message_not_found: the message to be edited was never posted")
        return await self._posting.edit(place, message_of(delivery.payload))

    async def _send_message(self, place: Place, delivery: Delivery) -> SendOutcome:
        message = message_of(delivery.payload)
        outcome, rest = await self._posting.post(place, message, delivery.client_token, delivery.id)
        if isinstance(outcome, Sent) and rest:
            file = FilePart("message.txt", "The whole message as text", "The message above in full", rest.encode())
            attached = await self._uploading.upload(place, file, None, _forget)
            if not isinstance(attached, Sent):
                log.warning("the rest of a message could not be attached", delivery_id=delivery.id)
        return outcome

    async def _send_file(self, place: Place, delivery: Delivery) -> SendOutcome:
        file = FilePart.from_json(delivery.payload)

        async def keep(file_id: str) -> None:
            self._uploads[delivery.id] = file_id
            while len(self._uploads) > _REMEMBERED:
                self._uploads.popitem(last=False)
            if self._note is not None:
                await self._note(delivery, {"file_id": file_id})

        outcome = await self._uploading.upload(place, file, self._file_id(delivery), keep)
        if isinstance(outcome, Refused) and outcome.reason.startswith("file_not_found"):
            # An upload of an earlier attempt that Slack has forgotten: its bytes go once more.
            outcome = await self._uploading.upload(place, file, None, keep)
        if isinstance(outcome, Refused) and not outcome.reason.startswith(_SILENT):
            name = line_text(file.name, 80)
            await self._posting.remark(place, f"The file {name} could not be attached.", delivery.client_token)
        return outcome

    def _file_id(self, delivery: Delivery) -> str | None:
        kept: Any = delivery.progress
        noted = kept.get("file_id") if isinstance(kept, dict) else None
        return self._uploads.get(delivery.id) or noted


async def _forget(file_id: str) -> None:
    """For files that nobody looks for again."""
