"""Takes a changed manifest into force while the bot serves: here when asked, and in every replica of the same state."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field

import structlog

from bot.assembly import Analyst
from bot.background import Background
from bot.sources import OpenSources
from bot.upkeep import repeated
from bot.uses import Uses
from runtime.admission import Policy, load_manifest
from runtime.errors import ConfigurationError, StateError

log = structlog.get_logger(__name__)

LOOK_S = 2.0


@dataclass(slots=True)
class Reloading:
    """The manifest of one process. `alone`: no other process shares the state, so that a start puts its own manifest in
    force; of several, only `footnote reload` or SIGHUP does. `tell` reaches the operators; `taken` follows each change
    of the policy."""

    analyst: Analyst
    background: Background
    alone: bool
    tell: Callable[[str], Awaitable[None]]
    taken: Callable[[], Coroutine[None, None, None]]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    _one: asyncio.Lock = field(default_factory=asyncio.Lock)
    _closing: asyncio.Task[None] | None = None
    _said: str = ""

    async def begin(self) -> None:
        """At the start: learns which manifest is in force, or puts this process's own there. Raises StateError."""
        policies, digest, name = self.analyst.state.policies, self.analyst.policy.revision, self._name
        active = await (policies.activate(digest, name) if self.alone else policies.first(digest, name))
        self.analyst.in_force.hear(active.digest)
        self._say_standing()

    async def asked(self) -> None:
        """SIGHUP: the manifest as it stands on this disk becomes the one in force for all. One that is refused changes
        nothing: the old one stays, and the operators are told."""
        async with self._one:
            try:
                policy = await asyncio.to_thread(self._load)
                opened = await self.analyst.reopened(policy)
            except ConfigurationError as error:
                await self._refused(str(error))
                return
            try:
                active = await self.analyst.state.policies.activate(policy.revision, self._name)
            except StateError as error:
                await opened.close(but=self.analyst.opened)
                await self._refused(str(error))
                return
            self.analyst.in_force.hear(active.digest)
            self._take(policy, opened)

    async def keep_up(self) -> None:
        """Follows what other replicas and `footnote reload` put in force, as long as this process lives."""
        if not self.alone:
            await repeated(self.follow, LOOK_S, self.sleep, _could_not_look)

    async def follow(self) -> None:
        """Looks once: takes this process's own file when it is the manifest that the state names. Raises StateError."""
        async with self._one:
            active = await self.analyst.state.policies.newest()
            if active is None:
                return
            self.analyst.in_force.hear(active.digest)
            if self.analyst.in_force.agreed:
                return
            try:
                policy = await asyncio.to_thread(self._load)
                if policy.revision == active.digest:
                    self._take(policy, await self.analyst.reopened(policy))
            except ConfigurationError as error:
                await self._refused(str(error))
            self._say_standing()

    @property
    def _name(self) -> str:
        return self.analyst.settings.replica

    def _load(self) -> Policy:
        return Policy.of(load_manifest(self.analyst.settings.manifest))

    def _take(self, policy: Policy, opened: OpenSources) -> None:
        """From here to its end nothing waits: a call sees the old policy or the new one."""
        before = self.analyst.opened
        uses = self.analyst.take(policy, opened)
        self._closing = self.background.start(
            self._close(before, opened, uses, self._closing), name="close what is open no more"
        )
        self.background.start(self.taken(), name="look at what was asked under the earlier policy")
        self._said = ""
        log.info("manifest in force", revision=policy.revision, sources=sorted(policy.audiences()))

    async def _close(
        self, before: OpenSources, after: OpenSources, uses: Uses, earlier: asyncio.Task[None] | None
    ) -> None:
        """An engine that served several manifests in turn is closed after the runs of all of them."""
        try:
            if earlier is not None:
                await asyncio.wait([earlier])
            await uses.ended()
        finally:
            await before.close(but=after)

    async def _refused(self, reason: str) -> None:
        if reason == self._said:
            return  # said already; the file has not changed since
        self._said = reason
        log.error("the manifest is refused; the one in force stays", reason=reason)
        await self.tell(f"The manifest on {self._name} is refused; the one in force stays.\n{reason}")

    def _say_standing(self) -> None:
        in_force = self.analyst.in_force
        if not in_force.agreed and self._said != in_force.named:
            self._said = in_force.named
            log.error(
                "not ready: this process's manifest is not the one in force. Bring it here, or run `footnote reload` "
                "where the right one is",
                manifest=str(self.analyst.settings.manifest), mine=in_force.policy.revision, in_force=in_force.named,
            )  # fmt: skip


def _could_not_look(error: StateError) -> None:
    log.warning("the policy in force could not be looked up", reason=str(error))
