"""`footnote serve`: the bot in a real (or Slack-shaped) workspace."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import signal
import sys

from bot.logs import set_up_logs
from bot.settings import load_settings


def run(_: argparse.Namespace) -> int:
    """Serves until stopped; says on standard output when it is ready."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until there is something to reload
    settings = load_settings()
    set_up_logs(settings.log, level=logging.INFO)
    settings.require_slack()
    settings.require_model()
    # What a start makes lives as long as the process. Searching it for garbage costs a tenth of the start, and a tenth
    # of a second again at every full collection while people wait for answers.
    gc.disable()
    from bot.service import Running
    from bot.serving import serve

    def ready(running: Running) -> None:
        way = f"HTTP on port {running.port}" if running.port is not None else "Socket Mode"
        gc.freeze()
        gc.enable()
        name = running.identity.team_name or running.identity.team
        print(f"footnote is ready: {name}, {way}, model {running.analyst.model.name}", flush=True)

    asyncio.run(serve(settings, on_ready=ready))
    print("footnote stopped", file=sys.stderr)
    return 0
