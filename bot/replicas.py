"""Several processes on one state: this one's lease, and what is taken over from those that are gone."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial

import structlog

from bot.approvals.office import Office
from bot.settings import Settings
from bot.upkeep import repeated
from runtime.clock import NewId
from runtime.durable import Durable, Lease
from runtime.errors import StateError
from runtime.state import Replica, State

log = structlog.get_logger(__name__)

LOOK_S = 3.0
# Beside those newly gone: work that one of the gone took in its last moment is put back every tenth look.
_AGAIN = 10


def end_at_once() -> None:
    """Others count this process as gone and have its work: not one more word, not even those of an orderly end."""
    log.critical(
        "ending at once: this process's lease is over. It stood still for longer than a lease lasts, or a newer "
        "process has its name; each replica needs a FOOTNOTE_REPLICA of its own"
    )
    os._exit(1)


async def joined(
    stack: AsyncExitStack, settings: Settings, state: State, new_id: NewId, lost: Callable[[], None]
) -> Replica:
    """This process among those of its state. One that is alone needs no lease: the state's lock is its own. The lease
    ends last of all, when nothing of this process works any more. Raises StateError."""
    name = settings.replica
    if settings.alone:
        return Replica(name, name)
    replica = Replica(f"{name}@{new_id()}", name)
    lease = Lease(state.replicas, replica, lost=lost)
    await lease.begin()
    stack.push_async_callback(lease.end)
    return replica


@dataclass(slots=True)
class Succession:
    """Takes over what processes left that are gone: requests that wait for nobody, changes without an end, postings,
    and turns. Every part may be repeated, and done by several at once. `settle` looks into changes without an end."""

    me: Replica
    state: State
    office: Office
    settle: Callable[[], Awaitable[None]]
    _seen: set[str] = field(default_factory=set[str])
    _looks: int = 0

    async def before_launch(self) -> None:
        """At the start, before anything arrives. Raises StateError."""
        if self.office.alone:
            await self.office.recover()
        else:
            roll = await self.state.replicas.roll()
            living = _ids(roll.living)
            await self._requests(lambda owner: owner not in living)
            self._seen = _ids(roll.gone)
        await self.settle()

    async def after_launch(self, durable: Durable) -> None:
        """At the start, once turns can run. Raises StateError."""
        if self.office.alone:
            await durable.recover(self.state.inbox)
            return
        await durable.recover(self.state.inbox, _ids((await self.state.replicas.roll()).living))

    async def keep_up(self, durable: Durable) -> None:
        """Looks after the others as long as this process lives."""
        if not self.office.alone:
            await repeated(partial(self.look, durable), LOOK_S, self.office.sleep, _could_not_look)

    async def look(self, durable: Durable) -> None:
        """Looks once. Raises StateError; then the next look does all of it again."""
        self._looks += 1
        roll = await self.state.replicas.roll()
        new = tuple(each for each in roll.gone if each.id not in self._seen)
        if new:
            log.warning("taking over from replicas that are gone", gone=[each.id for each in new])
            await self._requests(_ids(new).__contains__)
            await self.settle()
            await durable.recover(self.state.inbox, _ids(roll.living))
            self._seen |= _ids(new)
        elif self._looks % _AGAIN == 0:
            await durable.take_over(_ids(roll.gone))

    async def _requests(self, gone: Callable[[str], bool]) -> None:
        """Before the runs that asked are resumed: they find their requests ended."""
        await self.office.recover(gone, lambda owner: owner.rpartition("@")[0] == self.me.name)


def _could_not_look(error: StateError) -> None:
    log.warning("could not look who is gone", reason=str(error))


def _ids(replicas: tuple[Replica, ...]) -> set[str]:
    return {each.id for each in replicas}
