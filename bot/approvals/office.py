"""Puts the approvals of one process together: desk, board and presses, with their upkeep."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import structlog

from bot.approvals.board import Board
from bot.approvals.pressers import Pressers
from bot.approvals.presses import Presses
from bot.settings import Settings
from bot.upkeep import repeated
from runtime.admission import PolicyInForce
from runtime.approvals import Desk
from runtime.clock import Clock, NewId
from runtime.errors import StateError

log = structlog.get_logger(__name__)

SWEEP_S = 30.0


@dataclass(frozen=True, slots=True)
class Office:
    """Everything about approvals in one process."""

    desk: Desk
    board: Board
    presses: Presses
    alone: bool
    sleep: Callable[[float], Awaitable[None]]

    async def recover(
        self, gone: Callable[[str], bool] = lambda _: True, restarted: Callable[[str], bool] = lambda _: True
    ) -> None:
        """What waited for processes that are gone is void, and what they left unsaid is said: see `Desk.recover`."""
        voided = await self.desk.recover(gone, restarted=restarted)
        if voided:
            log.warning("requests for approval wait for nobody any more and were voided", count=voided)
        await self.board.recover()

    async def keep_up(self) -> None:
        """Ends what dead replicas left behind, as long as this process lives. One process alone has none."""
        if not self.alone:
            await repeated(self.desk.sweep, SWEEP_S, self.sleep, _not_swept)


def _not_swept(error: StateError) -> None:
    log.warning("requests for approval could not be swept", reason=str(error))


def new_token() -> str:
    """What a card's buttons carry: opaque, and worth nothing anywhere else."""
    return secrets.token_urlsafe(24)


def open_office(
    settings: Settings,
    board: Board,
    team: str,
    in_force: PolicyInForce,
    *,
    owner: str,
    clock: Clock,
    new_id: NewId,
    parked: Callable[[str], AbstractContextManager[None]],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Office:
    """The approvals of the process `owner`. `team` is our own workspace; `parked` gives a run's worker slot back."""
    desk = Desk(
        board.state.approvals,
        board,
        owner=owner,
        clock=clock,
        new_id=new_id,
        new_token=new_token,
        alone=settings.alone,
        open_s=float(in_force.policy.manifest.effective_limits().run_open_seconds),
        parked=parked,
        sleep=sleep,
    )
    presses = Presses(board.state, desk, board, Pressers(board.presence, lambda: in_force.policy, team))
    return Office(desk, board, presses, settings.alone, sleep)
