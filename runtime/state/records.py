"""Single facts about the installation, and the audit trail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from runtime.clock import Clock
from runtime.evidence import Json
from runtime.state.connector import Connector
from runtime.state.statements import InsertUnlessThere
from runtime.state.tables import audit, meta

_INSERT = InsertUnlessThere(meta, meta.c.key)
_CHANGE = (
    sa.update(meta)
    .where(meta.c.key == sa.bindparam("of_key"))
    .values(value=sa.bindparam("to_value"), changed_at=sa.bindparam("at"))
)
_VALUE = sa.select(meta.c.value).where(meta.c.key == sa.bindparam("key"))
_APPEND = sa.insert(audit)

# The newest audit rows of one kind (or of all kinds), newest first.
_NEWEST = sa.select(audit).order_by(audit.c.id.desc()).limit(sa.bindparam("at_most"))
_NEWEST_OF_KIND = _NEWEST.where(audit.c.kind == sa.bindparam("kind"))


class Meta:
    """The meta table: one JSON value per key."""

    def __init__(self, connector: Connector, clock: Clock) -> None:
        self._connector = connector
        self._clock = clock

    async def get(self, key: str) -> Json:
        """The value, or None."""
        return await self._connector.run(lambda c: c.execute(_VALUE, {"key": key}).scalar_one_or_none())

    async def set(self, key: str, value: Json) -> None:
        """Keeps a value, in place of an earlier one."""
        now = self._clock.now()

        def work(connection: sa.Connection) -> None:
            if not _INSERT.wrote(connection, {"key": key, "value": value, "changed_at": now}):
                connection.execute(_CHANGE, {"of_key": key, "to_value": value, "at": now})

        await self._connector.run(work)


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One thing that was done."""

    at: datetime
    kind: str
    body: Mapping[str, Any]


class Audit:
    """The audit table: rows are only ever added."""

    def __init__(self, connector: Connector, clock: Clock) -> None:
        self._connector = connector
        self._clock = clock

    async def add(self, kind: str, body: Mapping[str, Any]) -> None:
        """Notes one thing that was done; `body` says what and by whom, never with rows or secrets."""
        row = {"at": self._clock.now(), "kind": kind, "body": dict(body)}
        await self._connector.run(lambda c: c.execute(_APPEND, row).close())

    async def newest(self, limit: int, kind: str | None = None) -> list[AuditRecord]:
        """The newest records first."""
        query = _NEWEST if kind is None else _NEWEST_OF_KIND
        values = {"at_most": limit} if kind is None else {"at_most": limit, "kind": kind}
        return await self._connector.run(
            lambda c: [AuditRecord(r["at"], r["kind"], r["body"]) for r in c.execute(query, values).mappings()]
        )
