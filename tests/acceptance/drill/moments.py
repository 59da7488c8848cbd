"""Moments at which to kill: something that can be seen from outside has just happened, and a little time passes."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from bot.local.faults import Faults, Rule
from bot.local.wire import Json
from tests.acceptance.drill.asking import LAST_STEP

Feed = asyncio.Queue[Json | None]
Arm = Callable[[Faults], Rule | None]


def _unarmed(_: Faults) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Moment:
    """`hit` recognises it among the changes of the workspace; the kill follows up to `spread_s` seconds later. `arm`
    prepares a fault of Slack's side first. `times`: how often one question makes it come."""

    name: str
    hit: Callable[[Json], bool]
    spread_s: float = 0.0
    arm: Arm = _unarmed
    times: int = 1


def _model(stage: str, *, last: bool = False) -> Callable[[Json], bool]:
    return lambda change: change["kind"] == "model" and change["stage"] == stage and (change["n"] == LAST_STEP) == last


def _called(method: str) -> Callable[[Json], bool]:
    return lambda change: change["kind"] == "call" and change["method"] == method


def _held(method: str) -> Callable[[Json], bool]:
    return lambda change: change["kind"] == "held" and change["method"] == method


POST, RESERVE, SHARE = "chat.postMessage", "files.getUploadURLExternal", "files.completeUploadExternal"

STARTING = Moment("while it starts", lambda _: False)

MOMENTS: tuple[Moment, ...] = (
    STARTING,
    Moment("before the ack", lambda change: change["kind"] == "sent", 0.01, times=2),
    Moment("around the ack", lambda change: change["kind"] == "sent", 0.06, times=2),
    Moment("after the ack", lambda change: change["kind"] == "delivery" and bool(change["ok"]), 0.04, times=2),
    Moment("in the model call", _model("asked"), 0.4, times=2),
    Moment("early in the batch", _model("replied"), 0.06, times=2),
    Moment("in the batch", _model("replied"), 0.3, times=2),
    Moment("late in the batch", _model("replied"), 1.0, times=2),
    Moment("a result was journalled", lambda change: change["kind"] == "journalled", 0.003, times=5),
    Moment("a result was journalled some time ago", lambda change: change["kind"] == "journalled", 0.1, times=5),
    Moment("in the last model call", _model("asked", last=True), 0.4),
    Moment("between the answer and its posting", _model("replied", last=True), 0.15),
    Moment("a message is on its way", _held(POST), arm=lambda faults: faults.hold(POST, times=1)),
    Moment("a message was lost", _called(POST), 0.02, lambda faults: faults.lose_request(POST)),
    Moment("a message is there, its reply lost", _called(POST), 0.02, lambda faults: faults.lose_reply(POST)),
    Moment("a message was posted", _called(POST), 0.03, times=2),
    Moment("between upload and share", _called(RESERVE), 0.06, times=2),
    Moment("a share is on its way", _held(SHARE), arm=lambda faults: faults.hold(SHARE, times=1)),
    Moment("a share was lost", _called(SHARE), 0.02, lambda faults: faults.lose_request(SHARE)),
    Moment("a share is there, its reply lost", _called(SHARE), 0.02, lambda faults: faults.lose_reply(SHARE)),
    Moment("a file was shared", _called(SHARE), 0.03, times=2),
    Moment("any time", lambda change: change["kind"] == "sent", 5.0),
)


async def tell_of_results(state: Path, tell: Callable[..., None]) -> None:
    """Tells `journalled` soon after a call's result was kept. Nothing announces that, so the file is looked at."""
    kept: int | None = None
    while True:
        with suppress(sqlite3.OperationalError), closing(sqlite3.connect(f"file:{state}?mode=ro", uri=True)) as reader:
            (found,) = reader.execute("select count(*) from calls").fetchone()
            if kept is not None and found > kept:
                tell("journalled")
            kept = found
        await asyncio.sleep(0.004)


async def reached(moment: Moment, feed: Feed, skip: int) -> None:
    """Returns when the moment has come for the time after `skip` earlier ones."""
    while (change := await feed.get()) is not None:
        if moment.hit(change):
            if skip == 0:
                return
            skip -= 1
