"""A bot in a process of its own, as it is served, that kills itself where the moment comes.

The moments around the COMMIT are met on the wire to the target, all others where the product passes them.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

from bot import service
from bot.approvals.board import SOURCE, Board
from bot.delivery import SlackSender
from bot.logs import set_up_logs
from bot.pacing import Unpaced
from bot.settings import load_settings
from runtime.approvals import Desk, moves
from runtime.state import Approval, Approvals, Delivery, Effects
from tests.integration.updates.dying import Death, Relay

ARM, STOPPING = "arm", "stopping in good order"


def live(environment: Mapping[str, str], moment: str, armed: bool, line: Connection, log: str) -> None:
    """One life. Says `ready` over the line; takes `arm` and answers it; ends by SIGTERM, or where its moment comes."""
    os.environ.clear()
    os.environ.update(environment)
    with open(log, "ab") as kept:
        os.dup2(kept.fileno(), sys.stderr.fileno())
    death = Death(moment, armed=armed)
    os.environ["CRM_WRITE_URL"] = Relay(os.environ["CRM_WRITE_URL"], death).address
    dies_in_state(death)
    _dies_at_the_desk(death)
    _dies_while_posting(death)
    asyncio.run(_serve(death, line))


async def _serve(death: Death, line: Connection) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)

    def asked() -> None:
        assert line.recv() == ARM
        death.armed = True
        line.send(ARM)

    loop.add_reader(line.fileno(), asked)
    settings = load_settings()
    set_up_logs(settings.log, level=logging.INFO)
    gc.freeze()
    async with service.running_bot(settings, pacer=Unpaced()):
        line.send("ready")
        await stop.wait()
        print(STOPPING, file=sys.stderr, flush=True)


def _around(owner: type, name: str, death: Death, before: str, after: str) -> None:
    """Makes both sides of a method moments."""
    original = getattr(owner, name)

    async def passed(self: Any, *arguments: Any) -> Any:
        death.at(before)
        found = await original(self, *arguments)
        death.at(after)
        return found

    setattr(owner, name, passed)


def dies_in_state(death: Death) -> None:
    """Makes both sides of what the state keeps of a change moments."""
    _around(Approvals, "ask", death, "before the request is kept", "after the request is kept")
    _around(Effects, "begin", death, "before the change begins", "after the change began")
    _around(Effects, "execute", death, "before the journal", "after the journal")
    _around(Effects, "finish", death, "before it is done", "after it is done")
    original = Approvals.change

    async def change(self: Approvals, approval_id: str, move: Any, *posts: Any) -> tuple[Approval, bool]:
        if move is moves.take_up:
            death.at("before it is taken up")
        found, won = await original(self, approval_id, move, *posts)
        if won:
            known = {"claimed": "after the claim", "running": "after it was taken up"}
            death.at(known.get(found.state, "after the outcome is kept"))
        return found, won

    Approvals.change = change


def _dies_at_the_desk(death: Death) -> None:
    _around(Desk, "vote", death, "before the claim", "")
    _around(Desk, "settle", death, "before the outcome is kept", "")
    original = Board.changed

    def changed(self: Board, before: Approval, after: Approval, token: str | None = None) -> Any:
        """Inside the state's transaction."""
        if after.state == "claimed":
            death.at("inside the claim")
        if before.state == "running":
            death.at("inside the outcome")
        return original(self, before, after, token)

    Board.changed = changed


# What is posted: by its lane and kind, the words before it and after it.
_POSTINGS = {
    ("card", "message"): ("before the card is posted", "after the card is posted"),
    ("buttons", "update"): ("before the buttons go", "after the buttons went"),
    ("card", "update"): ("before the card is edited", "after the card is edited"),
    ("thread", "message"): ("before the thread is told", "after the thread is told"),
    ("answer", "message"): ("before the answer", "after the answer"),
}


def _dies_while_posting(death: Death) -> None:
    original = SlackSender.send

    async def send(self: SlackSender, delivery: Delivery) -> Any:
        before, after = _POSTINGS.get((_lane(delivery), delivery.kind), ("", ""))
        death.at(before)
        found = await original(self, delivery)
        death.at(after)
        return found

    SlackSender.send = send


def _lane(delivery: Delivery) -> str:
    if not delivery.source.startswith(SOURCE):
        return "answer"
    lane = delivery.dest.rpartition(":")[2]
    return "buttons" if delivery.kind == "update" and "Approved, running" in str(delivery.payload) else lane
