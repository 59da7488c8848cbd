"""Reading a CSV file of 100 MB right, against DuckDB copying it to Parquet with its own guesses.

FOOTNOTE_BENCH_CSV_MB=1024 measures another size; the bar is meant for that one.
"""

from __future__ import annotations

import asyncio
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from runtime.clock import SystemClock
from runtime.engines.workspace.workspace import Workspace
from runtime.ingest import FileJob, ReadTable
from runtime.ingest.reader import FileReader
from runtime.limits import DEFAULT
from runtime.toolboxes.files import list_files
from tests.bench.bench_file_query import context_of
from tests.bench.row import Row

MEGABYTES = int(os.environ.get("FOOTNOTE_BENCH_CSV_MB", "100"))
SIZE = MEGABYTES * 2**20
RUNS = 3
FILES = 10_000
_BARE = """
import duckdb, sys
connection = duckdb.connect(config={"threads": "2"})
connection.execute("SET enable_progress_bar = false")
connection.execute(f"COPY (FROM read_csv('{sys.argv[1]}')) TO '{sys.argv[2]}' (FORMAT parquet, COMPRESSION zstd)")
"""


def write(path: Path) -> None:
    """An ordinary export: numbers, money, dates, times, labels, some quoted text and some empty cells."""
    draw = random.Random(7)
    lines = [
        f"{draw.choice(['Ana', 'Bob', 'Čeněk'])} {draw.randrange(10**5)},SKU-{draw.randrange(9_999):05d},"
        f"{draw.randrange(1, 20)},{draw.randrange(100, 99_999) / 100:.2f},2024-{draw.randrange(1, 13):02d}-"
        f"{draw.randrange(1, 28):02d} {draw.randrange(24):02d}:{draw.randrange(60):02d}:00,2024-01-"
        f"{draw.randrange(1, 29):02d},{draw.choice(['', 'open', chr(34) + 'late, twice' + chr(34)])}\n"
        for _ in range(50_000)
    ]
    with path.open("w", encoding="utf-8") as out:
        out.write("order_id,customer,sku,qty,unit_price,ordered_at,day,note\n")
        number = 0
        while out.tell() < SIZE:
            out.write("".join(f"{number + place},{line}" for place, line in enumerate(lines)))
            number += len(lines)


async def read(path: Path, size: int, store: Path) -> float:
    """Reads with a new reader process and an empty store; gives the reader's peak memory in MB."""
    reader = FileReader(DEFAULT)
    table, _ = await reader.read(FileJob(str(path.parent), path.name, "csv", str(store)), size)
    assert isinstance(table, ReadTable)
    peak = reader.peak_bytes() / 2**20
    await reader.close()
    return peak


@dataclass(frozen=True)
class Taken:
    """Seconds by the clock, and seconds that the processors worked."""

    wall: float
    processor: float


@contextmanager
def taken(times: list[Taken]) -> Generator[None]:
    """Notes what the processes take that are started and ended in the block."""
    begun, worked = time.perf_counter(), _worked()
    yield
    times.append(Taken(time.perf_counter() - begun, _worked() - worked))


def _worked() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@dataclass(frozen=True)
class Comparison:
    """Medians of runs in turns: ours over bare DuckDB by the clock and by processor time, seconds of bare DuckDB by the
    clock; and the peak memory of ours in MB."""

    wall: float
    processor: float
    bare: float
    peak: float


def measure(folder: Path) -> Comparison:
    """On a machine that does other work, too, the ratio by processor time is the steadier one."""
    path = folder / "export.csv"
    write(path)
    bare: list[Taken] = []
    ours: list[Taken] = []
    peaks: list[float] = []
    for turn in range(RUNS):
        with taken(bare):
            subprocess.run([sys.executable, "-c", _BARE, str(path), str(folder / "bare.parquet")], check=True)
        with taken(ours):
            peaks.append(asyncio.run(read(path, path.stat().st_size, folder / f"store{turn}")))
    pairs = list(zip(ours, bare, strict=True))
    return Comparison(
        statistics.median(mine.wall / other.wall for mine, other in pairs),
        statistics.median(mine.processor / other.processor for mine, other in pairs),
        statistics.median(other.wall for other in bare),
        max(peaks),
    )


def many(root: Path) -> None:
    """A folder of small files that nobody has read yet."""
    for number in range(FILES):
        path = root / f"{number // 500:02d}" / f"day{number:05d}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"id,name,amount\n{number},a,{number}.25\n", encoding="utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000))


async def listed(root: Path, cache: Path) -> float:
    """Seconds of the first `list_files` over a folder."""
    workspace = await Workspace.open(root, cache, DEFAULT, SystemClock())
    begun = time.perf_counter()
    output = await list_files.CAPABILITY.execute(list_files.ListFiles(), context_of(workspace))
    taken = time.perf_counter() - begun
    assert output.data["total"] == FILES
    await workspace.close()
    return taken


def run() -> list[Row]:
    """Both sides start their process each time, so that start-up is in both figures."""
    with tempfile.TemporaryDirectory() as name:
        many(Path(name) / "files")
        listing = asyncio.run(listed(Path(name) / "files", Path(name) / "cache"))
    with tempfile.TemporaryDirectory() as name:
        found = measure(Path(name))
    note = f"{found.bare:.2f} s COPY by DuckDB; {found.processor:.2f} x its processor time"
    return [
        Row(f"CSV of {MEGABYTES:,} MB read right", found.wall, "x bare", 1.3, note),
        Row("peak memory of the reader", found.peak, "MB", 1_536, "resident size"),
        Row(f"first listing of {FILES:,} files", listing, "s", 2, "no file read before"),
    ]
