"""Events: kept in the inbox before Slack gets its ack; nothing else happens while Slack waits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from slack_bolt.response import BoltResponse

from bot.approvals import Presses
from bot.intake import Intake
from bot.listeners.home import Home
from bot.question import event_of
from bot.shared_files.in_thread import taken_back
from bot.shared_files.shelf import Shelf
from bot.stopping import EVENT, Stopping
from runtime.errors import StateError

log = structlog.get_logger(__name__)

# After these a channel may have other readers than those whom a request was shown to.
_READERS_CHANGE = frozenset({"channel_shared", "channel_archive", "group_archive", "member_joined_channel"})


class Events:
    """The middleware that stands before everything else."""

    def __init__(self, intake: Intake, home: Home, stopping: Stopping, presses: Presses, shelf: Shelf) -> None:
        self._intake = intake
        self._home = home
        self._stopping = stopping
        self._presses = presses
        self._shelf = shelf

    async def before_ack(self, body: dict[str, Any], next: Callable[[], Awaitable[Any]]) -> BoltResponse | None:
        """Acks an event once it is durable. A state that cannot be written gives 503, so that Slack delivers again;
        payloads that are no events go on to their listeners."""
        if body.get("type") != "event_callback":
            await next()
            return None
        event = event_of(body)
        deleted, retracted = _deleted(event), list[str]()
        try:
            await self._intake.event(body)
            await self._forget(body)
            if deleted:
                retracted = await self._stopping.retracted(_channel(event), deleted)
        except StateError as error:
            log.error("event not kept; Slack will deliver it again", event_id=body.get("event_id"), reason=str(error))
            return BoltResponse(status=503, body="")
        self._open_home(event)
        if event.get("type") in _READERS_CHANGE:
            channel = _channel(event)
            self._intake.background.start(self._presses.revalidate(channel), name=f"requests of {channel}")
        if deleted:
            work = self._retract(_channel(event), deleted, retracted)
            self._intake.background.start(work, name=f"what was begun by {deleted}")
        if event.get("type") == EVENT:
            self._intake.background.start(self._stopping.pressed(body), name=f"stop {event.get('thread_ts')}")
        return BoltResponse(status=200, body="")

    async def _retract(self, channel: str, ts: str, turns: list[str]) -> None:
        """Requests say why they are void before the runs that asked end."""
        await self._presses.question_deleted(channel, ts, turns)
        await self._stopping.stop(turns)

    async def _forget(self, body: Mapping[str, Any]) -> None:
        """A deleted file is gone before the ack, and so is one whose message was deleted or gave it up; its traces on
        the disk go behind it."""
        event = event_of(body)
        if event.get("type") == "file_deleted":
            lost = await self._shelf.deleted(str(event.get("file_id") or ""))
        else:
            lost = await self._shelf.withdrawn(*taken_back(body))
        if lost:
            self._intake.background.start(self._shelf.sweep(), name=f"remove files of {event.get('event_ts')}")

    def _open_home(self, event: Mapping[str, Any]) -> None:
        """App Home is drawn after the ack. It is no work to keep: the next opening draws it again."""
        if event.get("type") == "app_home_opened" and event.get("tab", "home") == "home":
            user = str(event.get("user") or "")
            work = self._home.opened(user, str(event.get("channel") or ""))
            self._intake.background.start(work, name=f"App Home of {user}")


def _deleted(event: Mapping[str, Any]) -> str:
    """The ts of a message that is gone now; '' for other events. Of a thread's root Slack leaves a stone behind."""
    if event.get("subtype") == "message_deleted":
        return str(event.get("deleted_ts") or "")
    after: Any = event.get("message")
    if event.get("subtype") == "message_changed" and isinstance(after, Mapping) and after.get("subtype") == "tombstone":  # pyright: ignore[reportUnknownMemberType]
        return str(after.get("ts") or "")  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return ""


def _channel(event: Mapping[str, Any]) -> str:
    channel = event.get("channel")
    return str(channel.get("id") if isinstance(channel, Mapping) else channel or "")  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
