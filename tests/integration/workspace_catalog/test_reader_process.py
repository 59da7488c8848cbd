"""The reader process: bounded, without the bot's environment, ended with its job, replaced afterwards."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from runtime.ingest import FileJob, IngestRefused, ReadTable


async def read(desk: Any, files: Any, name: str) -> Any:
    job = FileJob(str(desk.root), name, "csv", str(desk.cache_dir))
    return (await files.reader.read(job, (desk.root / name).stat().st_size))[0]


async def test_it_knows_nothing_of_the_bot_and_has_its_bounds(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-not-for-you")
    desk.write("a.csv", "n\n1\n")
    files = desk.files()
    assert isinstance(await read(desk, files, "a.csv"), ReadTable)
    folder = Path(f"/proc/{files.reader._process.pid}")
    assert b"xoxb" not in (folder / "environ").read_bytes()
    limits = {line[:26].strip(): line[26:].split()[0] for line in (folder / "limits").read_text().splitlines()[1:]}
    assert limits["Max address space"] == str(desk.limits.worker_address_space_bytes)
    assert limits["Max core file size"] == "0"


async def test_a_killed_reader_is_replaced(desk: Any) -> None:
    desk.write("a.csv", "n\n1\n")
    files = desk.files()
    await read(desk, files, "a.csv")
    os.kill(files.reader._process.pid, signal.SIGKILL)
    await files.reader._process.wait()
    assert isinstance(await read(desk, files, "a.csv"), ReadTable)


async def test_a_reader_killed_at_work_is_a_refusal(desk: Any) -> None:
    desk.write("a.csv", "n\n1\n")
    desk.write("big.csv", "n,word\n" + "12345,something\n" * 1_500_000)
    files = desk.files()
    await read(desk, files, "a.csv")
    process = files.reader._process
    task = asyncio.create_task(read(desk, files, "big.csv"))
    await asyncio.sleep(0)
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(IngestRefused, match="reader ended"):
        await task
    assert isinstance(await read(desk, files, "a.csv"), ReadTable)


async def test_a_cancelled_job_ends_its_process(desk: Any) -> None:
    desk.write("a.csv", "n\n1\n")
    desk.write("b.csv", "n\n2\n3\n")
    files = desk.files()
    await read(desk, files, "a.csv")
    process = files.reader._process
    task = asyncio.create_task(read(desk, files, "a.csv"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert process.returncode is not None
    assert (await read(desk, files, "b.csv")).rows == 2
