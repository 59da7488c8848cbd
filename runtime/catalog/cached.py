"""A structure that is kept while the source's cheap fingerprint stays the same."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable

from runtime.catalog.structure import Structure
from runtime.clock import Clock
from runtime.errors import CallError


class CachedStructure:
    """One source's structure. However many ask at once, the source is asked once; whoever gives up waiting stops
    nobody else; a failure is told to all who waited for it and is not kept."""

    def __init__(
        self,
        fingerprint: Callable[[], Awaitable[str]],
        introspect: Callable[[], Awaitable[Structure]],
        clock: Clock,
        *,
        trusted_seconds: float = 0,
    ) -> None:
        """`trusted_seconds`: how long a check is good for, where even the fingerprint costs much."""
        self._fingerprint = fingerprint
        self._introspect = introspect
        self._clock = clock
        self._trusted_seconds = trusted_seconds
        self._lock = asyncio.Lock()
        self._begun = 0
        self._ended = 0
        self._failure: CallError | None = None
        self._kept: tuple[str, Structure] | None = None
        self._checked_at = -math.inf

    async def current(self) -> Structure:
        """The structure as it is now. Raises CallError of the two questions to the source."""
        if self._kept is not None and self._clock.monotonic() - self._checked_at < self._trusted_seconds:
            return self._kept[1]
        return await self._after(self._begun if self._lock.locked() else self._begun + 1)

    async def refreshed(self) -> Structure:
        """As `current`, by a check that begins after this call: what a read that failed on a name needs."""
        return await self._after(self._begun + 1)

    async def _after(self, check: int) -> Structure:
        """The structure once the check of this number, or a later one, has ended."""
        async with self._lock:
            if self._ended < check:
                await self._check()
            if self._failure is not None:
                raise self._failure
            assert self._kept is not None
            return self._kept[1]

    async def _check(self) -> None:
        self._begun += 1
        began = self._clock.monotonic()
        try:
            # The fingerprint comes first: what changes while the catalogue is read shows at the next check.
            fingerprint = await self._fingerprint()
            if self._kept is None or self._kept[0] != fingerprint:
                self._kept = (fingerprint, await self._introspect())
            self._failure, self._checked_at = None, began
        except CallError as error:
            self._failure, self._checked_at = error, -math.inf
        self._ended = self._begun
