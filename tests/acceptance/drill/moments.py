"""Moments at which to kill: something that can be seen from outside has just happened, and a little time passes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

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
    prepares a fault of Slack's side first."""

    name: str
    hit: Callable[[Json], bool]
    spread_s: float = 0.0
    arm: Arm = _unarmed

    @property
    def repeats(self) -> bool:
        """Whether it can be waited for again: a fault is armed for once."""
        return self.arm is _unarmed


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
    Moment("before the ack", lambda change: change["kind"] == "sent", 0.01),
    Moment("around the ack", lambda change: change["kind"] == "sent", 0.06),
    Moment("after the ack", lambda change: change["kind"] == "delivery" and bool(change["ok"]), 0.04),
    Moment("in the model call", _model("asked"), 0.4),
    Moment("early in the batch", _model("replied"), 0.06),
    Moment("in the batch", _model("replied"), 0.3),
    Moment("late in the batch", _model("replied"), 1.0),
    Moment("in the last model call", _model("asked", last=True), 0.4),
    Moment("between the answer and its posting", _model("replied", last=True), 0.15),
    Moment("a message is on its way", _held(POST), arm=lambda faults: faults.hold(POST, times=1)),
    Moment("a message was lost", _called(POST), 0.02, lambda faults: faults.lose_request(POST)),
    Moment("a message is there, its reply lost", _called(POST), 0.02, lambda faults: faults.lose_reply(POST)),
    Moment("a message was posted", _called(POST), 0.03),
    Moment("between upload and share", _called(RESERVE), 0.06),
    Moment("a share is on its way", _held(SHARE), arm=lambda faults: faults.hold(SHARE, times=1)),
    Moment("a share was lost", _called(SHARE), 0.02, lambda faults: faults.lose_request(SHARE)),
    Moment("a share is there, its reply lost", _called(SHARE), 0.02, lambda faults: faults.lose_reply(SHARE)),
    Moment("a file was shared", _called(SHARE), 0.03),
    Moment("any time", lambda change: change["kind"] == "sent", 5.0),
)


async def reached(moment: Moment, feed: Feed, skip: int) -> None:
    """Returns when the moment has come for the time after `skip` earlier ones."""
    while (change := await feed.get()) is not None:
        if moment.hit(change):
            if skip == 0:
                return
            skip -= 1
