"""The call journal on the state store: a finished call is kept under its exact digest and never found under another."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from runtime.clock import Clock
from runtime.errors import StateError
from runtime.evidence import Evidence, JournalEntry
from runtime.state.connector import Connector
from runtime.state.statements import InsertUnlessThere
from runtime.state.tables import calls


class JournalMismatch(StateError):
    """The journal holds another call under this run and call id: its result must not be attached to this one."""


# Keeps a finished call unless its (run, call id) is there.
_KEEP = InsertUnlessThere(calls, calls.c.call_id)

_BY_CALL = sa.select(calls).where(calls.c.run_id == sa.bindparam("run_id"), calls.c.call_id == sa.bindparam("call_id"))

# All calls of a run in the order in which the model made them.
_OF_RUN = sa.select(calls).where(calls.c.run_id == sa.bindparam("run_id")).order_by(calls.c.position, calls.c.call_id)


class Calls:
    """The calls table; implements `runtime.evidence.CallJournal`."""

    def __init__(self, connector: Connector, clock: Clock) -> None:
        self._connector = connector
        self._clock = clock

    async def find(self, run_id: str, call_id: str, digest: str) -> JournalEntry | None:
        """The entry of exactly this call, or None. Raises JournalMismatch when this run kept a different call under
        the same id."""
        return await self._connector.run(lambda c: _standing(c, run_id, call_id, digest))

    async def put(self, entry: JournalEntry) -> JournalEntry:
        """Keeps `entry` unless one is there already; returns the one that stands. Raises JournalMismatch."""
        row: dict[str, object] = {
            "run_id": entry.run_id,
            "call_id": entry.call_id,
            "digest": entry.digest,
            "position": entry.position,
            "result": entry.result,
            "is_error": entry.is_error,
            "evidence": entry.evidence.as_json(),
            "loaded": list(entry.loaded),
            "kept_at": self._clock.now(),
        }

        def work(connection: sa.Connection) -> JournalEntry:
            if _KEEP.wrote(connection, row):
                return entry
            return _standing(connection, entry.run_id, entry.call_id, entry.digest) or entry

        return await self._connector.run(work)

    async def of_run(self, run_id: str) -> list[JournalEntry]:
        """Every finished call of a run, in call order."""
        return await self._connector.run(
            lambda c: [_entry(r) for r in c.execute(_OF_RUN, {"run_id": run_id}).mappings()]
        )


def _standing(connection: sa.Connection, run_id: str, call_id: str, digest: str) -> JournalEntry | None:
    row = connection.execute(_BY_CALL, {"run_id": run_id, "call_id": call_id}).mappings().first()
    if row is None:
        return None
    if row["digest"] != digest:
        raise JournalMismatch(f"run {run_id} kept another call as {call_id}")
    return _entry(row)


def _entry(row: sa.RowMapping) -> JournalEntry:
    evidence: dict[str, Any] = row["evidence"]
    return JournalEntry(
        run_id=row["run_id"],
        call_id=row["call_id"],
        digest=row["digest"],
        position=row["position"],
        result=row["result"],
        is_error=row["is_error"],
        evidence=Evidence.from_json(evidence),
        loaded=tuple(row["loaded"]),
    )
