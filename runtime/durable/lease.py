"""Keeps a replica's lease alive, from a thread of its own: a busy event loop must not make others think it dead."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable

from runtime.errors import StateError
from runtime.state import Replica, Replicas

# facts/DURABLE.md 5: five beats fit into a lease.
BEAT_S = 3.0

log = logging.getLogger(__name__)


class Lease:
    """The lease of one process on a shared state. `lost()` is called once, from the thread, when this process counts as
    gone: others have what it had, so it must end without another word. As long as the database can't be asked nothing
    is lost, and nothing can be done either: every effect and every posting is claimed in the same database."""

    def __init__(
        self, replicas: Replicas, replica: Replica, *, lost: Callable[[], None], beat_s: float = BEAT_S
    ) -> None:
        self._replicas = replicas
        self._replica = replica
        self._lost = lost
        self._beat_s = beat_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="lease", daemon=True)

    async def begin(self) -> None:
        """Joins, and renews from now on. Raises StateError."""
        await self._replicas.join(self._replica)
        self._thread.start()

    async def end(self) -> None:
        """Leaves: what is left open may be taken over at once."""
        self._over.set()
        await asyncio.to_thread(self._thread.join, self._beat_s)
        try:
            await self._replicas.leave(self._replica.id)
        except StateError as error:
            log.warning("the lease could not be given back; it runs out: %s", error)

    def _beat(self) -> None:
        try:
            kept = self._kept()
        except Exception:  # a lease that nobody renews any more must not look kept
            log.exception("the lease is renewed no more")
            kept = False
        if not kept:
            self._lost()

    def _kept(self) -> bool:
        """Renews until the end; False when somebody else ended the lease."""
        while not self._over.wait(self._beat_s):
            try:
                if not self._replicas.renew(self._replica.id) and not self._over.is_set():
                    return False
            except StateError as error:
                log.warning("the lease could not be renewed: %s", error)
        return True
