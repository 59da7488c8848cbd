"""Stop: a person ends what the bot is doing in a thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.address import Address
from bot.question import event_of
from runtime.durable import Cancelled
from runtime.state import State

EVENT = "agent_session_stopped"


@dataclass(frozen=True, slots=True)
class Stopping:
    """Stops turns. `cancel` interrupts one; `withdrawn` tells the person of one that had not begun."""

    state: State
    cancel: Callable[[str], Awaitable[Cancelled]]
    withdrawn: Callable[[str], Awaitable[None]]

    async def pressed(self, body: Mapping[str, Any]) -> None:
        """A person pressed Slack's own Stop: the thread's running turn ends with a word about it, and questions that
        wait behind it take their turn. Whoever reads the thread may press; it is audited."""
        event = event_of(body)
        team = str(body.get("context_team_id") or body.get("team_id") or "")
        address = str(Address(team, str(event.get("channel") or ""), str(event.get("thread_ts") or "")))
        running = next((item for item in await self.state.inbox.pending() if item.conversation == address), None)
        if running is None:
            return
        outcome = await self.cancel(running.turn_id)
        await self.state.audit.add(
            "stop", {"user": str(event.get("user") or ""), "turn": running.turn_id, "outcome": outcome}
        )
        if outcome == "waiting":
            await self.withdrawn(running.turn_id)
