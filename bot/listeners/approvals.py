"""Clicks on approval cards: acknowledged at once; then card, thread or presser hear what came of it."""

from __future__ import annotations

import json
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals import Press, Presses
from bot.delivery.answers import CALL_ERRORS, error_name
from bot.listeners.actions import Ack, click_key, whisper
from bot.render.approval_card import reject_modal
from runtime.errors import StateError

log = structlog.get_logger(__name__)

UNSAVED = "I could not write that down just now; nothing was run. Please press again."
AGAIN = "The question for the reason could not be opened; nothing was decided. Please press Reject again."


class ApprovalClicks:
    """The buttons of the card, and the modal behind *Reject*."""

    def __init__(self, presses: Presses) -> None:
        self._presses = presses

    async def approve(self, ack: Ack, body: dict[str, Any], client: AsyncWebClient) -> None:
        """*Approve*, after its confirm step."""
        await ack()
        if await self._fresh(body, client):
            await self._told(client, body, self._presses.approve(press_of(body)))

    async def reject(self, ack: Ack, body: dict[str, Any], client: AsyncWebClient) -> None:
        """*Reject* asks for a reason first; the modal has to be opened within seconds of the press."""
        await ack()
        if await self._fresh(body, client):
            await self._told(client, body, self._asked_why(body, client))

    async def cancel(self, ack: Ack, body: dict[str, Any], client: AsyncWebClient) -> None:
        """*Cancel the request*, under the answer to whoever wrote meanwhile."""
        await ack()
        if await self._fresh(body, client):
            await self._told(client, body, self._presses.cancel(press_of(body)))

    async def rejected(self, ack: Ack, body: dict[str, Any], client: AsyncWebClient) -> None:
        """The modal came back: the person is checked again, and the no counts."""
        await ack()
        kept = json.loads(body["view"]["private_metadata"])
        press = Press(**{**kept, "user": _user(body), "team": _team(body)})
        reason = body["view"]["state"]["values"].get("reason", {}).get("text", {}).get("value") or ""
        place = {"channel": {"id": press.channel}, "message": {"ts": press.message_ts}, "user": body.get("user")}
        await self._told(client, place, self._presses.reject(press, str(reason)))

    async def _asked_why(self, body: dict[str, Any], client: AsyncWebClient) -> str:
        press = press_of(body)
        approval, told = await self._presses.judged(press, deciding=False)
        if approval is None or told:
            return told
        private = json.dumps({"channel": press.channel, "message_ts": press.message_ts, "value": press.value})
        try:
            await client.views_open(trigger_id=body["trigger_id"], view=reject_modal(approval, private))
        except CALL_ERRORS as error:
            log.warning("the reason could not be asked for", reason=error_name(error) or type(error).__name__)
            return AGAIN
        return ""

    async def _fresh(self, body: dict[str, Any], client: AsyncWebClient) -> bool:
        """False for the same click delivered once more."""
        try:
            return await self._presses.state.inbox.first_time(f"click:{click_key(body)}")
        except StateError as error:
            log.error("a click could not be kept", reason=str(error))
            await whisper(client, body, UNSAVED)
            return False

    async def _told(self, client: AsyncWebClient, body: dict[str, Any], work: Any) -> None:
        try:
            told = await work
        except StateError as error:
            log.error("a press could not be kept", reason=str(error))
            told = UNSAVED
        if told:
            await whisper(client, body, told)


def press_of(body: dict[str, Any]) -> Press:
    """The press in a block_actions payload."""
    container, channel = body.get("container") or {}, body.get("channel") or {}
    return Press(
        user=_user(body),
        team=_team(body),
        channel=str(container.get("channel_id") or channel.get("id") or ""),
        message_ts=str(container.get("message_ts") or ""),
        value=str(body["actions"][0].get("value") or ""),
    )


def _user(body: dict[str, Any]) -> str:
    return str((body.get("user") or {}).get("id", ""))


def _team(body: dict[str, Any]) -> str:
    """The presser's own workspace; both that and the one the payload came through have to be ours."""
    through = str((body.get("team") or {}).get("id") or "")
    own = str((body.get("user") or {}).get("team_id") or through)
    return own if own == through or not through else f"{own} through {through}"
