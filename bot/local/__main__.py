"""`python -m bot.local`: the local workspace alone, for trying an app by hand."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
from pathlib import Path

from . import snapshot
from .server import LocalSlack, start_local


def main() -> None:
    """Parse the command line and serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m bot.local", description=__doc__)
    parser.add_argument("--port", type=int, default=8300, help="the next free port is taken when it is busy")
    parser.add_argument("--enforce-rate", action="store_true", help="also refuse calls that come too fast")
    parser.add_argument("--snapshot", type=Path, help="load the workspace from this file and save it there at the end")
    asyncio.run(_serve(parser.parse_args()))


async def _serve(options: argparse.Namespace) -> None:
    slack = await start_local(port=options.port, enforce_rate=options.enforce_rate)
    path: Path | None = options.snapshot
    if path is not None and await asyncio.to_thread(path.exists):
        snapshot.load(slack.workspace, json.loads(await asyncio.to_thread(path.read_text, encoding="utf-8")))
    _announce(slack)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        await stop.wait()
    finally:
        if path is not None:
            await asyncio.to_thread(snapshot.save, slack.workspace, path)
        await slack.close()


def _announce(slack: LocalSlack) -> None:
    print(f"The local workspace is at {slack.url}", flush=True)
    print("Connect an app with:", flush=True)
    for name, value in (
        ("SLACK_API_URL", slack.api_url),
        ("SLACK_BOT_TOKEN", slack.bot_token),
        ("SLACK_APP_TOKEN", slack.app_token),
    ):
        print(f"  export {name}={value}", flush=True)


if __name__ == "__main__":
    main()
