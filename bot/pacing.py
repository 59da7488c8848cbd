"""How fast we post: Slack takes about one message a second per channel and hides what comes faster."""

from __future__ import annotations

from collections import OrderedDict
from typing import Protocol

from aiolimiter import AsyncLimiter

POSTS_PER_SECOND = 1.0
POSTS_AT_ONCE = 2
_CHANNELS_KEPT = 1_000


class Pacer(Protocol):
    """Whoever posts to a channel waits here first."""

    async def wait(self, channel: str) -> None:
        """Returns when one more posting to `channel` may go out."""
        ...


class Unpaced:
    """Never waits: for tests, and for servers without a pace."""

    async def wait(self, channel: str) -> None:
        """Returns at once."""


class ChannelPacer:
    """A leaky bucket per channel on the event loop's clock; the longest unused channels are forgotten."""

    def __init__(self, per_second: float = POSTS_PER_SECOND, at_once: int = POSTS_AT_ONCE) -> None:
        self._rate, self._period = at_once, at_once / per_second
        self._channels: OrderedDict[str, AsyncLimiter] = OrderedDict()

    async def wait(self, channel: str) -> None:
        """Waits while `channel` had its share. Callers are let through in the order in which they came."""
        limiter = self._channels.setdefault(channel, AsyncLimiter(self._rate, self._period))
        self._channels.move_to_end(channel)
        while len(self._channels) > _CHANNELS_KEPT:
            self._channels.popitem(last=False)
        await limiter.acquire()
