"""The effects table: the journal and receipt of every change to a source's data, one row for each approved call.

    begun ─execute→ executing ─finish→ done | failed | unknown
       └─finish→ failed                (no row) ─rule_out→ never

A move counts only from the state it names, so that of two who know how a change ended one writes it down, and a
process that was thought dead can't go on. A call has one row for good: nothing runs twice, on whatever replica.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, cast

import sqlalchemy as sa

from runtime.clock import Clock
from runtime.evidence import Json
from runtime.state.connector import Connector
from runtime.state.statements import InsertUnlessThere
from runtime.state.tables import effects

EffectState = Literal["begun", "executing", "done", "failed", "unknown", "never"]
Ending = Literal["done", "failed", "unknown"]
OPEN_EFFECTS: tuple[EffectState, ...] = ("begun", "executing")
"""The states in which nobody has written down yet how a change ended."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction of the target as it will still be known after a crash: its 64-bit id, and which server (by its
    system identifier and timeline) gave it."""

    xid: str
    system: str
    timeline: str


@dataclass(frozen=True, slots=True)
class Effect:
    """One change. `id` is the receipt's name; `digest` that of the frozen call; `target` the lock key; `request` what
    was asked (table, set, where, row_count); `images` what stood in the rows before and after."""

    id: str
    digest: str
    run_id: str
    call_id: str
    conversation: str
    requester: str
    tool: str
    source: str
    target: str
    request: Mapping[str, Json]
    began_at: datetime | None = None
    changed_at: datetime | None = None
    state: EffectState = "begun"
    transaction: Transaction | None = None
    images: Mapping[str, Json] = field(default_factory=dict[str, Json])
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Begun:
    """The row is new, and the target this call's alone until it ends."""


@dataclass(frozen=True, slots=True)
class CalledBefore:
    """This very call has a row already."""

    effect: Effect


@dataclass(frozen=True, slots=True)
class TargetTaken:
    """Another change of the same target has not ended."""

    effect: Effect


_BEGIN = InsertUnlessThere(effects, effects.c.id)
_BY_ID = sa.select(effects).where(effects.c.id == sa.bindparam("effect_id"))
_BY_CALL = sa.select(effects).where(
    effects.c.run_id == sa.bindparam("run_id"), effects.c.call_id == sa.bindparam("call_id")
)
_ON_TARGET = sa.select(effects).where(effects.c.open_target == sa.bindparam("target"))
# Changes that nobody has written the end of, oldest first.
_OPEN = sa.select(effects).where(effects.c.state.in_(OPEN_EFFECTS)).order_by(effects.c.began_at, effects.c.id)
# The newest first, for people who look what was changed.
_NEWEST = (
    sa.select(effects)
    .where(effects.c.state != "never")
    .order_by(effects.c.began_at.desc(), effects.c.id)
    .limit(sa.bindparam("at_most"))
)

# The fence before COMMIT: whoever is no longer the one that began may not go on.
_EXECUTE = (
    sa.update(effects)
    .where(effects.c.id == sa.bindparam("of_id"), effects.c.state == "begun")
    .values(
        state="executing",
        xact=sa.bindparam("to_xact"),
        images=sa.bindparam("to_images"),
        changed_at=sa.bindparam("at"),
    )
)
# The end, written once; it gives the target free.
_FINISH = (
    sa.update(effects)
    .where(effects.c.id == sa.bindparam("of_id"), effects.c.state == sa.bindparam("from_state"))
    .values(
        state=sa.bindparam("to_state"),
        reason=sa.bindparam("to_reason"),
        open_target=sa.null(),
        changed_at=sa.bindparam("at"),
    )
)


class Effects:
    """The effects table. Every method is one transaction that is on disk when it returns."""

    def __init__(self, connector: Connector, clock: Clock) -> None:
        self._connector = connector
        self._clock = clock

    async def begin(self, effect: Effect) -> Begun | CalledBefore | TargetTaken:
        """Takes the target for this call, unless the call was there before or another change holds the target."""
        row = _row(effect, self._clock.now())

        def work(connection: sa.Connection) -> Begun | CalledBefore | TargetTaken:
            while True:
                if _BEGIN.wrote(connection, row):
                    return Begun()
                if (same := _one(connection, _BY_CALL, run_id=effect.run_id, call_id=effect.call_id)) is not None:
                    return CalledBefore(same)
                if (other := _one(connection, _ON_TARGET, target=effect.target)) is not None:
                    return TargetTaken(other)

        return await self._connector.run(work)

    async def rule_out(self, effect: Effect) -> Effect:
        """For a call that people were told of as not run: from now on it can't begin any more, not even by a process
        that was only asleep. Returns the row that stands, which is the call's own where it had begun."""
        row = {**_row(effect, self._clock.now()), "state": "never", "open_target": None}

        def work(connection: sa.Connection) -> Effect:
            _BEGIN.wrote(connection, row)
            found = _one(connection, _BY_CALL, run_id=effect.run_id, call_id=effect.call_id)
            if found is None:
                raise AssertionError("the row of a call that is ruled out is there")
            return found

        return await self._connector.run(work)

    async def execute(self, effect_id: str, transaction: Transaction, images: Mapping[str, Json]) -> bool:
        """Written before the target's COMMIT. False when this change was ended meanwhile: it must not be committed."""
        values = {
            "of_id": effect_id,
            "to_xact": {"xid": transaction.xid, "system": transaction.system, "timeline": transaction.timeline},
            "to_images": dict(images),
            "at": self._clock.now(),
        }
        return await self._connector.run(lambda c: c.execute(_EXECUTE, values).rowcount == 1)

    async def finish(self, effect: Effect, state: Ending, reason: str = "") -> bool:
        """Writes down how a change ended, from the state in which `effect` was seen. False when somebody else did, or
        when it went on meanwhile."""
        if effect.state not in OPEN_EFFECTS:
            return False
        values = {
            "of_id": effect.id,
            "from_state": effect.state,
            "to_state": state,
            "to_reason": reason,
            "at": self._clock.now(),
        }
        return await self._connector.run(lambda c: c.execute(_FINISH, values).rowcount == 1)

    async def get(self, effect_id: str) -> Effect | None:
        """A change by its receipt."""
        return await self._connector.run(lambda c: _one(c, _BY_ID, effect_id=effect_id))

    async def of_call(self, run_id: str, call_id: str) -> Effect | None:
        """The change of one call of one run."""
        return await self._connector.run(lambda c: _one(c, _BY_CALL, run_id=run_id, call_id=call_id))

    async def open(self) -> list[Effect]:
        """All that nobody has written the end of, oldest first."""
        return await self._connector.run(lambda c: [_effect(row) for row in c.execute(_OPEN).mappings()])

    async def newest(self, limit: int) -> list[Effect]:
        """The newest changes first."""
        return await self._connector.run(
            lambda c: [_effect(row) for row in c.execute(_NEWEST, {"at_most": limit}).mappings()]
        )


def _one(connection: sa.Connection, query: sa.Select[Any], **values: object) -> Effect | None:
    row = connection.execute(query, values).mappings().first()
    return None if row is None else _effect(row)


def _row(effect: Effect, now: datetime) -> dict[str, object]:
    return {
        "id": effect.id,
        "digest": effect.digest,
        "run_id": effect.run_id,
        "call_id": effect.call_id,
        "conversation": effect.conversation,
        "requester": effect.requester,
        "tool": effect.tool,
        "source": effect.source,
        "target": effect.target,
        "open_target": effect.target,
        "request": dict(effect.request),
        "state": effect.state,
        "xact": None,
        "images": None,
        "reason": "",
        "began_at": now,
        "changed_at": now,
    }


def _effect(row: sa.RowMapping) -> Effect:
    xact = row["xact"]
    return Effect(
        id=row["id"],
        digest=row["digest"],
        run_id=row["run_id"],
        call_id=row["call_id"],
        conversation=row["conversation"],
        requester=row["requester"],
        tool=row["tool"],
        source=row["source"],
        target=row["target"],
        request=row["request"],
        began_at=row["began_at"],
        changed_at=row["changed_at"],
        state=cast(EffectState, row["state"]),
        transaction=None if xact is None else Transaction(xact["xid"], xact["system"], xact["timeline"]),
        images=row["images"] or {},
        reason=row["reason"],
    )
