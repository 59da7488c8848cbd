"""The policies table: which manifest is in force for all replicas, by its digest, one row for each change."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

import sqlalchemy as sa

from runtime.clock import Clock
from runtime.state.connector import Connector
from runtime.state.statements import InsertUnlessThere
from runtime.state.tables import policies

# The policy in force is the newest one.
_NEWEST = sa.select(policies).order_by(policies.c.number.desc()).limit(1)

# Keeps the next policy unless another replica took that number first.
_NEXT = InsertUnlessThere(policies, policies.c.digest)


@dataclass(frozen=True, slots=True)
class ActivePolicy:
    """One policy revision: its `number` (1, 2, …), the manifest's digest, since when, and who put it in force."""

    number: int
    digest: str
    since: datetime
    set_by: str


class Policies:
    """The policy in force. Each method is one transaction."""

    def __init__(self, connector: Connector, clock: Clock) -> None:
        self._connector = connector
        self._clock = clock

    async def newest(self) -> ActivePolicy | None:
        """The policy in force; None before the first start."""
        return await self._connector.run(_newest)

    async def first(self, digest: str, by: str) -> ActivePolicy:
        """The policy in force; `digest` when there was none."""
        return await self._connector.run(lambda connection: self._kept(connection, digest, by, replace=False))

    async def activate(self, digest: str, by: str) -> ActivePolicy:
        """Puts `digest` in force, if it isn't already; of several at once the last one counts."""
        return await self._connector.run(lambda connection: self._kept(connection, digest, by, replace=True))

    def _kept(self, connection: sa.Connection, digest: str, by: str, *, replace: bool) -> ActivePolicy:
        while True:
            active = _newest(connection)
            if active is not None and (active.digest == digest or not replace):
                return active
            new = ActivePolicy(active.number + 1 if active else 1, digest, self._clock.now(), by)
            if _NEXT.wrote(connection, asdict(new)):
                return new


def _newest(connection: sa.Connection) -> ActivePolicy | None:
    row = connection.execute(_NEWEST).mappings().first()
    return None if row is None else ActivePolicy(row["number"], row["digest"], row["since"], row["set_by"])
