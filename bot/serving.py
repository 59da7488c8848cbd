"""Serving from the first signal to the last: waits for Slack at the start, reloads, and stops when it is told to."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress

import structlog

from bot.identity import SlackUnavailable
from bot.service import Running, running_bot
from bot.settings import Settings

log = structlog.get_logger(__name__)

# Between two attempts to reach Slack at the start; each pause is twice the one before.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0


async def serve(settings: Settings, *, on_ready: Callable[[Running], None]) -> None:
    """Serves until SIGTERM or SIGINT; a second signal ends the process at once. While Slack is away at the start it
    says so and tries again: what a crash left open is answered when Slack is back. SIGHUP reloads the manifest."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    starting = asyncio.current_task()
    serving: Running | None = None

    def asked() -> None:
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(name)
        stop.set()
        if serving is None and starting is not None:
            starting.cancel()  # nothing was begun that needs an orderly end, and Slack may keep us waiting for long

    def reload() -> None:
        if serving is not None:
            serving.reload()  # before that the manifest is about to be read anyway

    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, asked)
    loop.add_signal_handler(signal.SIGHUP, reload)
    pause_s = FIRST_PAUSE_S
    while not stop.is_set():
        try:
            async with running_bot(settings) as running:
                on_ready(running)
                running.warm_up()
                serving = running
                await stop.wait()
                serving = None
                log.info("stopping; unfinished turns go on at the next start")
        except SlackUnavailable as error:
            log.warning("waiting for Slack", reason=str(error), seconds=pause_s)
            with suppress(TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(stop.wait(), pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
        except asyncio.CancelledError:
            if not stop.is_set():
                raise
            log.info("stopped before it was ready")
