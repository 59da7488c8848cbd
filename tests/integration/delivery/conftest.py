"""A local workspace, a thread in it, and the outbox with the real sender over real sockets; nobody waits."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field

import pytest

from bot.delivery import SlackSender, deliveries_of
from bot.local import LocalSlack
from bot.pacing import Unpaced
from bot.slack_client import open_slack_client
from runtime.clock import SystemClock
from runtime.deliveries import Outbox
from runtime.state import open_state

CHANNEL = "C0SALES"


class Naps:
    """A sleep that returns at once, counts, and may do something at a given nap."""

    def __init__(self):
        self.taken = []
        self.at = {}

    async def __call__(self, seconds):
        self.taken.append(seconds)
        action = self.at.pop(len(self.taken), None)
        if action is not None:
            action()
        await asyncio.sleep(0)


@dataclass
class Bench:
    slack: LocalSlack
    client: object
    state: object
    root: str
    naps: Naps = field(default_factory=Naps)

    def sender(self):
        """A fresh one, as after a restart: it remembers nothing."""
        return SlackSender(self.client, Unpaced(), note=self.state.deliveries.note, sleep=self.naps)

    def outbox(self, **options):
        return Outbox(self.state.deliveries, clock=SystemClock(), sleep=self.naps, **options)

    async def put(self, messages, files=(), source="turn-1", channel=CHANNEL, thread_ts=None):
        parts = deliveries_of(source, channel, thread_ts or self.root, messages, files)
        await self.state.deliveries.enqueue(parts)

    async def drain(self, source="turn-1", sender=None, **options):
        return await self.outbox(**options).drain(source, sender or self.sender())

    def answers(self):
        return self.slack.answers(CHANNEL, self.root)


@pytest.fixture
async def bench():
    numbers = itertools.count(1)
    async with LocalSlack() as slack, open_slack_client(slack.bot_token, slack.api_url) as opened:
        state = open_state("sqlite://", clock=SystemClock(), new_id=lambda: f"id{next(numbers)}")
        root = await slack.say(CHANNEL, "U0MIA", "which region led?")
        try:
            yield Bench(slack, opened.client, state, root)
        finally:
            state.close()
