"""The worker: killable, bounded, replaced; whatever a query does, the process that asked is fine."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from runtime.engines.worker import EngineFailure, WorkerLost, WorkerPool, WorkerSettings
from runtime.engines.worker.failures import as_call_error
from runtime.engines.workspace.worker import COMMAND, Database, Job
from runtime.sqlguard import GuardPolicy

MIB = 1024 * 1024
# A worker that is asked to stop has all the time that a busy machine needs; HASTY is for those that never would.
SMALL = WorkerSettings(
    memory_bytes=200 * MIB, address_space_bytes=1200 * MIB, temp_bytes=100 * MIB, grace_s=60, open_files=256
)
HASTY = replace(SMALL, grace_s=0.5)
ENDLESS = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = 7"


def job(sql: str, seconds: float = 60, **more) -> Job:
    return Job(sql, seconds, more.pop("rows", 100), 2000, admitted=None, **more)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    path = tmp_path / "cache.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE t AS SELECT range AS i FROM range(1000)")
    return Database(path, (), "r1")


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(2, SMALL, tmp_path / "spill", COMMAND)
    pool.start()
    yield pool
    await pool.close()


@pytest.fixture
async def hasty(tmp_path: Path) -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(2, HASTY, tmp_path / "spill", COMMAND)
    pool.start()
    yield pool
    await pool.close()


async def answers(pool: WorkerPool, database: Database) -> bool:
    return (await pool.run(database, job("SELECT count(*) FROM t"))).rows == ((1000,),)


async def running(pool: WorkerPool, database: Database, sql: str, seconds: float = 120) -> tuple[asyncio.Task, int]:
    """A query that is under way, and the process id of its worker: the one that uses the processor."""
    await ready(pool, database)
    before = {pid: _ticks(pid) for pid in pool.pids}
    task = asyncio.create_task(pool.run(database, job(sql, seconds)))
    await until(lambda: any(_ticks(pid) > ticks + 5 for pid, ticks in before.items()))
    return task, max(before, key=lambda pid: _ticks(pid) - before[pid])


async def ready(pool: WorkerPool, database: Database) -> None:
    """Until both workers are up."""
    assert await answers(pool, database)
    await until(lambda: len(pool.pids) == 2)


async def until(done: Callable[[], bool]) -> None:
    """Waits for what only another process can bring about."""
    async with asyncio.timeout(60):
        while not done():  # noqa: ASYNC110 - nothing signals it
            await asyncio.sleep(0.01)


def _proc(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text()


def _ticks(pid: int) -> int:
    return int(_proc(pid, "stat").rpartition(")")[2].split()[11])


async def gone(pid: int) -> None:
    """Waits until a process has ended and was collected."""
    await until(lambda: not Path(f"/proc/{pid}").exists())


async def test_a_worker_killed_in_mid_query_costs_that_query_only(pool, database):
    task, pid = await running(pool, database, ENDLESS)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerLost):
        await task
    assert await answers(pool, database)
    assert await answers(pool, database)
    await until(lambda: pid not in pool.pids)


async def test_a_worker_killed_while_idle_is_not_noticed(pool, database):
    assert await answers(pool, database)
    for pid in pool.pids:
        os.kill(pid, signal.SIGKILL)
        await until(lambda pid=pid: pid not in pool.pids)
    assert await answers(pool, database)


async def test_the_engine_stops_at_its_time_limit_and_the_worker_stays(pool, database):
    await answers(pool, database)
    with pytest.raises(EngineFailure) as caught:
        await pool.run(database, job(ENDLESS, 0.3))
    assert caught.value.kind == "timeout"
    assert await answers(pool, database)


async def test_a_worker_that_answers_nothing_is_killed(hasty, database):
    """A stopped process stands for every engine call that no interrupt reaches. It is stopped before it is asked: once
    its query runs, its own clock could end that first."""
    await ready(hasty, database)
    stopped = hasty.pids
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    for _ in stopped:
        with pytest.raises(WorkerLost, match="did not stop"):
            await hasty.run(database, job(ENDLESS, 0.3))
    for pid in stopped:
        await gone(pid)
    await until(lambda: len(hasty.pids) == 2)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT len(range(2000000000))",
        "SELECT list_sum(list_transform(range(100000000), lambda x: x * 2))",
        "SELECT length(lpad('x', 2000000000, 'y'))",
        "SELECT range(3000000) FROM range(1000)",
        "SELECT " + "list_transform([1], lambda x: " * 300 + "1" + ")" * 300,
    ],
)
async def test_a_bomb_stays_in_its_worker(hasty, database, sql):
    with pytest.raises((EngineFailure, WorkerLost)) as caught:
        await hasty.run(database, job(sql, 1, rows=1000))
    if isinstance(caught.value, EngineFailure):
        assert caught.value.kind in ("memory", "timeout", "outofrange", "invalidinput")
    assert await answers(hasty, database)


async def test_spilling_is_bounded_and_leaves_nothing(database, tmp_path: Path):
    pool = WorkerPool(1, replace(SMALL, memory_bytes=60 * MIB, temp_bytes=20 * MIB), tmp_path / "spill", COMMAND)
    pool.start()
    with pytest.raises((EngineFailure, WorkerLost)):
        await pool.run(database, job("SELECT md5(range::VARCHAR) AS m FROM range(3000000) ORDER BY m", 60))
    assert await answers(pool, database)
    await pool.close()
    assert list((tmp_path / "spill").iterdir()) == []


async def test_cancelling_kills_the_query_at_once(pool, database):
    task, pid = await running(pool, database, ENDLESS)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(pid)
    assert await answers(pool, database)


async def test_a_hanging_query_does_not_hold_up_others(pool, database):
    task, _ = await running(pool, database, ENDLESS)
    assert all(await asyncio.gather(*(answers(pool, database) for _ in range(5))))
    task.cancel()


async def test_closing_ends_running_and_waiting_queries(pool, database):
    assert await answers(pool, database)
    tasks = [asyncio.create_task(pool.run(database, job(ENDLESS, 60))) for _ in range(5)]
    await asyncio.sleep(0)
    await pool.close()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(result, WorkerLost) for result in results)
    assert pool.pids == frozenset()


@pytest.mark.parametrize(
    "script",
    [
        "while True: out.write(b'x' * 65536)",  # floods its pipe with what is no frame
        "send(b'{\"ready\": true}')\nwhile True: send(b'[' + b'1,' * 500000 + b'1]')",  # … with frames nobody asked for
        "send(b'{\"ready\": true}')\nout.write(struct.pack('>I', 2**31) + b'x'); out.flush(); time.sleep(60)",
        "send(b'{\"ready\": true}'); sys.stdin.buffer.read(1); sys.exit(3)",
        'send(b\'{"ready": true}\'); send(b\'{"id": 99, "answer": {}}\'); time.sleep(60)',
        'send(b\'{"ready": true}\')\nfor i in (1, 2): send(b\'{"id": %d, "answer": {}}\' % i)\ntime.sleep(60)',
        "raise SystemExit(1)",
    ],
)
async def test_a_worker_gone_mad_is_killed_and_said(tmp_path, database, script):
    head = (
        "import struct, sys, time\nout = sys.stdout.buffer\n"
        "def send(body): out.write(struct.pack('>I', len(body)) + body); out.flush()\n"
    )
    pool = WorkerPool(1, HASTY, tmp_path / "spill", command=(sys.executable, "-c", head + script))
    pool.start()
    with pytest.raises(WorkerLost):
        await pool.run(database, job("SELECT 1", 1))
    await pool.close()
    assert pool.pids == frozenset()


async def test_the_worker_lives_in_a_narrow_envelope(pool, database):
    assert await answers(pool, database)
    pid = next(iter(pool.pids))
    limits = {line[:26].strip(): line[26:].split()[:2] for line in _proc(pid, "limits").splitlines()}
    assert limits["Max address space"] == [str(SMALL.address_space_bytes)] * 2
    assert limits["Max core file size"] == ["0", "0"]
    assert limits["Max file size"] == [str(SMALL.temp_bytes)] * 2
    assert limits["Max open files"] == ["256", "256"]
    assert _proc(pid, "environ") == ""
    assert os.getpgid(pid) == pid


async def test_workers_die_with_their_parent(tmp_path, database):
    script = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from runtime.engines.worker import *\n"
        "from runtime.engines.workspace.worker import *\n"
        "async def main():\n"
        f"    settings = WorkerSettings({200 * MIB}, {1200 * MIB}, {100 * MIB}, 1)\n"
        f"    pool = WorkerPool(2, settings, Path({str(tmp_path / 's')!r}), COMMAND)\n"
        "    pool.start()\n"
        f"    db = Database(Path({str(database.path)!r}), (), 'r1')\n"
        "    await pool.run(db, Job('SELECT 1', 60, 1, 9, None))\n"
        "    while len(pool.pids) < 2: await asyncio.sleep(0.01)\n"
        "    print(*pool.pids, flush=True)\n"
        f"    await pool.run(db, Job({ENDLESS!r}, 60, 1, 9, None))\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    assert parent.stdout
    pids = [int(pid) for pid in (await parent.stdout.readline()).split()]
    assert len(pids) == 2
    parent.kill()
    await parent.wait()
    await until(lambda: not any(_alive(pid) for pid in pids))
    # What the dead parent's workers spilled is cleared by the next one.
    after = WorkerPool(1, SMALL, tmp_path / "s", COMMAND)
    after.start()
    assert await answers(after, database)
    await after.close()
    assert list((tmp_path / "s").iterdir()) == []


def _alive(pid: int) -> bool:
    """An orphan that ended may stay as a zombie where nothing collects it."""
    try:
        return _proc(pid, "stat").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_a_new_revision_leaves_running_queries_alone(pool, database, tmp_path: Path):
    task, _ = await running(pool, database, "SELECT count(*) FROM t a, t b, t c WHERE a.i + b.i + c.i >= 0")
    path = tmp_path / "next.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS i")
    os.replace(path, database.path)
    newer = replace(database, revision="r2")
    assert (await pool.run(newer, job("SELECT count(*) FROM t"))).rows == ((1,),)
    assert (await task).rows == ((1000**3,),)
    assert (await pool.run(newer, job("SELECT count(*) FROM t"))).rows == ((1,),)


async def test_nothing_of_one_query_is_left_for_the_next(tmp_path, database):
    pool = WorkerPool(1, SMALL, tmp_path / "spill", COMMAND)
    pool.start()
    for statement in ("CREATE TEMP TABLE t AS SELECT 7 AS i", "SET VARIABLE x = 7", "CREATE TEMP MACRO m() AS 7"):
        await pool.run(database, job(statement))
    assert await answers(pool, database)
    assert (await pool.run(database, job("SELECT getvariable('x')"))).rows == ((None,),)
    with pytest.raises(EngineFailure):
        await pool.run(database, job("SELECT m()"))
    await pool.close()


async def test_times_are_read_in_utc(pool, database):
    found = await pool.run(database, job("SELECT CAST(TIMESTAMPTZ '2024-01-01 10:00:00+02' AS VARCHAR)"))
    assert found.rows == (("2024-01-01 08:00:00+00",),)


async def test_a_worker_that_cannot_start_is_said(tmp_path, database):
    pool = WorkerPool(1, SMALL, tmp_path / "spill", command=(str(tmp_path / "none"),))
    pool.start()
    for _ in range(2):
        with pytest.raises(WorkerLost, match="could be started"):
            await pool.run(database, job("SELECT 1"))
    await pool.close()


async def test_an_answer_too_long_for_the_wire_is_told_and_the_worker_goes_on(tmp_path: Path, pool: WorkerPool):
    path = tmp_path / "wide.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(f"CREATE TYPE lengthy AS ENUM ('{'x' * MIB}')")
    with pytest.raises(EngineFailure) as caught:
        await pool.run(Database(path, (), "r1"), job("SELECT " + ", ".join(["NULL::lengthy"] * 20), seconds=30))
    assert caught.value.kind == "answer_too_long"
    told = as_call_error(caught.value, 30, GuardPolicy({}), ())
    assert (told.code, told.message) == ("resource_limit", "The result is longer than 16 MiB.")
    assert (await pool.run(Database(path, (), "r1"), job("SELECT 1"))).rows == ((1,),)
