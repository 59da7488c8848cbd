"""The outbox table: postings that must reach their place once. What to do with them is `runtime.deliveries`'s duty."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, cast

import sqlalchemy as sa

from runtime.clock import Clock, NewId
from runtime.evidence import Json
from runtime.state.connector import Connector
from runtime.state.statements import InsertUnlessThere
from runtime.state.tables import deliveries

DeliveryKind = Literal["message", "file", "update"]
DeliveryState = Literal["todo", "sending", "sent", "failed", "unknown"]

_TOKENS = uuid.UUID("6f0c3a52-6d3c-4d0a-9a53-0e6f5f6e7a11")


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """A posting to be made. (source, dest, part_no) names it: the same name twice is one posting."""

    source: str
    dest: str
    part_no: int
    kind: DeliveryKind
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A posting as it stands. `client_token` is the same UUID for every attempt, so that the receiver can drop a
    repeat; `progress` is what the sender noted between its own stages; `reason` says why it is failed or unknown."""

    id: str
    source: str
    dest: str
    part_no: int
    kind: DeliveryKind
    payload: Mapping[str, Any]
    client_token: str
    state: DeliveryState
    attempt: int = 0
    reason: str = ""
    remote_id: str | None = None
    progress: Json = None
    claimed_at: datetime | None = None
    lease_until: datetime | None = None


# Puts a posting in the outbox unless its (source, dest, part) is there.
_ENQUEUE = InsertUnlessThere(deliveries, deliveries.c.id)

_BY_ID = sa.select(deliveries).where(deliveries.c.id == sa.bindparam("id"))

# A turn's postings, each destination in part order.
_OF_SOURCE = (
    sa.select(deliveries)
    .where(deliveries.c.source == sa.bindparam("source"))
    .order_by(deliveries.c.dest, deliveries.c.part_no)
)

# Sources that still have something to send or to find out.
_OPEN_SOURCES = (
    sa.select(deliveries.c.source)
    .where(deliveries.c.state.in_(["todo", "sending"]))
    .group_by(deliveries.c.source)
    .order_by(sa.func.min(deliveries.c.created_at), deliveries.c.source)
)

_COUNTS = sa.select(deliveries.c.state, sa.func.count()).group_by(deliveries.c.state)

# Moves a posting only from the state and attempt that the mover saw: of two movers one wins.
_MOVE = sa.update(deliveries).where(
    deliveries.c.id == sa.bindparam("of_id"),
    deliveries.c.state == sa.bindparam("from_state"),
    deliveries.c.attempt == sa.bindparam("from_attempt"),
)

_NOTE = sa.update(deliveries).where(deliveries.c.id == sa.bindparam("of_id")).values(progress=sa.bindparam("noted"))

# A restart of the only process ends every lease: whoever was sending is dead.
_DROP_LEASES = sa.update(deliveries).where(deliveries.c.state == "sending").values(lease_until=None)


class Deliveries:
    """The deliveries table."""

    def __init__(self, connector: Connector, clock: Clock, new_id: NewId) -> None:
        self._connector = connector
        self._clock = clock
        self._new_id = new_id

    async def enqueue(self, new: Sequence[NewDelivery]) -> None:
        """Puts postings in the outbox in one commit; those already there stay as they are."""
        await self._connector.run(lambda c: self.write(c, new))

    def write(self, connection: sa.Connection, new: Sequence[NewDelivery]) -> None:
        """The same inside a transaction of the caller's (the end of a turn)."""
        for item in new:
            id = self._new_id()
            row: dict[str, object] = {
                "id": id,
                "source": item.source,
                "dest": item.dest,
                "part_no": item.part_no,
                "kind": item.kind,
                "payload": dict(item.payload),
                "client_token": str(uuid.uuid5(_TOKENS, f"{id}/{item.part_no}")),
                "state": "todo",
                "reason": "",
                "attempt": 0,
                "created_at": self._clock.now(),
            }
            _ENQUEUE.wrote(connection, row)

    async def of_source(self, source: str) -> list[Delivery]:
        """A turn's postings, each destination in part order."""
        return await self._connector.run(
            lambda c: [_delivery(row) for row in c.execute(_OF_SOURCE, {"source": source}).mappings()]
        )

    async def open_sources(self) -> list[str]:
        """Sources with postings that are not sent and not given up, oldest first."""
        return await self._connector.run(lambda c: list(c.execute(_OPEN_SOURCES).scalars()))

    async def counts(self) -> dict[str, int]:
        """How many postings are in each state; states without any are left out."""
        return await self._connector.run(lambda c: {row[0]: row[1] for row in c.execute(_COUNTS)})

    async def claim(self, seen: Delivery, lease: timedelta) -> Delivery | None:
        """Takes a posting for one attempt (`todo` or abandoned `sending` → `sending`). None when another mover won."""
        now = self._clock.now()
        return await self._move(
            seen, state="sending", attempt=seen.attempt + 1, claimed_at=now, lease_until=now + lease
        )

    async def release(self, held: Delivery) -> Delivery | None:
        """Puts a posting back that surely was not made."""
        return await self._move(held, state="todo", lease_until=None)

    async def abandon(self, held: Delivery) -> Delivery | None:
        """Lets go of a posting of which nobody knows yet whether it was made: it stays `sending`, free to be looked
        into by the next drain."""
        return await self._move(held, state="sending", lease_until=None)

    async def mark_sent(self, held: Delivery, remote_id: str) -> Delivery | None:
        """The posting was made; `remote_id` is its name at the receiver."""
        return await self._move(held, state="sent", remote_id=remote_id, lease_until=None, reason="")

    async def mark_failed(self, held: Delivery, reason: str) -> Delivery | None:
        """The posting was refused for good."""
        return await self._move(held, state="failed", reason=reason, lease_until=None)

    async def mark_unknown(self, held: Delivery, reason: str) -> Delivery | None:
        """Nobody can tell whether the posting was made: a person has to look."""
        return await self._move(held, state="unknown", reason=reason, lease_until=None)

    async def note(self, held: Delivery, progress: Json) -> None:
        """Keeps what a sender of several stages needs to go on after a crash (an uploaded file's id)."""
        await self._connector.run(lambda c: c.execute(_NOTE, {"of_id": held.id, "noted": progress}).close())

    def drop_leases(self, connection: sa.Connection) -> None:
        """For a store that only one process may hold, when it opens."""
        connection.execute(_DROP_LEASES)

    async def _move(self, seen: Delivery, **to: object) -> Delivery | None:
        key = {"of_id": seen.id, "from_state": seen.state, "from_attempt": seen.attempt}

        def work(connection: sa.Connection) -> Delivery | None:
            if not connection.execute(_MOVE.values(**to), key).rowcount:
                return None
            return _delivery(connection.execute(_BY_ID, {"id": seen.id}).mappings().one())

        return await self._connector.run(work)


def _delivery(row: sa.RowMapping) -> Delivery:
    return Delivery(
        id=row["id"],
        source=row["source"],
        dest=row["dest"],
        part_no=row["part_no"],
        kind=cast(DeliveryKind, row["kind"]),
        payload=row["payload"],
        client_token=row["client_token"],
        state=cast(DeliveryState, row["state"]),
        attempt=row["attempt"],
        reason=row["reason"],
        remote_id=row["remote_id"],
        progress=row["progress"],
        claimed_at=row["claimed_at"],
        lease_until=row["lease_until"],
    )
