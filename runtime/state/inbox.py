"""What people sent, kept before it is acknowledged: each message becomes one turn, however often it is delivered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

import sqlalchemy as sa

from runtime.clock import Clock, NewId
from runtime.state.connector import Connector
from runtime.state.statements import InsertUnlessThere
from runtime.state.tables import inbox, seen_keys

InboxState = Literal["new", "started", "done", "failed"]

RETENTION_BATCH = 500


@dataclass(frozen=True, slots=True)
class Accepted:
    """The message is new and durable: acknowledge it and start turn `turn_id`."""

    turn_id: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The message is known: acknowledge it and do nothing; `turn_id` is the turn it already has."""

    turn_id: str


@dataclass(frozen=True, slots=True)
class InboxItem:
    """One kept message. `body` is None once retention has dropped it, or its author while it had not ended."""

    turn_id: str
    event_key: str
    dedupe_key: str | None
    conversation: str
    kind: str
    body: Mapping[str, Any] | None
    received_at: datetime
    state: InboxState


# Keeps a message unless its event key or its dedupe key is known: two events of one message have one dedupe key.
_KEEP = InsertUnlessThere(inbox, inbox.c.event_key)

# Finds the turn that a repeated message already has.
_TURN_OF_DUPLICATE = sa.select(inbox.c.turn_id).where(
    sa.or_(inbox.c.event_key == sa.bindparam("event_key"), inbox.c.dedupe_key == sa.bindparam("dedupe_key"))
)

# Boot: everything accepted that has not ended, oldest first.
_PENDING = sa.select(inbox).where(inbox.c.state.in_(["new", "started"])).order_by(inbox.c.received_at, inbox.c.turn_id)

# Whether a conversation ever had a message for us.
_ANY_OF_CONVERSATION = sa.select(inbox.c.turn_id).where(inbox.c.conversation == sa.bindparam("conversation")).limit(1)

_BY_TURN = sa.select(inbox).where(inbox.c.turn_id == sa.bindparam("turn_id"))

# Moves a message that has not ended yet; one that ended keeps its end.
_MOVE = (
    sa.update(inbox)
    .where(inbox.c.turn_id == sa.bindparam("of_turn"), inbox.c.state.in_(["new", "started"]))
    .values(state=sa.bindparam("to_state"))
)

# Takes the words of messages that have not ended out of the state.
_RETRACT = (
    sa.update(inbox)
    .where(inbox.c.turn_id.in_(sa.bindparam("turns", expanding=True)), inbox.c.state.in_(["new", "started"]))
    .values(body=None)
)

# Gives a message that has not ended another body, unless its words were taken out meanwhile.
_AMEND = (
    sa.update(inbox)
    .where(
        inbox.c.turn_id == sa.bindparam("of_turn"),
        inbox.c.state.in_(["new", "started"]),
        inbox.c.body.is_not(None),
    )
    .values(body=sa.bindparam("new_body", type_=inbox.c.body.type))
)

# Notes a click's key; a second click with the same key changes nothing.
_SEE = InsertUnlessThere(seen_keys, seen_keys.c.key)
_SEEN = sa.select(seen_keys.c.key).where(seen_keys.c.key.in_(sa.bindparam("keys", expanding=True)))

_ENDED = inbox.c.state.in_(["done", "failed"])

# Retention, in batches so that no sweep holds the writer for long: first the bodies, later the keys.
_DROP_BODIES = (
    sa.update(inbox)
    .where(
        inbox.c.event_key.in_(
            sa.select(inbox.c.event_key)
            .where(_ENDED, inbox.c.body.is_not(None), inbox.c.received_at < sa.bindparam("before"))
            .limit(RETENTION_BATCH)
        )
    )
    .values(body=None)
)
_DROP_KEYS = sa.delete(inbox).where(
    inbox.c.event_key.in_(
        sa.select(inbox.c.event_key).where(_ENDED, inbox.c.received_at < sa.bindparam("before")).limit(RETENTION_BATCH)
    )
)
_DROP_SEEN = sa.delete(seen_keys).where(
    seen_keys.c.key.in_(
        sa.select(seen_keys.c.key).where(seen_keys.c.seen_at < sa.bindparam("before")).limit(RETENTION_BATCH)
    )
)


class Inbox:
    """The inbox table."""

    def __init__(self, connector: Connector, clock: Clock, new_id: NewId) -> None:
        self._connector = connector
        self._clock = clock
        self._new_id = new_id

    async def accept(
        self, event_key: str, dedupe_key: str | None, conversation: str, kind: str, body: Mapping[str, Any]
    ) -> Accepted | Duplicate:
        """Keeps a message in one commit. `event_key` names the envelope, `dedupe_key` the message itself (None when it
        has no identity beyond its envelope). Acknowledge only after this returned."""
        turn_id = self._new_id()
        row: dict[str, object] = {
            "event_key": event_key,
            "dedupe_key": dedupe_key,
            "turn_id": turn_id,
            "conversation": conversation,
            "kind": kind,
            "body": dict(body),
            "received_at": self._clock.now(),
            "state": "new",
        }

        def work(connection: sa.Connection) -> Accepted | Duplicate:
            if _KEEP.wrote(connection, row):
                return Accepted(turn_id)
            keys = {"event_key": event_key, "dedupe_key": dedupe_key}
            return Duplicate(str(connection.execute(_TURN_OF_DUPLICATE, keys).scalars().first()))

        return await self._connector.run(work)

    async def get(self, turn_id: str) -> InboxItem | None:
        """The message of a turn."""

        def work(connection: sa.Connection) -> InboxItem | None:
            row = connection.execute(_BY_TURN, {"turn_id": turn_id}).mappings().first()
            return None if row is None else _item(row)

        return await self._connector.run(work)

    async def known(self, conversation: str) -> bool:
        """Whether a message of this conversation was ever kept."""
        values = {"conversation": conversation}
        return await self._connector.run(lambda c: c.execute(_ANY_OF_CONVERSATION, values).first() is not None)

    async def pending(self) -> list[InboxItem]:
        """Every message that has not ended, oldest first."""
        return await self._connector.run(lambda c: [_item(row) for row in c.execute(_PENDING).mappings()])

    async def start(self, turn_id: str) -> None:
        """Notes that work on a message began."""
        await self._move(turn_id, "started")

    async def finish(self, turn_id: str, state: Literal["done", "failed"] = "done") -> None:
        """Notes that nothing remains to be done for a message (its answer is out, or given up). Repeating is harmless;
        the first end stands."""
        await self._move(turn_id, state)

    async def amend(self, conversation: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any] | None]) -> None:
        """Changes the messages of a conversation that have not ended, in one commit. `change` gives a message's new
        body, None when it stays as it is."""

        def work(connection: sa.Connection) -> None:
            for row in connection.execute(_PENDING).mappings().all():
                item = _item(row)
                body = change(item.body) if item.conversation == conversation and item.body is not None else None
                if body is not None:
                    connection.execute(_AMEND, {"of_turn": item.turn_id, "new_body": dict(body)})

        await self._connector.run(work)

    async def retract(self, turn_ids: Collection[str]) -> None:
        """Forgets what these messages said, as nobody asks it any more. They stay open until their turns end."""
        await self._connector.run(lambda c: c.execute(_RETRACT, {"turns": list(turn_ids)}).close())

    async def first_time(self, key: str) -> bool:
        """True once for each key: whether a click (say `action:<action_ts>:<user>:<action_id>`) should act."""
        row: dict[str, object] = {"key": key, "seen_at": self._clock.now()}
        return await self._connector.run(lambda c: _SEE.wrote(c, row))

    async def seen(self, keys: Collection[str]) -> set[str]:
        """Those of the keys that `first_time` was told of, by whichever process."""
        values = {"keys": list(keys)}
        return await self._connector.run(lambda c: set(c.execute(_SEEN, values).scalars()))

    async def forget(self, *, bodies_before: datetime, keys_before: datetime) -> int:
        """Retention: drops bodies and then keys of ended messages received before the two moments, at most 500 rows of
        each. Returns how many rows changed; call again until it is 0."""

        def work(connection: sa.Connection) -> int:
            changed = connection.execute(_DROP_KEYS, {"before": keys_before}).rowcount
            changed += connection.execute(_DROP_SEEN, {"before": keys_before}).rowcount
            return changed + connection.execute(_DROP_BODIES, {"before": bodies_before}).rowcount

        return await self._connector.run(work)

    async def _move(self, turn_id: str, state: InboxState) -> None:
        await self._connector.run(lambda c: c.execute(_MOVE, {"of_turn": turn_id, "to_state": state}).close())


def _item(row: sa.RowMapping) -> InboxItem:
    return InboxItem(
        turn_id=row["turn_id"],
        event_key=row["event_key"],
        dedupe_key=row["dedupe_key"],
        conversation=row["conversation"],
        kind=row["kind"],
        body=row["body"],
        received_at=row["received_at"],
        state=cast(InboxState, row["state"]),
    )
