"""The server outlives a killed bot and brings the unacknowledged event to the next one."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from pathlib import Path

from bot.local import LocalSlack

BOT = Path(__file__).with_name("dying_bot.py")


@contextlib.asynccontextmanager
async def bot_process(slack: LocalSlack, behaviour: str):
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(BOT), slack.api_url, slack.bot_token, slack.app_token, behaviour
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
        await process.wait()


async def test_an_event_that_a_killed_bot_never_acknowledged_reaches_the_next_one():
    async with LocalSlack(ack_seconds=30, retry_delays=(0.0, 60.0)) as slack:
        async with bot_process(slack, "hang"):
            await slack.wait_for_socket()
            ts = await slack.ask("sales", "U0MIA", "are you there?")
            await slack.wait_for(lambda: slack.hub.sockets.waiting)
        await slack.wait_for(lambda: slack.deliveries)
        assert {delivery.ack.reason for delivery in slack.deliveries} == {"connection_failed"}
        async with bot_process(slack, "answer"):
            answers = await slack.wait_for_answers("sales", ts)
            await slack.settled()
    assert [answer["text"] for answer in answers] == ["alive"]
    assert max(delivery.attempt for delivery in slack.deliveries) == 1
