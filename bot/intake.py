"""Intake: a message becomes a durable inbox row before Slack gets its ack, and then a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.background import Background
from bot.question import Question, from_event
from runtime.admission import Policy
from runtime.state import Accepted, State

KIND = "question"


@dataclass(frozen=True, slots=True)
class Intake:
    """Takes what people send. `enqueue` makes a turn durable; `announce` shows the status line at once; `policy` is
    the one in force."""

    state: State
    policy: Callable[[], Policy]
    bot_user: str
    enqueue: Callable[[str, str], Awaitable[None]]
    announce: Callable[[Question], Awaitable[None]]
    background: Background
    # Messages being kept now, by key: a mention arrives as two events at once, and one commit does for both.
    keeping: dict[str, asyncio.Task[bool]] = field(default_factory=dict[str, asyncio.Task[bool]])

    async def event(self, body: Mapping[str, Any]) -> None:
        """Keeps the question in an event, if it holds one for us. Returns only after the row is committed, so that the
        ack that follows is honest. Raises StateError when it cannot be kept: then Slack delivers again."""
        question = from_event(body, self.bot_user)
        if question is None or not (question.addressed or await self._follows_up(question)):
            return
        keeping = self.keeping.get(question.key)
        if keeping is None:
            event_key = str(body.get("event_id") or question.key)
            keeping = asyncio.create_task(self.question(event_key, question, question.key), name=f"keep {question.key}")
            self.keeping[question.key] = keeping
            keeping.add_done_callback(lambda _: self.keeping.pop(question.key, None))
        await asyncio.shield(keeping)

    async def question(self, event_key: str, question: Question, dedupe_key: str | None) -> bool:
        """Keeps a question under its keys and starts its turn; False when it was known already."""
        kept = await self.state.inbox.accept(event_key, dedupe_key, str(question.address), KIND, question.as_json())
        if not isinstance(kept, Accepted):
            return False
        self.background.start(self._begin(kept.turn_id, question), name=f"begin {kept.turn_id}")
        return True

    async def again(self, turn_id: str, *, presser: str, channel: str, click: str) -> bool:
        """A person pressed *Retry*: a fresh turn with the same words, asked by the presser, once per click."""
        old = await self.asked(turn_id, channel=channel)
        if old is None:
            return False
        renewed = Question(**{**old.as_json(), "user": presser})
        return await self.question(f"retry:{turn_id}:{click}", renewed, None)

    async def asked(self, turn_id: str, *, channel: str) -> Question | None:
        """The question of a turn, for a click in the channel where it was asked; None from anywhere else, and when it
        is not kept any more."""
        item = await self.state.inbox.get(turn_id)
        if item is None or item.body is None or item.kind != KIND:
            return None
        old = Question(**item.body)
        return old if old.channel == channel else None

    async def _follows_up(self, question: Question) -> bool:
        """A reply in a thread that was started with us, where the channel's setting allows it without a mention."""
        if question.thread_ts == question.ts:
            return False
        settings = self.policy().manifest.channels.get(question.channel)
        if settings is not None and settings.follow_up == "mention":
            return False
        return await self.state.inbox.known(str(question.address))

    async def _begin(self, turn_id: str, question: Question) -> None:
        await asyncio.gather(self.announce(question), self.enqueue(turn_id, str(question.address)))
