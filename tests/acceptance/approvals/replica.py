"""`python -m tests.acceptance.approvals.replica`: a bot of its own process, with the stand-in beside its own tools.

The environment is a bot's, and says where the stand-in's target is (TARGET; without one only the product's own tools
serve), who may approve (APPROVERS), where the process dies (DIES_AT: a label of the stand-in, or a moment of the
product's own change, in the state or on the wire to the target), whether it falls asleep before a change is claimed
(SLEEPS), how often a turn is resumed (RESUMPTIONS) and how far its own clock is off (SKEW, seconds). Leases last an
hour: a test says when one is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from bot import service
from bot.pacing import Unpaced
from bot.settings import load_settings
from runtime.capability import ApproverRule
from runtime.clock import SystemClock
from runtime.registry import Registry
from runtime.state import Effects, replicas
from tests.acceptance.approvals.stand_in import StandIn
from tests.acceptance.change_drill.dying import dies_in_state
from tests.integration.updates.dying import Death, Relay

LEASE_S = 3_600.0
ASLEEP = "asleep"


class SkewedClock(SystemClock):
    """A machine whose clock is wrong."""

    def __init__(self, seconds: float) -> None:
        self._off = timedelta(seconds=seconds)

    def now(self) -> datetime:
        return super().now() + self._off


def with_tool(open_analyst: Any, target: StandIn) -> Any:
    """The same analyst with the stand-in among its tools from its first moment on: a resumed run needs it."""

    async def opened(*arguments: Any, **options: Any) -> Any:
        analyst = await open_analyst(*arguments, **options)
        tools = Registry.of((*analyst.wiring.registry, target.capability()))
        analyst.wiring = replace(analyst.wiring, registry=tools)
        return analyst

    return opened


def falls_asleep() -> None:
    """Stops the process for good, until somebody wakes it, the moment that a change is about to be claimed."""
    begin = Effects.begin

    async def stopping(self: Effects, effect: Any) -> Any:
        print(ASLEEP, flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
        return await begin(self, effect)

    Effects.begin = stopping  # type: ignore[method-assign]


async def main() -> None:
    """Serves until SIGTERM; says `ready` and its port first."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    replicas.LEASE_S = LEASE_S
    label = os.environ.get("DIES_AT", "")
    if target := os.environ.get("TARGET"):
        rule = ApproverRule(groups=(os.environ["APPROVERS"],))
        stand_in = StandIn(Path(target), rule, dies_at=label)
        service.open_analyst = with_tool(service.open_analyst, stand_in)
    elif label:
        death = Death(label)
        os.environ["CRM_WRITE_URL"] = Relay(os.environ["CRM_WRITE_URL"], death).address
        dies_in_state(death)
    if "SLEEPS" in os.environ:
        falls_asleep()
    if resumptions := os.environ.get("RESUMPTIONS"):
        service.Durable = partial(service.Durable, max_resumptions=int(resumptions))  # type: ignore[misc, assignment]
    clock = SkewedClock(float(os.environ.get("SKEW", "0")))
    async with service.running_bot(load_settings(), clock=clock, pacer=Unpaced()) as running:
        print(f"ready {running.port}", flush=True)
        await stop.wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
