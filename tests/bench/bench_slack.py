"""Event to first status and event to answer, over a bare Bolt echo of the same run, both by Socket Mode.

Two local workspaces stand in a process of their own, as Slack does; in this one are the bot with a scripted model and
an echo that only says something on a mention. Every round asks both, one after the other. An answer counts when the
workspace has taken the message; the model's own time is measured and taken off.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp

from bot.local import LocalSlack
from bot.pacing import Unpaced
from bot.service import running_bot
from bot.settings import load_settings
from bot.slack_client import open_slack_client
from runtime.models.port import ModelRequest, ModelStep, ResultsMessage
from runtime.testing.scripted_model import ScriptedModel, asks, says
from tests.bench.row import Row

ROUNDS = 60
WARM_UP = 8
CHANNEL, USER = "C0SALES", "U0MIA"
STATUS_BAR_MS, ANSWER_BAR_MS, READ_BAR_MS = 50.0, 15.0, 40.0

MANIFEST = 'version: 1\ntimezone: Europe/Berlin\nworkspace: {root: ./data, audience: {channels: ["*"], im: true}}\n'
PLAIN, READING = "are you there?", "how many orders are there?"


@dataclass
class Script:
    """Answers at once, after one query where the question is about orders; remembers how long that took."""

    spent: list[float] = field(default_factory=list)

    def __call__(self, request: ModelRequest) -> ModelStep:
        began = time.perf_counter()
        step = self._step(request)
        self.spent.append(time.perf_counter() - began)
        return step

    def _step(self, request: ModelRequest) -> ModelStep:
        last = request.messages[-1]
        if isinstance(last, ResultsMessage):
            return says("There are 500 orders [E1].")
        if READING in str(last):
            return asks(("run_sql", {"sql": "SELECT count(*) AS n FROM orders"}))
        return says("Yes, I am here.")


@dataclass
class Spent:
    """Milliseconds from the message until something showed, per round."""

    status: list[float] = field(default_factory=list)
    answer: list[float] = field(default_factory=list)


def run() -> list[Row]:
    """p50 of 60 interleaved rounds, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder)))


async def _measure(folder: Path) -> list[Row]:
    script, commit_ms = Script(), _commit_ms(folder / "bare.db")
    async with _workspaces() as workspaces:
        (ours, theirs) = json.loads(await _line(workspaces))
        async with _echo(theirs), _bot(ours, folder, script):
            assert workspaces.stdin is not None
            workspaces.stdin.write(b"go\n")
            found = json.loads(await _line(workspaces))
    plain, reading, echoed = (Spent(**found[name]) for name in ("plain", "reading", "echoed"))
    return _table(plain, reading, echoed, statistics.median(script.spent) * 1e3, commit_ms)


@contextlib.asynccontextmanager
async def _workspaces() -> AsyncGenerator[asyncio.subprocess.Process]:
    """This module as a program: the workspaces and the people in them."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", __name__, stdin=pipe, stdout=pipe)
    try:
        yield process
    finally:
        await process.communicate(b"")  # the end of its input is its end


async def _line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    if not line:
        raise AssertionError("the workspaces ended early")
    return line


async def _people() -> None:
    """Prints where the workspaces are, plays all rounds when told to and prints what they took; ends with its input."""
    async with LocalSlack() as ours, LocalSlack() as theirs:
        places = [{"api": s.api_url, "bot": s.bot_token, "app": s.app_token} for s in (ours, theirs)]
        print(json.dumps(places), flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        plain, reading, echoed = Spent(), Spent(), Spent()
        for n in range(ROUNDS + WARM_UP):
            if n == WARM_UP:
                plain, reading, echoed = Spent(), Spent(), Spent()
            await _asked(theirs, PLAIN, echoed, with_status=False)
            await _asked(ours, PLAIN, plain)
            await _asked(ours, READING, reading)
        if ours.refusals or theirs.refusals:
            raise AssertionError(f"refused: {ours.refusals + theirs.refusals}")
        print(json.dumps({"plain": asdict(plain), "reading": asdict(reading), "echoed": asdict(echoed)}), flush=True)
        await asyncio.to_thread(sys.stdin.read)


def _commit_ms(path: Path) -> float:
    """Median of a bare commit on this disk: a turn makes seven of them before its answer, three more for a read."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (n INTEGER)")
        spent: list[float] = []
        for n in range(ROUNDS):
            began = time.perf_counter()
            connection.execute("INSERT INTO t VALUES (?)", (n,))
            spent.append((time.perf_counter() - began) * 1e3)
    return statistics.median(spent)


def _table(plain: Spent, reading: Spent, echoed: Spent, model_ms: float, commit_ms: float) -> list[Row]:
    echo, read = statistics.median(echoed.answer), statistics.median(reading.answer)
    base = f"bare Bolt echo {echo:.1f} ms; bare commit {commit_ms:.2f} ms"
    return [
        Row("event to status", statistics.median(plain.status), "ms", STATUS_BAR_MS, base),
        Row("event to answer", statistics.median(plain.answer) - echo, "ms over echo", ANSWER_BAR_MS, base),
        Row("turn with one read", read - model_ms, "ms over model", READ_BAR_MS, f"{base}; model {model_ms:.2f} ms"),
    ]


async def _asked(slack: LocalSlack, text: str, spent: Spent, *, with_status: bool = True) -> None:
    """One question in a thread of its own; returns when the bot is done with it."""
    began = time.perf_counter()
    ts = await slack.ask(CHANNEL, USER, text)
    marks: dict[str, float] = {}

    def seen(name: str, shown: Callable[[], Any]) -> bool:
        if name not in marks and shown():
            marks[name] = (time.perf_counter() - began) * 1e3
        return name in marks

    def done() -> bool | None:
        status = not with_status or seen("status", lambda: slack.status(CHANNEL, ts))
        return (seen("answer", lambda: slack.answers(CHANNEL, ts)) and status) or None

    await slack.wait_for(done)
    if with_status:
        spent.status.append(marks["status"])
        # The turn ends with its line cleared: the next round must not run beside its last breath.
        last = slack.statuses
        await slack.wait_for(lambda: (last[-1].thread_ts == ts and last[-1].status == "") or None)
        await asyncio.sleep(0.02)
    spent.answer.append(marks["answer"])


@contextlib.asynccontextmanager
async def _echo(slack: dict[str, str]) -> AsyncGenerator[None]:
    """Bolt as its documentation shows it, with the shared session that ours has too."""
    async with open_slack_client(slack["bot"], slack["api"]) as opened:
        app = AsyncApp(client=opened.client)

        @app.event("app_mention")
        async def echo(event: dict[str, Any], say: Any) -> None:
            await say(text="Yes, I am here.", thread_ts=event["ts"])

        @app.event("message")
        async def ignore() -> None:
            pass

        handler = AsyncSocketModeHandler(app, slack["app"])
        await handler.connect_async()
        try:
            yield
        finally:
            await handler.close_async()


@contextlib.asynccontextmanager
async def _bot(slack: dict[str, str], folder: Path, script: Script) -> AsyncGenerator[None]:
    (folder / "data").mkdir()
    table = folder / "data" / "orders.csv"
    table.write_text("id,amount\n" + "".join(f"{n},{n}.5\n" for n in range(500)))
    os.utime(table, (1_700_000_000, 1_700_000_000))  # a file written just now is looked at more often
    (folder / "manifest.yaml").write_text(MANIFEST)
    settings = load_settings(
        SLACK_BOT_TOKEN=slack["bot"],
        SLACK_APP_TOKEN=slack["app"],
        SLACK_API_URL=slack["api"],
        FOOTNOTE_MANIFEST=folder / "manifest.yaml",
        FOOTNOTE_STATE=f"sqlite:///{folder / 'state.db'}",
        FOOTNOTE_DATA_DIR=folder / "cache",
    )
    async with running_bot(settings, pacer=Unpaced(), model=ScriptedModel(script)):
        yield


if __name__ == "__main__":
    asyncio.run(_people())
