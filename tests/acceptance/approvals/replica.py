"""`python -m tests.acceptance.approvals.replica`: a bot of its own process, with the stand-in beside its own tools.

The environment is a bot's, and says where the target is (TARGET), who may approve (APPROVERS), at which label the
process dies (DIES_AT) and how far its own clock is off (SKEW, seconds).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot import service
from bot.pacing import Unpaced
from bot.settings import load_settings
from runtime.capability import ApproverRule
from runtime.clock import SystemClock
from runtime.registry import Registry
from tests.acceptance.approvals.stand_in import StandIn


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


async def main() -> None:
    """Serves until SIGTERM; says `ready` and its port first."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    rule = ApproverRule(groups=(os.environ["APPROVERS"],))
    target = StandIn(Path(os.environ["TARGET"]), rule, dies_at=os.environ.get("DIES_AT", ""))
    clock = SkewedClock(float(os.environ.get("SKEW", "0")))
    service.open_analyst = with_tool(service.open_analyst, target)
    async with service.running_bot(load_settings(), clock=clock, pacer=Unpaced()) as running:
        print(f"ready {running.port}", flush=True)
        await stop.wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
