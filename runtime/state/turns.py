"""Turns: what was asked and answered, ended in one commit together with the postings that carry the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from runtime.clock import Clock
from runtime.state.connector import Connector
from runtime.state.deliveries import Deliveries, NewDelivery
from runtime.state.statements import InsertUnlessThere
from runtime.state.tables import turns

RUNNING = "running"


@dataclass(frozen=True, slots=True)
class TurnStart:
    """What is known when a turn begins."""

    turn_id: str
    conversation: str
    asker: str
    question: str
    model: str = ""
    policy_revision: str = ""
    workspace_digest: str = ""


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """How a turn ended. `status` is the run's own word for it, anything but `running`; `evidence_index` one small
    object per evidence item (id, title, …), without rows; `rests_on` the sources behind the answer, with the rules they
    were seen under by id. None: kept before that was written down."""

    status: str
    answer: str
    evidence_index: Sequence[Mapping[str, Any]] = ()
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    verification: Mapping[str, Any] = field(default_factory=dict[str, Any])
    rests_on: Mapping[str, str] | None = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as it stands. `end` and `finished_at` are None while it runs."""

    start: TurnStart
    started_at: datetime
    end: TurnEnd | None = None
    finished_at: datetime | None = None


# A resumed turn begins again: the row of the first beginning stands.
_BEGIN = InsertUnlessThere(turns, turns.c.turn_id)

_BY_ID = sa.select(turns).where(turns.c.turn_id == sa.bindparam("turn_id"))

# Ends a turn that is running. A turn that ended already keeps its end, whatever a second attempt found.
_FINISH = (
    sa.update(turns)
    .where(turns.c.turn_id == sa.bindparam("of_turn"), turns.c.status == RUNNING)
    .values(
        status=sa.bindparam("end_status"),
        answer=sa.bindparam("end_answer"),
        evidence_index=sa.bindparam("end_index"),
        usage=sa.bindparam("end_usage"),
        verification=sa.bindparam("end_verification"),
        rests_on=sa.bindparam("end_rests_on"),
        finished_at=sa.bindparam("end_at"),
    )
)

# What the ended turns since a moment used, for caps of a day.
_USED = sa.select(turns.c.asker, turns.c.conversation, turns.c.usage).where(
    turns.c.finished_at >= sa.bindparam("since"), turns.c.status != RUNNING
)

# The last ended turns of a conversation, newest first.
_HISTORY = (
    sa.select(turns)
    .where(turns.c.conversation == sa.bindparam("conversation"), turns.c.status != RUNNING)
    .order_by(turns.c.started_at.desc(), turns.c.turn_id.desc())
    .limit(sa.bindparam("at_most"))
)


@dataclass(frozen=True, slots=True)
class Spent:
    """What one ended turn cost, in US dollars."""

    asker: str
    conversation: str
    usd: float


class Turns:
    """The turns table."""

    def __init__(self, connector: Connector, clock: Clock, deliveries: Deliveries) -> None:
        self._connector = connector
        self._clock = clock
        self._deliveries = deliveries

    async def begin(self, start: TurnStart) -> Turn:
        """Keeps a turn's beginning and returns the turn that stands: after a crash that is the first beginning, and its
        `end` is set when only the posting of the answer remains."""
        row: dict[str, object] = {
            "turn_id": start.turn_id,
            "conversation": start.conversation,
            "asker": start.asker,
            "question": start.question,
            "status": RUNNING,
            "started_at": self._clock.now(),
            "model": start.model,
            "policy_revision": start.policy_revision,
            "workspace_digest": start.workspace_digest,
        }

        def work(connection: sa.Connection) -> Turn:
            _BEGIN.wrote(connection, row)
            return _turn(connection.execute(_BY_ID, {"turn_id": start.turn_id}).mappings().one())

        return await self._connector.run(work)

    async def finish(self, turn_id: str, end: TurnEnd, *, deliveries: Sequence[NewDelivery] = ()) -> Turn:
        """Ends a turn and puts its postings in the outbox, in one commit. When the turn ended before, nothing is
        written. Returns the turn that stands. Raises ValueError for an unknown turn or the status `running`."""
        if end.status == RUNNING:
            raise ValueError("a turn cannot end as running")
        row = {
            "of_turn": turn_id,
            "end_status": end.status,
            "end_answer": end.answer,
            "end_index": [dict(item) for item in end.evidence_index],
            "end_usage": dict(end.usage),
            "end_verification": dict(end.verification),
            "end_rests_on": None if end.rests_on is None else dict(end.rests_on),
            "end_at": self._clock.now(),
        }

        def work(connection: sa.Connection) -> Turn:
            if connection.execute(_FINISH, row).rowcount:
                self._deliveries.write(connection, deliveries)
            found = connection.execute(_BY_ID, {"turn_id": turn_id}).mappings().first()
            if found is None:
                raise ValueError(f"no such turn: {turn_id}")
            return _turn(found)

        return await self._connector.run(work)

    async def get(self, turn_id: str) -> Turn | None:
        """The turn, or None."""

        def work(connection: sa.Connection) -> Turn | None:
            row = connection.execute(_BY_ID, {"turn_id": turn_id}).mappings().first()
            return None if row is None else _turn(row)

        return await self._connector.run(work)

    async def spent(self, *, since: datetime) -> list[Spent]:
        """What each turn that ended since `since` cost."""

        def work(connection: sa.Connection) -> list[Spent]:
            rows = connection.execute(_USED, {"since": since}).mappings()
            return [Spent(row["asker"], row["conversation"], _usd(row["usage"])) for row in rows]

        return await self._connector.run(work)

    async def history(self, conversation: str, limit: int) -> list[Turn]:
        """The last `limit` ended turns of a conversation, oldest first."""
        values = {"conversation": conversation, "at_most": limit}
        newest_first = await self._connector.run(lambda c: [_turn(r) for r in c.execute(_HISTORY, values).mappings()])
        return newest_first[::-1]


def _usd(usage: Mapping[str, Any] | None) -> float:
    return float(usage.get("usd", 0.0)) if usage else 0.0


def _turn(row: sa.RowMapping) -> Turn:
    start = TurnStart(
        turn_id=row["turn_id"],
        conversation=row["conversation"],
        asker=row["asker"],
        question=row["question"],
        model=row["model"],
        policy_revision=row["policy_revision"],
        workspace_digest=row["workspace_digest"],
    )
    if row["status"] == RUNNING:
        return Turn(start, row["started_at"])
    end = TurnEnd(
        status=row["status"],
        answer=row["answer"],
        evidence_index=tuple(row["evidence_index"]),
        usage=row["usage"],
        verification=row["verification"],
        rests_on=row["rests_on"],
    )
    return Turn(start, row["started_at"], end, row["finished_at"])
