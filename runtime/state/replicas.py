"""The replicas table: which processes work on a shared state, each by a lease that it renews.

    living ─renew→ living
       └─ its time is up, it leaves, or a newer process of its name joins → gone ─after a while→ (no row)

Whoever is gone stays gone: its lease can't be renewed any more, so what it had may be taken over. A process that was
only asleep finds that out at its next renewal and has to end.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa

from runtime.clock import Clock
from runtime.state.connector import Connector
from runtime.state.database_clock import database_now
from runtime.state.tables import replicas

# facts/DURABLE.md 5: how long a lease lasts. Much longer than any pause of a healthy process.
LEASE_S = 15.0
# How long a gone replica is remembered after its lease: one that sleeps may take work from the queue in its first
# moment awake. Whoever looks only later sees it once more.
REMEMBERED_S = 3_600.0

_JOIN = sa.insert(replicas)
_REPLACE = sa.update(replicas).where(replicas.c.name == sa.bindparam("of_name")).values(gone=True)
_RENEW = (
    sa.update(replicas)
    .where(replicas.c.id == sa.bindparam("of_id"), ~replicas.c.gone)
    .values(expires_at=sa.bindparam("until"))
)
_LEAVE = sa.update(replicas).where(replicas.c.id == sa.bindparam("of_id")).values(gone=True)
# The verdict on those whose time is up: a renewal at the same moment comes before it or after it, never both.
_DECLARE = sa.update(replicas).where(replicas.c.expires_at <= sa.bindparam("now"), ~replicas.c.gone).values(gone=True)
_FORGET = sa.delete(replicas).where(replicas.c.expires_at <= sa.bindparam("before"), replicas.c.gone)
_ALL = sa.select(replicas).order_by(replicas.c.id)


@dataclass(frozen=True, slots=True)
class Replica:
    """One process: its id, new with every start, and the name of its place, the same after a restart."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Roll:
    """Who is there and who is not any more."""

    living: tuple[Replica, ...]
    gone: tuple[Replica, ...]


class Replicas:
    """The replicas table. Times are the database's. `connector` is best one of its own: a lease must not wait behind
    other work."""

    def __init__(self, connector: Connector, clock: Clock) -> None:
        self._connector = connector
        self._clock = clock

    async def join(self, replica: Replica) -> None:
        """Begins a lease. Earlier processes of the same name are gone from now on."""

        def work(connection: sa.Connection) -> None:
            connection.execute(_REPLACE, {"of_name": replica.name})
            until = self._until(connection)
            connection.execute(_JOIN, {"id": replica.id, "name": replica.name, "expires_at": until, "gone": False})

        await self._connector.run(work)

    def renew(self, replica_id: str) -> bool:
        """False when this process counts as gone. Blocks: for the lease's own thread. Raises StateError."""

        def work(connection: sa.Connection) -> bool:
            return connection.execute(_RENEW, {"of_id": replica_id, "until": self._until(connection)}).rowcount == 1

        return self._connector.run_now(work)

    async def leave(self, replica_id: str) -> None:
        """Ends a lease in good order: others may take over at once."""
        await self._connector.run(lambda c: c.execute(_LEAVE, {"of_id": replica_id}).close())

    async def roll(self) -> Roll:
        """Declares gone whoever's time is up, and says who is there."""

        def work(connection: sa.Connection) -> Roll:
            now = database_now(connection, self._clock)
            connection.execute(_DECLARE, {"now": now})
            rows = connection.execute(_ALL).mappings().all()
            connection.execute(_FORGET, {"before": now - timedelta(seconds=REMEMBERED_S)})
            living = tuple(Replica(row["id"], row["name"]) for row in rows if not row["gone"])
            return Roll(living, tuple(Replica(row["id"], row["name"]) for row in rows if row["gone"]))

        return await self._connector.run(work)

    def _until(self, connection: sa.Connection) -> object:
        return database_now(connection, self._clock) + timedelta(seconds=LEASE_S)
