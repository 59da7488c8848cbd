"""What remembering costs: accepting a message, starting a turn, one durable step, and the bytes a turn leaves."""

import asyncio
import json
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

from runtime.clock import SystemClock, random_id
from runtime.durable import Durable, Steps
from runtime.evidence import Json
from runtime.state import NewDelivery, State, TurnEnd, TurnStart, open_state
from tests.bench.row import Row

ROUNDS = 300
TURNS = 60
BODY = {"text": "which region led paid revenue last quarter?", "user": "U1", "channel": "C1", "raw": "x" * 400}
REPLY: dict[str, Json] = {"text": "", "calls": [{"id": "c1", "name": "run_sql", "input": {"sql": "SELECT 1 " * 30}}]}


def run() -> list[Row]:
    """The rows of this part."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> list[Row]:
    bare = _bare_inserts(folder / "bare.db")
    state = open_state(f"sqlite:///{folder}/state.db", clock=SystemClock(), new_id=random_id)
    accepted = await _timed(
        ROUNDS, lambda n: state.inbox.accept(f"Ev{n}", f"T:C:{n}", "T:C:1", "mention", BODY), warm_up=20
    )
    rows = [
        Row("inbox accept, p50", accepted[0] / bare[0], "x bare", None, f"SQLite insert + commit {bare[0]:.2f} ms"),
        Row("inbox accept, p99", accepted[1], "ms", 50.0, f"SQLite insert + commit p99 {bare[1]:.2f} ms"),
    ]
    rows += await _turns(folder, state, bare[0])
    state.close()
    return rows


def _bare_inserts(path: Path) -> tuple[float, float]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE t (k TEXT PRIMARY KEY, d TEXT UNIQUE, body BLOB)")
        spent = []
        for n in range(ROUNDS + 20):
            begun = time.perf_counter()
            connection.execute("INSERT INTO t VALUES (?, ?, ?)", (f"Ev{n}", f"T:C:{n}", json.dumps(BODY).encode()))
            spent.append(time.perf_counter() - begun)
    return _percentiles(spent[20:])


async def _timed(rounds: int, work: Callable[[int], Awaitable[object]], *, warm_up: int) -> tuple[float, float]:
    spent = []
    for n in range(rounds + warm_up):
        begun = time.perf_counter()
        await work(n)
        spent.append(time.perf_counter() - begun)
    return _percentiles(spent[warm_up:])


def _percentiles(seconds: list[float]) -> tuple[float, float]:
    """p50 and p99 in milliseconds."""
    ordered = sorted(seconds)
    return statistics.median(ordered) * 1e3, ordered[int(len(ordered) * 0.99)] * 1e3


async def _turns(folder: Path, state: State, commit_ms: float) -> list[Row]:
    begun: dict[str, float] = {}
    step_ms: list[float] = []
    ended = asyncio.Event()

    async def turn(steps: Steps, turn_id: str) -> None:
        begun[turn_id] = time.perf_counter()
        await state.turns.begin(TurnStart(turn_id, "T:C:1", "U1", str(BODY["text"])))
        for n in range(2):
            started = time.perf_counter()
            await steps.step("model step", _model_step)
            step_ms.append((time.perf_counter() - started) * 1e3)
            await state.steps.put_reply(turn_id, n, REPLY)
        answer = "North led with 1,204,400 EUR [E1]. " * 8
        posting = NewDelivery(turn_id, "C1", 0, "message", {"text": answer})
        await state.turns.finish(turn_id, TurnEnd("answered", answer), deliveries=[posting])
        await state.inbox.finish(turn_id)
        ended.set()

    async def on_dead(turn_id: str) -> None:
        raise RuntimeError(f"turn {turn_id} died")

    for item in await state.inbox.pending():
        await state.inbox.finish(item.turn_id)
    runner = Durable(
        database_url=f"sqlite:///{folder}/state.db",
        application_version="1",
        executor_id="bench",
        turn=turn,
        on_dead=on_dead,
    )
    launch = time.perf_counter()
    await runner.launch()
    launch_s = time.perf_counter() - launch
    await runner.recover(state.inbox)
    waits, spent = [], []
    size = _bytes(folder)
    for n in range(TURNS):
        ended.clear()
        started = time.perf_counter()
        accepted = await state.inbox.accept(f"Turn{n}", f"T:C:turn{n}", f"T:C:{n}", "mention", BODY)
        enqueued = time.perf_counter()
        await runner.enqueue(accepted.turn_id, f"T:C:{n}")
        await ended.wait()
        spent.append(time.perf_counter() - started)
        waits.append(begun[accepted.turn_id] - enqueued)
    await runner.close(5)
    grown = (_bytes(folder) - size) / TURNS
    picked, whole = _percentiles(waits), _percentiles(spent)
    base = f"SQLite insert + commit {commit_ms:.2f} ms"
    return [
        Row("turn pick-up, p50", picked[0], "ms", 60.0, base),
        Row("durable step, p50", statistics.median(step_ms), "ms", 25.0, base),
        Row("whole turn of two empty steps, p50", whole[0], "ms", None, base),
        Row("workflow engine launch", launch_s, "s", None, "with its import"),
        Row("state growth per turn", grown / 1024, "KiB", 6.0, f"{TURNS} turns, without evidence"),
    ]


async def _model_step() -> Json:
    return REPLY


def _bytes(folder: Path) -> int:
    """Size of the databases with their logs folded in."""
    total = 0
    for path in folder.glob("*.db"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            total += pages * connection.execute("PRAGMA page_size").fetchone()[0]
    return total
