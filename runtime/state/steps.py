"""The model's replies, step by step: the first one kept is the one that every replay sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from runtime.state.connector import Connector
from runtime.state.statements import InsertUnlessThere
from runtime.state.tables import steps

# Keeps a reply unless the step has one.
_KEEP = InsertUnlessThere(steps, steps.c.run_id)

_REPLY = sa.select(steps.c.reply).where(steps.c.run_id == sa.bindparam("run_id"), steps.c.n == sa.bindparam("n"))


class Steps:
    """The steps table."""

    def __init__(self, connector: Connector) -> None:
        self._connector = connector

    async def put_reply(self, run_id: str, n: int, reply: Mapping[str, Any]) -> dict[str, Any]:
        """Keeps the reply of step `n` (from 0) unless there is one; returns the one that stands."""
        key = {"run_id": run_id, "n": n}

        def work(connection: sa.Connection) -> dict[str, Any]:
            _KEEP.wrote(connection, {**key, "reply": dict(reply)})
            return connection.execute(_REPLY, key).scalar_one()

        return await self._connector.run(work)

    async def get(self, run_id: str, n: int) -> dict[str, Any] | None:
        """The reply of step `n`, or None."""
        return await self._connector.run(lambda c: c.execute(_REPLY, {"run_id": run_id, "n": n}).scalar_one_or_none())
