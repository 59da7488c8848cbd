"""The one statement that the two databases spell differently: insert a row unless its key is there already."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite


class InsertUnlessThere:
    """INSERT … ON CONFLICT DO NOTHING RETURNING `returning`: no row comes back when any unique key was taken."""

    def __init__(self, table: sa.Table, returning: sa.Column[str]) -> None:
        self._forms = {
            "sqlite": sqlite.insert(table).on_conflict_do_nothing().returning(returning),
            "postgresql": postgresql.insert(table).on_conflict_do_nothing().returning(returning),
        }

    def wrote(self, connection: sa.Connection, values: dict[str, object]) -> bool:
        """True when the row is new."""
        done = connection.execute(self._forms[connection.dialect.name], values)
        return done.first() is not None
