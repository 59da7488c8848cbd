"""`python -m bot.local`: serves, says how to connect, and keeps its workspace across runs."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from pathlib import Path

import aiohttp

ROOT = Path(__file__).parents[3]


async def start(*options: str) -> tuple[asyncio.subprocess.Process, dict[str, str]]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot.local", "--port", "0", *options, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    settings: dict[str, str] = {}
    while "SLACK_APP_TOKEN" not in settings:
        line = (await asyncio.wait_for(process.stdout.readline(), 60)).decode()
        assert line, "the server ended early"
        settings |= dict(re.findall(r"export (\w+)=(\S+)", line))
    return process, settings


async def stop(process: asyncio.subprocess.Process) -> int:
    process.send_signal(signal.SIGTERM)
    return await asyncio.wait_for(process.wait(), 60)


async def post(settings: dict[str, str], method: str, **arguments: str) -> dict:
    headers = {"Authorization": f"Bearer {settings['SLACK_BOT_TOKEN']}"}
    url = settings["SLACK_API_URL"] + method
    async with aiohttp.ClientSession() as http, http.post(url, json=arguments, headers=headers) as reply:
        return await reply.json()


async def test_it_serves_stops_cleanly_and_remembers(tmp_path):
    snapshot = str(tmp_path / "workspace.json")
    process, settings = await start("--snapshot", snapshot)
    assert (await post(settings, "chat.postMessage", channel="C0SALES", text="remember me"))["ok"]
    assert await stop(process) == 0
    process, again = await start("--snapshot", snapshot)
    history = await post(again, "conversations.history", channel="C0SALES")
    assert [message["text"] for message in history["messages"]] == ["remember me"]
    assert again["SLACK_BOT_TOKEN"] == settings["SLACK_BOT_TOKEN"]
    assert await stop(process) == 0
