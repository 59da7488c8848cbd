"""Uploads one file into a thread and makes sure that it is really there: Slack's "ok" alone doesn't say so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.answers import CALL_ERRORS, error_name, outcome_of, reason_of
from bot.delivery.payload import Place
from bot.pacing import Pacer
from bot.render import limits
from bot.render.files import FilePart
from runtime.deliveries import InDoubt, Later, Probed, Refused, SendOutcome, Sent
from runtime.deliveries.sender import CannotTell, NotThere

log = structlog.get_logger(__name__)

# Seconds between looks at a file that is being processed; about ten in all (facts/SLACK.md 1.4).
LOOKS_S = (0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 4.0)
_SHARES_TRIED = 2
_BLIND = frozenset({"missing_scope", "not_allowed_token_type", "no_permission"})


class UploadFailed(Exception):
    """The bytes' own address answered with something else than success."""


class Uploading:
    """The three steps of an upload, and the look at its end. `keep` remembers the file's id before it is shared."""

    def __init__(
        self,
        client: AsyncWebClient,
        pacer: Pacer,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._pacer = pacer
        self._sleep = sleep

    async def upload(
        self, place: Place, file: FilePart, known_id: str | None, keep: Callable[[str], Awaitable[None]]
    ) -> SendOutcome:
        """Shares the file; `known_id` names an upload of an earlier attempt, which is used again if it is there."""
        file_id = known_id
        if file_id is None:
            try:
                file_id = await self._send_bytes(file)
            except UploadFailed:
                return Later(LOOKS_S[-1])
            except CALL_ERRORS as error:
                outcome = outcome_of(error)
                # Bytes alone are nothing anybody sees: a lost reply here leaves no posting behind.
                return Later(LOOKS_S[-1]) if isinstance(outcome, InDoubt) else outcome
            await keep(file_id)
        return await self._share(place, file, file_id)

    async def look(self, place: Place, file_id: str | None) -> Probed:
        """Whether the file is in its thread. Raises what the call raises when nobody can know yet."""
        if file_id is None:
            return NotThere()
        try:
            shared = await self._shared(place, file_id)
        except CALL_ERRORS as error:
            name = error_name(error)
            if name == "file_not_found":
                return NotThere()
            if name in _BLIND:
                return CannotTell(reason_of(error))
            raise
        return Sent(file_id) if shared else NotThere()

    async def _send_bytes(self, file: FilePart) -> str:
        ticket = await self._client.files_getUploadURLExternal(
            filename=file.name, length=len(file.content), alt_txt=file.alt_text[: limits.FILE_ALT_CHARS] or None
        )
        session = self._client.session
        if session is None:
            raise UploadFailed("the client has no session")
        async with session.post(str(ticket["upload_url"]), data=file.content, proxy=self._client.proxy) as reply:
            if reply.status != 200:
                raise UploadFailed(f"upload answered {reply.status}")
        return str(ticket["file_id"])

    async def _share(self, place: Place, file: FilePart, file_id: str) -> SendOutcome:
        for _ in range(_SHARES_TRIED):
            await self._pacer.wait(place.channel)
            try:
                await self._client.files_completeUploadExternal(
                    files=[{"id": file_id, "title": file.title}], channel_id=place.channel, thread_ts=place.thread_ts
                )
                if await self._shared(place, file_id):
                    return Sent(file_id)
            except CALL_ERRORS as error:
                if error_name(error) in _BLIND and _asked_for_info(error):
                    return Sent(file_id)  # it was completed; without files:read nobody can look closer
                return outcome_of(error)
            log.warning("a share did not land", file_id=file_id)
        return Refused("file_not_shared: Slack took the file but did not show it in the thread")

    async def _shared(self, place: Place, file_id: str) -> bool:
        for pause in (0.0, *LOOKS_S):
            if pause:
                await self._sleep(pause)
            reply = await self._client.files_info(file=file_id)
            if _in_thread(reply.get("file") or {}, place):
                return True
        return False


def _in_thread(info: Any, place: Place) -> bool:
    kinds = (info.get("shares") or {}).values()
    shares = [share for channels in kinds for share in channels.get(place.channel, [])]
    return any(place.thread_ts is None or share.get("thread_ts") == place.thread_ts for share in shares)


def _asked_for_info(error: BaseException) -> bool:
    response = getattr(error, "response", None)
    return str(getattr(response, "api_url", "")).endswith("files.info")


__all__ = ["LOOKS_S", "UploadFailed", "Uploading"]
