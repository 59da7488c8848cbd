"""The reader process: bounded, without the bot's environment, ended with its job, replaced afterwards."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from runtime.ingest import FileJob, IngestRefused, ReadingStore, ReadTable


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


@pytest.mark.parametrize("kills", [1, 2])
async def test_a_reader_killed_at_work_once_is_no_fault_of_the_file(desk: Any, kills: int) -> None:
    """Where memory is short the kernel kills a process; killed again, the file is said to be the reason."""
    desk.write("a.csv", "n\n1\n")
    files = desk.files()
    started = files.reader._started

    async def killed() -> asyncio.subprocess.Process:
        nonlocal kills
        process = await started()
        if kills:
            kills -= 1
            os.kill(process.pid, signal.SIGKILL)
        return process

    files.reader._started = killed
    if kills == 1:
        assert (await read(desk, files, "a.csv")).rows == 1
    else:
        with pytest.raises(IngestRefused, match="the reader was killed, twice"):
            await read(desk, files, "a.csv")
        assert (await read(desk, files, "a.csv")).rows == 1


async def test_what_a_killed_reader_left_is_removed_by_the_next_and_nobody_elses(desk: Any) -> None:
    """A stopped reading of a large file would leave its half-made table on the disk for good otherwise."""
    desk.write("a.csv", "n\n1\n")
    store = ReadingStore(desk.cache_dir)
    store.prepare()
    left = store.temporary / "left"
    left.mkdir()
    (left / "table.parquet").write_bytes(b"half")
    (store.temporary / "fresh.json").write_text("{}")
    (store.temporary / "old.json").write_text("{}")
    os.utime(store.temporary / "old.json", (1, 1))
    with store.scratch() as held:
        (held / "table.parquet").write_bytes(b"at work")
        files = desk.files()
        await read(desk, files, "a.csv")
        spill = {path for path in store.temporary.iterdir() if path.is_dir() and path != held}
        assert len(spill) == 1  # the living reader's own
        assert left not in spill
        assert (held / "table.parquet").read_bytes() == b"at work"
    assert {path.name for path in store.temporary.iterdir() if path.is_file()} == {"fresh.json"}
    await files.close()
    with store.scratch() as held:
        assert [path for path in store.temporary.iterdir() if path.is_dir()] == [held]


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
