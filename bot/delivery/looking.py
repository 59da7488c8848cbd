"""Looks for a message that an earlier attempt may have posted, by the delivery id in its metadata."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.answers import CALL_ERRORS, error_name, reason_of
from bot.delivery.payload import Place
from bot.delivery.posting import EVENT_TYPE
from runtime.deliveries import CannotTell, NotThere, Probed, Sent
from runtime.state import Delivery

_PAGE = 200
_PAGES = 20
# Our clock and Slack's may differ by this much before a request with a signature would be refused anyway.
_CLOCKS = timedelta(minutes=5)
_GONE = frozenset({"thread_not_found", "message_not_found"})
_BLIND = frozenset({"missing_scope", "channel_not_found", "not_in_channel", "no_permission", "not_allowed_token_type"})


async def look(client: AsyncWebClient, place: Place, delivery: Delivery) -> Probed:
    """Sent with the message's ts, NotThere, or CannotTell. Raises what the call raises when Slack can't be asked now.

    A thread that is gone can't take the posting again, so it counts as not there: the next attempt is refused.
    """
    try:
        async for message in _messages(client, place, delivery):
            if _named(message, delivery.id):
                return Sent(str(message["ts"]))
    except CALL_ERRORS as error:
        name = error_name(error)
        if name in _GONE:
            return NotThere()
        if name in _BLIND:
            return CannotTell(reason_of(error))
        raise
    return NotThere()


async def _messages(client: AsyncWebClient, place: Place, delivery: Delivery) -> AsyncIterator[Mapping[str, Any]]:
    asked: dict[str, Any] = {"channel": place.channel, "include_all_metadata": True, "limit": _PAGE}
    if delivery.claimed_at is not None:
        asked["oldest"] = f"{(delivery.claimed_at - _CLOCKS).timestamp():.6f}"
    for _ in range(_PAGES):
        if place.thread_ts is None:
            reply = await client.conversations_history(**asked)
        else:
            reply = await client.conversations_replies(**asked, ts=place.thread_ts)
        for message in reply.get("messages") or []:
            yield message
        cursor = (reply.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            return
        asked["cursor"] = cursor


def _named(message: Mapping[str, Any], delivery_id: str) -> bool:
    metadata = message.get("metadata") or {}
    payload = metadata.get("event_payload") or {}
    return metadata.get("event_type") == EVENT_TYPE and payload.get("delivery_id") == delivery_id
