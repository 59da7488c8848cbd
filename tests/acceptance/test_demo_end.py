"""`footnote demo` ends in order however it is asked to: its folder is gone, and no traceback is said."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from bot.local.demo.postgresql import DSN_VARIABLE

ROOT = Path(__file__).parents[2]
STATE = re.compile(r"FOOTNOTE_STATE=sqlite:///(\S+)/state\.db")
WRITING = re.compile("writing the shop's data")


async def ended(asked: signal.Signals, after: re.Pattern[str]) -> str:
    """Starts a demo, signals it once it has said `after`, and waits until it has ended well; what it had said."""
    environment = {name: value for name, value in os.environ.items() if name != DSN_VARIABLE}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", "demo", "--port", "0"),
        cwd=ROOT,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        # A demo started by nohup outlives its terminal on purpose, also where the tests themselves are started so.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    assert process.stdout is not None
    said = ""
    async with asyncio.timeout(240):
        while not after.search(said):
            line = await process.stdout.readline()
            assert line, said
            said += line.decode()
        process.send_signal(asked)
        more, errors = await process.communicate()
    assert process.returncode == 0
    assert b"Traceback" not in errors
    return said + more.decode()


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_demo_that_serves_leaves_no_folder(asked) -> None:
    told = STATE.search(await ended(asked, STATE))
    assert told is not None
    assert not await asyncio.to_thread(Path(told[1]).exists)


async def test_a_demo_that_has_just_begun_ends_well() -> None:
    assert "open http" not in await ended(signal.SIGTERM, WRITING)
