"""Cold start: `footnote version`, `footnote serve` until it says that it is ready, and what the idle process holds.

Every start is a process of its own against a local workspace, with a small folder of files and the offline model;
beside each, the bare interpreter is started, as the measure of this machine.
"""

from __future__ import annotations

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bot.local import LocalSlack
from tests.bench.row import Row

VERSIONS, SERVES = 7, 5
VERSION_BAR_S, READY_BAR_S, RESIDENT_BAR_MB = 0.3, 3.0, 300.0
ROOT = Path(__file__).parents[2]
IDLE_SECONDS = 3.0  # warm-ups of the first seconds count as part of the idle process
MANIFEST = 'version: 1\ntimezone: Europe/Berlin\nworkspace: {root: ./data, audience: {channels: ["*"], im: true}}\n'


@dataclass(frozen=True, slots=True)
class Start:
    """One start of `serve`: seconds until ready, and of those the process's own on a CPU; resident MB of the process,
    and of its children together."""

    ready_s: float
    cpu_s: float
    resident_mb: float
    children_mb: float
    children: int


def run() -> list[Row]:
    """Medians of 7 and of 5 starts."""
    interpreter, version = _versions()
    with tempfile.TemporaryDirectory() as folder:
        starts = asyncio.run(_serves(Path(folder)))
    ready = statistics.median(start.ready_s for start in starts)
    cpu = statistics.median(start.cpu_s for start in starts)
    resident = statistics.median(start.resident_mb for start in starts)
    children = statistics.median(start.children_mb for start in starts)
    base = f"bare interpreter {interpreter:.3f} s"
    return [
        Row("footnote version", version, "s", VERSION_BAR_S, base),
        Row("footnote serve until ready", ready, "s", READY_BAR_S, f"{base}; {cpu:.2f} s of it on a CPU"),
        Row("resident, idle process", resident, "MB", RESIDENT_BAR_MB, f"without its {starts[0].children} workers"),
        Row("resident, its workers together", children, "MB", None, "pages shared between them are counted in each"),
    ]


def _versions() -> tuple[float, float]:
    """Median seconds of the bare interpreter and of `footnote version`, started in turn."""
    ways = ([sys.executable, "-c", "pass"], [sys.executable, "-m", "bot", "version"])
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(VERSIONS + 1):
        for way, times in zip(ways, spent, strict=True):
            began = time.perf_counter()
            subprocess.run(way, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            times.append(time.perf_counter() - began)
    return statistics.median(spent[0][1:]), statistics.median(spent[1][1:])


async def _serves(folder: Path) -> list[Start]:
    (folder / "data").mkdir()
    (folder / "data" / "orders.csv").write_text("id,amount\n" + "".join(f"{n},{n}.5\n" for n in range(500)))
    (folder / "manifest.yaml").write_text(MANIFEST)
    async with LocalSlack() as slack:
        # The first start makes the state file and writes byte code: not what a restart costs.
        return [await _serve(slack, folder) for _ in range(SERVES + 1)][1:]


async def _serve(slack: LocalSlack, folder: Path) -> Start:
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ},
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_APP_TOKEN": slack.app_token,
        "SLACK_API_URL": slack.api_url,
        "FOOTNOTE_MANIFEST": str(folder / "manifest.yaml"),
        "FOOTNOTE_STATE": f"sqlite:///{folder / 'state.db'}",
        "FOOTNOTE_DATA_DIR": str(folder / "cache"),
        "FOOTNOTE_MODEL": "offline",
    }
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot", "serve"),
        cwd=ROOT,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), 60)
        ready = time.perf_counter() - began
        if b"ready" not in line:
            raise AssertionError(f"footnote serve did not start: {line.decode()}")
        cpu = _cpu_s(process.pid)
        await asyncio.sleep(IDLE_SECONDS)
        children = _children(process.pid)
        return Start(ready, cpu, _resident_mb(process.pid), sum(_resident_mb(pid) for pid in children), len(children))
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


def _children(pid: int) -> list[int]:
    """The children of all threads of a process."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _cpu_s(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    kib = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    return kib * 1024 / 1e6
