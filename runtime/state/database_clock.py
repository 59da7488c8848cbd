"""The clock that counts where several processes share a state: the database's own."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from runtime.clock import Clock

_NOW = sa.select(sa.func.clock_timestamp(type_=sa.DateTime(timezone=True)))


def database_now(connection: sa.Connection, clock: Clock) -> datetime:
    """PostgreSQL's own clock; with SQLite, `clock`, that of its one process."""
    if connection.dialect.name == "sqlite":
        return clock.now()
    return connection.execute(_NOW).scalar_one()
