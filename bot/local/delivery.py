"""Brings events and interactions to each app, over its sockets or by signed requests, and retries events."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from . import events
from .wire import Json
from .workspace import Workspace
from .world import AppInstall, Channel

logger = logging.getLogger(__name__)

Kind = Literal["events_api", "interactive", "slash_commands"]

#: Slack retries an event at once, after about one minute and after about five.
RETRY_DELAYS: tuple[float, ...] = (0.0, 60.0, 300.0)
#: Slack waits this long for an acknowledgement.
ACK_SECONDS = 3.0


@dataclass(slots=True, eq=False)
class Packet:
    """One payload on its way to one app: an event (retried) or an interaction (never retried)."""

    app_id: str
    kind: Kind
    payload: Json
    accepts_response: bool = False
    attempt: int = 0
    retry_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Ack:
    """What the app answered: `ok` with an optional payload, or why not (`reason`, Slack's retry reasons)."""

    ok: bool
    payload: Json | None = None
    reason: str | None = None
    no_retry: bool = False


class Transport(Protocol):
    """One way to reach an app."""

    async def send(self, app: AppInstall, packet: Packet, ack_seconds: float) -> Ack:
        """Bring one packet and wait for its acknowledgement, at most `ack_seconds`."""
        ...


@dataclass(slots=True)
class Delivered:
    """A record of one finished attempt: the packet's payload, its attempt number, the answer, when it was sent."""

    app_id: str
    kind: Kind
    payload: Json
    attempt: int
    ack: Ack
    at: float = 0.0


@dataclass(slots=True)
class Delivery:
    """Owns every delivery task. `retry_delays` and `ack_seconds` may be shortened by tests."""

    workspace: Workspace
    transports: dict[str, Transport] = field(default_factory=dict)
    retry_delays: tuple[float, ...] = RETRY_DELAYS
    ack_seconds: float = ACK_SECONDS
    attempts: list[Delivered] = field(default_factory=list)
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    _hurry: asyncio.Event = field(default_factory=asyncio.Event)
    _waiting: int = 0

    # -- events ----------------------------------------------------------------------------------------------

    def message(self, message: Json, channel: Channel) -> None:
        """Tell every app that hears it about a posted message."""
        for app in self.workspace.world.apps:
            for event in events.message_events(app, message, channel):
                self.event(app, event, channel)

    def message_changed(self, channel: Channel, after: Json, before: Json) -> None:
        """Tell every app in the channel about an edit."""
        ts = self.workspace.numbering.ts(self.workspace.now())
        event = events.changed_event(channel, after, before, ts)
        self._to_hearers(event, channel)

    def message_deleted(self, channel: Channel, before: Json) -> None:
        """Tell every app in the channel about a deletion."""
        ts = self.workspace.numbering.ts(self.workspace.now())
        self._to_hearers(events.deleted_event(channel, before, ts), channel)

    def subscribed(self, name: str, event: Json, channel: Channel | None = None) -> None:
        """Send an event to every app that subscribes to `name`."""
        for app in self.workspace.world.apps:
            if name in app.events:
                self.event(app, event, channel)

    def event(
        self, app: AppInstall, event: Json, channel: Channel | None = None, *, event_id: str | None = None
    ) -> str:
        """Send one event to one app; returns its event id. Faults may hold, copy, delay or lose it."""
        event_id = event_id or self.workspace.numbering.new("Ev")
        payload = events.envelope(self.workspace, app, event, channel, event_id)

        def start() -> None:
            for _ in range(self.workspace.faults.events.copies):
                self.spawn(self._with_retries(app, Packet(app.app_id, "events_api", payload)))

        if not self.workspace.faults.keep_event(start):
            start()
        return event_id

    def _to_hearers(self, event: Json, channel: Channel) -> None:
        for app in self.workspace.world.apps:
            if events.hears_messages(app, channel):
                self.event(app, event, channel)

    async def _with_retries(self, app: AppInstall, packet: Packet) -> None:
        if delay := self.workspace.faults.events.delay:
            await asyncio.sleep(delay)
        for retry_delay in (*self.retry_delays, None):
            ack = await self._attempt(app, packet)
            if ack.ok or ack.no_retry or retry_delay is None:
                return
            packet.attempt += 1
            packet.retry_reason = ack.reason
            await self._pause(retry_delay)

    async def _pause(self, seconds: float) -> None:
        # A retry waits for its moment, or for a test that calls `hurry()`.
        self._waiting += 1
        self.workspace.changes.notify("retry")
        try:
            await asyncio.wait_for(self._hurry.wait(), seconds)
        except TimeoutError:
            return
        finally:
            self._waiting -= 1

    async def _attempt(self, app: AppInstall, packet: Packet) -> Ack:
        switches = self.workspace.faults.events
        sent = self.workspace.now()
        ack = await self.transports[app.mode].send(app, packet, self.ack_seconds)
        if ack.ok and switches.lost_acks > 0 and packet.kind == "events_api":
            switches.lost_acks -= 1
            ack = Ack(False, reason="http_timeout")
        self.attempts.append(Delivered(app.app_id, packet.kind, packet.payload, packet.attempt, ack, sent))
        self.workspace.changes.notify("delivery", event_id=packet.payload.get("event_id"), ok=ack.ok)
        return ack

    # -- interactions ----------------------------------------------------------------------------------------

    async def interaction(self, app: AppInstall, kind: Kind, payload: Json) -> Ack:
        """Bring an interaction or a command once and wait for its acknowledgement."""
        return await self._attempt(app, Packet(app.app_id, kind, payload, accepts_response=True))

    # -- lifetime --------------------------------------------------------------------------------------------

    @property
    def idle(self) -> bool:
        """Whether nothing is on its way."""
        return not self._tasks

    @property
    def retries_waiting(self) -> int:
        """How many events wait for their next attempt."""
        return self._waiting

    def hurry(self) -> None:
        """Let every waiting retry happen now."""
        self._hurry.set()
        self._hurry = asyncio.Event()

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run `work` as a task owned by this object; a crash is logged."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self.workspace.changes.notify("delivered")
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("delivery failed", exc_info=error)

    async def close(self) -> None:
        """Cancel what is still on its way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
