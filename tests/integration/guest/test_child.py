"""The guest in its own process: nothing of the bot is near it, and whatever ends it, the next program runs."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from guest import Guest, GuestLimits, GuestResult, GuestSqlError, open_guest
from guest.host.process import START

NOW = "2026-03-04T05:06:07+01:00"
LIMITS = GuestLimits(fuel=10**15, wall_s=100)
SPIN = "print('spinning')\nsql('begun')\nwhile True: pass"


class Source:
    """A source that says when it is asked, and can keep a query waiting."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.dropped = False

    async def __call__(self, query: str, source: str | None):
        self.asked.set()
        if query == "bad":
            raise GuestSqlError("no such table")
        if query == "broken":
            raise ConnectionError("broken")
        if query == "wait":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.dropped = True
                raise
        return ["id", "é"], [[i, "ü" * 10] for i in range(1200 if query == "many" else 2)]


@pytest.fixture
async def guest() -> AsyncIterator[Guest]:
    opened = open_guest(limits=LIMITS)
    yield opened
    await opened.close()


def children() -> list[int]:
    found = []
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text().split():
            if "guest.host.process" in Path("/proc", pid, "cmdline").read_bytes().decode():
                found.append(int(pid))
    return found


def environment(pid: int) -> bytes:
    return Path("/proc", str(pid), "environ").read_bytes()


async def run(guest: Guest, source: str, sql: Source | None = None) -> GuestResult:
    return await guest.run(source, sql or Source(), now=NOW, seed=7)


async def test_programs_and_sql_work_across_the_pipe(guest: Guest) -> None:
    result = await run(
        guest,
        "rows = sql('many')\nprint(len(rows), rows[1]['é'])\ntable(['a'], [[1.5]])\n"
        "try:\n    sql('bad', source='shop')\nexcept SqlError as e:\n    print(e)",
    )
    assert (result.status, result.stdout) == ("ok", f"1200 {'ü' * 10}\nno such table\n")
    assert result.table == (["a"], [[1.5]])
    assert (result.sql_calls, result.sql_rows) == (2, 1200) and result.fuel_used > 0


async def test_it_gives_the_same_as_a_guest_in_threads(guest: Guest) -> None:
    source = "import random, uuid\nprint(random.random(), uuid.uuid4(), sql('x'))"
    threads = open_guest(isolated=False, limits=LIMITS)
    here, there = await run(threads, source), await run(guest, source)
    await threads.close()
    assert (here.stdout, here.fuel_used) == (there.stdout, there.fuel_used)


async def test_its_environment_is_empty_and_it_ends_with_the_guest(guest: Guest, monkeypatch) -> None:
    monkeypatch.setenv("FOOTNOTE_SECRET", "sesame")
    await guest.start()
    (pid,) = children()
    assert environment(pid) == b""
    await guest.close()
    assert children() == []


async def test_ctrl_c_in_the_terminal_of_the_bot_does_not_reach_it(guest: Guest) -> None:
    await guest.start()
    (pid,) = children()
    assert os.getpgid(pid) == os.getsid(pid) == pid != os.getsid(0)


async def test_a_guest_tells_its_memory_when_it_ends_by_itself(guest: Guest) -> None:
    small = await run(guest, "print(1)")
    large = await run(guest, "x = bytearray(40 * 2**20)\ndel x")
    failed = await run(guest, "x = bytearray(10**9)")
    stopped = await guest.run("while True: pass", Source(), now=NOW, seed=7, limits=GuestLimits(fuel=10**8))
    assert small.memory_bytes and large.memory_bytes and failed.memory_bytes
    assert large.memory_bytes - small.memory_bytes >= 40 * 2**20
    assert failed.memory_bytes <= LIMITS.memory_bytes
    assert (small.memory_bytes % 65_536, stopped.memory_bytes) == (0, None)


async def test_four_programs_run_at_a_time_and_more_wait(guest: Guest) -> None:
    results = await asyncio.gather(*(run(guest, f"print({n}, len(sql('many')))") for n in range(9)))
    assert [result.stdout for result in results] == [f"{n} 1200\n" for n in range(9)]


@pytest.mark.parametrize("isolated", [True, False])
async def test_cancelling_stops_a_spinning_program(isolated: bool) -> None:
    guest, source = open_guest(isolated=isolated, limits=LIMITS), Source()
    task = asyncio.create_task(run(guest, SPIN, source))
    other = asyncio.create_task(run(guest, "x = sum(range(300000))\nprint(x)"))
    await source.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)
    assert (await other).stdout == "44999850000\n"  # its neighbour goes on
    assert (await run(guest, "print(1)")).stdout == "1\n"
    await guest.close()


@pytest.mark.parametrize("isolated", [True, False])
async def test_cancelling_drops_the_query_under_way(isolated: bool) -> None:
    guest, source = open_guest(isolated=isolated, limits=LIMITS), Source()
    task = asyncio.create_task(run(guest, "sql('wait')", source))
    await source.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)
    assert source.dropped
    assert (await run(guest, "print(1)")).stdout == "1\n"
    await guest.close()


async def test_closing_ends_running_programs_as_cancelled() -> None:
    guest, source = open_guest(limits=LIMITS), Source()
    task = asyncio.create_task(run(guest, SPIN, source))
    await source.asked.wait()
    await guest.close()
    assert (await task).status == "cancelled"


async def test_a_killed_process_is_a_trap_and_is_replaced(guest: Guest) -> None:
    source = Source()
    task = asyncio.create_task(run(guest, SPIN, source))
    await source.asked.wait()
    (pid,) = children()
    os.kill(pid, signal.SIGKILL)
    result = await task
    assert result.status == "trap" and "next program" in result.error
    assert (await run(guest, "print(1)")).stdout == "1\n"
    assert children() != [pid]


async def test_what_breaks_behind_sql_reaches_the_caller(guest: Guest) -> None:
    with pytest.raises(ConnectionError, match="broken"):
        await run(guest, "sql('broken')")
    assert (await run(guest, "print(1)")).stdout == "1\n"


async def test_limits_hold_across_the_pipe(guest: Guest) -> None:
    short = GuestLimits(fuel=300_000_000)
    result = await guest.run("while True: pass", Source(), now=NOW, seed=1, limits=short)
    assert result.status in ("fuel", "timeout")
    flood = await run(guest, "while True:\n    try: sql('x')\n    except Exception: pass")
    assert (flood.status, flood.sql_calls) == ("sql_flood", 101)
    assert (
        (await run(guest, "#" * 32_001)).status == (await run(guest, "#" + "é" * 16_000)).status == "source_too_large"
    )


async def test_a_child_whose_parent_is_gone_before_it_is_ready_ends_without_a_word(tmp_path: Path):
    root = Path(__file__).parents[3]
    reader, writer = os.pipe()
    os.close(reader)  # as of a parent that was killed
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-c", START, str(root), str(tmp_path / "no artifact"), str(tmp_path / "cache")),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=writer,
        stderr=asyncio.subprocess.PIPE,
        env={},
    )
    os.close(writer)
    _, said = await process.communicate()
    assert said == b""
