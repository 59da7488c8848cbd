"""The sealed guest beside `python -c` and beside another WebAssembly Python (other_python.py).

Guests run isolated, as in production. All sides are measured in turns, in one run.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from guest import Guest, GuestLimits, open_guest
from tests.bench import other_python
from tests.bench.row import Row

ROUNDS, ROWS = 40, 10_000
NOW = "2026-03-04T05:06:07+00:00"
COLUMNS = ["id", "grp", "x", "y"]
DATA = [[i, f"g{i % 7}", i * 1.5, i % 13] for i in range(ROWS)]
STATISTICS = """
import statistics
from collections import defaultdict
groups = defaultdict(list)
for row in sql("all"):
    groups[row["grp"]].append(row["x"])
for name, values in sorted(groups.items()):
    print(name, statistics.fmean(values), median(values), sum((v - 5) ** 2 for v in values))
"""
HOLD = "sql('hold')"
SPIN = "while True: pass"


def run() -> list[Row]:
    """Medians in milliseconds and megabytes; see the names of the rows."""
    return asyncio.run(_measure())


async def _sql(query: str, source: str | None):
    return COLUMNS, DATA


async def _measure() -> list[Row]:
    guest = open_guest()
    await guest.start()
    try:
        return [*await _fresh(guest), await _rows(guest), *await _memory(), *await _stall(), *await _cancel()]
    finally:
        await guest.close()


async def _timed(act: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await act()
    return (time.perf_counter() - started) * 1000


async def _program(guest: Guest, source: str) -> None:
    result = await guest.run(source, _sql, now=NOW, seed=1)
    assert result.status == "ok", result


async def _fresh(guest: Guest) -> list[Row]:
    """`print(1)` on every side, in turns of ten: the first of a turn finds the processor's caches full of the last."""
    taken: dict[str, list[float]] = {}
    other = other_python.program()
    for turn in range(-1, ROUNDS // 10):  # the first turn is not counted
        times = {"guest": [await _timed(lambda: _program(guest, "print(1)")) for _ in range(10)]}
        times["plain"] = [_timed_now(_plain) for _ in range(10)]
        if other is not None:
            times[other_python.NAME] = [_timed_now(other) for _ in range(10)]
        for name, each in times.items() if turn >= 0 else ():
            taken.setdefault(name, []).extend(each)
    ours, plain = taken.pop("guest"), f"python -I -S -c {statistics.median(taken.pop('plain')):.1f} ms"
    beside = ", ".join([plain, *(f"{name} {statistics.median(times):.1f} ms" for name, times in taken.items())])
    return [
        Row("guest: print(1), p50", statistics.median(ours), "ms", 3.0, beside),
        Row("guest: print(1), p95", statistics.quantiles(ours, n=20)[-1], "ms", 6.0, plain),
    ]


def _plain() -> None:
    subprocess.run([sys.executable, "-I", "-S", "-c", "print(1)"], check=True, stdout=subprocess.DEVNULL)


def _timed_now(act: Callable[[], None]) -> float:
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1000


async def _rows(guest: Guest) -> Row:
    taken, bare = [], []
    for _ in range(ROUNDS // 2):
        taken.append(await _timed(lambda: _program(guest, STATISTICS)))
        started = time.perf_counter()
        exec(
            STATISTICS.replace('sql("all")', "rows"),
            {"rows": _dicts(), "print": lambda *_: None, "median": statistics.median},
        )
        bare.append((time.perf_counter() - started) * 1000)
    base = f"the same in this Python {statistics.median(bare):.1f} ms"
    return Row("guest: sql() of 10,000 rows and statistics, p50", statistics.median(taken[2:]), "ms", 120.0, base)


def _dicts() -> list[dict[str, object]]:
    return [dict(zip(COLUMNS, row, strict=True)) for row in DATA]


def _private_mb(pid: int) -> float:
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_")) / 1024


def _children() -> set[int]:
    found = set()
    for task in Path("/proc/self/task").iterdir():
        found |= {int(pid) for pid in (task / "children").read_text().split()}
    return found


async def _memory() -> list[Row]:
    """Eight guests that wait for a query, over the same process when they had run and gone."""
    before, guest = _children(), open_guest(limits=GuestLimits(concurrent=8))
    await guest.start()
    (pid,) = _children() - before
    gate, waiting = asyncio.Event(), []

    async def hold(query: str, source: str | None):
        waiting.append(query)
        await gate.wait()
        return ["a"], []

    try:
        await guest.run("print(1)", _sql, now=NOW, seed=1)
        rest = _private_mb(pid)
        runs = [asyncio.create_task(guest.run(HOLD, hold, now=NOW, seed=1)) for _ in range(8)]
        while len(waiting) < 8:
            await asyncio.sleep(0.01)
        each = (_private_mb(pid) - rest) / 8
        gate.set()
        await asyncio.gather(*runs)
    finally:
        await guest.close()
    return [Row("guest: private memory of an idle live guest", each, "MB", 4.0, f"process alone {rest:.0f} MB")]


async def _stall() -> list[Row]:
    """How late a 1 ms tick of the event loop comes while a guest spins, and with none."""
    guest = open_guest(limits=GuestLimits(fuel=10**15, wall_s=3))
    await guest.start()
    quiet = await _late(0.8)
    spinning = asyncio.create_task(guest.run(SPIN, _sql, now=NOW, seed=1))
    await asyncio.sleep(0.1)
    busy = await _late(1.5)
    spinning.cancel()
    await asyncio.wait([spinning])
    await guest.close()
    base = f"no guest {quiet:.2f} ms"
    return [Row("event loop: stall while a guest spins, p99", busy, "ms", 5.0, base)]


async def _late(seconds: float) -> float:
    late, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        started = time.perf_counter()
        await asyncio.sleep(0.001)
        late.append((time.perf_counter() - started - 0.001) * 1000)
    return statistics.quantiles(late, n=100)[-1]


async def _cancel() -> list[Row]:
    """From cancelling the task until the guest has stopped."""
    taken = []
    guest = open_guest(limits=GuestLimits(fuel=10**15, wall_s=30))
    await guest.start()
    for _ in range(10):
        task = asyncio.create_task(guest.run(SPIN, _sql, now=NOW, seed=1))
        await asyncio.sleep(0.05)
        task.cancel()
        started = time.perf_counter()
        await asyncio.wait([task])
        taken.append((time.perf_counter() - started) * 1000)
    await guest.close()
    return [
        Row(
            "guest: cancellation, the slowest of 10",
            max(taken),
            "ms",
            100.0,
            f"median {statistics.median(taken):.1f} ms",
        )
    ]
