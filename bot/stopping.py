"""Stop: a person ends what the bot is doing in a thread, or takes the question back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from bot.address import Address
from bot.question import event_of
from bot.upkeep import repeated
from runtime.durable import Durable
from runtime.errors import StateError
from runtime.state import State

log = structlog.get_logger(__name__)

EVENT = "agent_session_stopped"
# How often a replica looks whether another one was asked to stop what runs here.
LOOK_S = 1.0


@dataclass(frozen=True, slots=True)
class Stopping:
    """Stops turns, on whichever replica they run. `withdrawn` tells the person of one that had not begun; `alone`: no
    other process shares the state."""

    state: State
    durable: Durable
    withdrawn: Callable[[str], Awaitable[None]]
    alone: bool
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def pressed(self, body: Mapping[str, Any]) -> None:
        """A person pressed Slack's own Stop: the thread's running turn ends with a word about it, and questions that
        wait behind it take their turn. Whoever reads the thread may press; it is audited."""
        event = event_of(body)
        team = str(body.get("context_team_id") or body.get("team_id") or "")
        address = str(Address(team, str(event.get("channel") or ""), str(event.get("thread_ts") or "")))
        running = next((item for item in await self.state.inbox.pending() if item.conversation == address), None)
        if running is None:
            return
        await self._stop(running.turn_id, str(event.get("user") or ""))

    async def retracted(self, channel: str, ts: str) -> list[str]:
        """A message is gone: the turns that were begun by it and have not ended, whose words are forgotten from now on,
        so that whoever works on them, or takes them up after a crash, answers nobody. Raises StateError."""
        turns = [
            item.turn_id
            for item in await self.state.inbox.pending()
            if item.body is not None and (item.body.get("channel"), item.body.get("ts")) == (channel, ts)
        ]
        if turns:
            await self.state.inbox.retract(turns)
        return turns

    async def stop(self, turns: Sequence[str]) -> None:
        """Stops turns that were retracted."""
        for turn_id in turns:
            await self._stop(turn_id, "")

    async def _stop(self, turn_id: str, user: str) -> None:
        outcome = await self.durable.cancel(turn_id)
        if outcome == "elsewhere":
            await self.state.inbox.first_time(_key(turn_id))
        await self.state.audit.add("stop", {"user": user, "turn": turn_id, "outcome": outcome})
        if outcome == "waiting":
            await self.withdrawn(turn_id)

    async def keep_up(self) -> None:
        """Follows what other replicas were asked, as long as this process lives."""
        if not self.alone:
            await repeated(self.follow, LOOK_S, self.sleep, _could_not_look)

    async def follow(self) -> None:
        """Stops what runs here and another replica was asked to stop. Raises StateError."""
        here = {_key(turn_id): turn_id for turn_id in self.durable.running}
        if here:
            for key in await self.state.inbox.seen(here):
                await self.durable.cancel(here[key])


def _could_not_look(error: StateError) -> None:
    log.warning("could not look what is to be stopped", reason=str(error))


def _key(turn_id: str) -> str:
    return f"stop:{turn_id}"
