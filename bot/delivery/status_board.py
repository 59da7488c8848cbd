"""The status lines of running turns: set at once, kept alive, cleared at the end, and never a reason to fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.delivery.answers import CALL_ERRORS, error_name
from bot.render.status import THINKING

log = structlog.get_logger(__name__)

REFRESH_SECONDS = 90.0  # Slack drops a status after two minutes
_GAP_SECONDS = 1.0  # notes that come faster are skipped over; the last one is shown


class StatusBoard:
    """One line per thread. `shown` is entered once per thread at a time (one running turn per conversation)."""

    def __init__(
        self,
        client: AsyncWebClient,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        refresh_seconds: float = REFRESH_SECONDS,
    ) -> None:
        self._client = client
        self._sleep = sleep
        self._refresh_seconds = refresh_seconds
        self._lines: dict[tuple[str, str], _Line] = {}
        # First signs of life whose turn has not begun yet; the event is set when Slack has answered.
        self._announced: dict[tuple[str, str], asyncio.Event] = {}

    async def thinking(self, channel: str, thread_ts: str) -> None:
        """The first sign of life, from the listener, before the turn runs."""
        announced = self._announced[channel, thread_ts] = asyncio.Event()
        try:
            await self._set(channel, thread_ts, THINKING)
        finally:
            announced.set()

    async def say(self, channel: str, thread_ts: str, text: str) -> None:
        """What the turn does now. Returns at once; without a running turn it does nothing."""
        line = self._lines.get((channel, thread_ts))
        if line is not None and text != line.text:
            line.text = text
            line.changed.set()

    @asynccontextmanager
    async def shown(self, channel: str, thread_ts: str, text: str = THINKING) -> AsyncGenerator[None]:
        """Keeps a line in the thread for as long as the block runs, and clears it whatever happens."""
        key = (channel, thread_ts)
        line = self._lines[key] = _Line(text)
        announced = self._announced.pop(key, None)
        keeping = self._keep(channel, thread_ts, line, announced)
        keeper = asyncio.create_task(keeping, name=f"status {channel} {thread_ts}")
        try:
            yield
        finally:
            if self._lines.get(key) is line:
                del self._lines[key]
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
            # Clearing takes away what was said for the next turn of the thread, too: that one says it again.
            self._announced.pop(key, None)
            await asyncio.shield(self._clear(channel, thread_ts, announced))

    async def never_begun(self, channel: str, thread_ts: str) -> None:
        """Takes back the first sign of life of a turn that will not run; a line that another turn shows stays."""
        announced = self._announced.pop((channel, thread_ts), None)
        if (channel, thread_ts) not in self._lines:
            await self._clear(channel, thread_ts, announced)

    @asynccontextmanager
    async def hidden(self, channel: str, thread_ts: str) -> AsyncGenerator[None]:
        """No line for as long as the block runs: a line would keep people from writing in the thread."""
        key = (channel, thread_ts)
        line = self._lines.get(key)
        if line is None:
            yield
            return
        line.hidden = True
        line.changed.set()
        await self._set(channel, thread_ts, "")
        try:
            yield
        finally:
            line.hidden = False
            line.changed.set()

    async def _keep(self, channel: str, thread_ts: str, line: _Line, announced: asyncio.Event | None) -> None:
        if announced is not None:
            # The listener has just said it: a turn of less than the gap need not say it again.
            await announced.wait()
            await self._sleep(_GAP_SECONDS)
        while True:
            line.changed.clear()
            if not line.hidden:
                await self._set(channel, thread_ts, line.text)
            await self._sleep(_GAP_SECONDS)
            await self._change(line)

    async def _change(self, line: _Line) -> None:
        """Until there is something new to say, or the line would fade."""
        waits = [asyncio.ensure_future(line.changed.wait()), asyncio.ensure_future(self._sleep(self._refresh_seconds))]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _clear(self, channel: str, thread_ts: str, announced: asyncio.Event | None) -> None:
        """Not before Slack has answered the first sign of life: overtaken, the clearing would leave it standing."""
        if announced is not None:
            await announced.wait()
        await self._set(channel, thread_ts, "")

    async def _set(self, channel: str, thread_ts: str, text: str) -> None:
        try:
            await self._client.assistant_threads_setStatus(channel_id=channel, thread_ts=thread_ts, status=text)
        except CALL_ERRORS as error:
            log.info("status line not set", reason=error_name(error) or type(error).__name__)


class _Line:
    """The text that a thread should show."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.hidden = False
        self.changed = asyncio.Event()
