"""Which schema a store has, and how it gets this version's: made whole when fresh, migrated when older."""

from __future__ import annotations

import sqlalchemy as sa

from runtime.errors import StateTooNew, StateUnavailable
from runtime.state.connector import POSTGRESQL_SCHEMA
from runtime.state.tables import metadata, revision

# The newest migration, and all that this version knows, oldest first. A test compares both with the scripts.
KNOWN = ("0001", "0002", "0003", "0004", "0005", "0006", "0007")
HEAD = KNOWN[-1]

_MIGRATION_LOCK = 0x666F6F74  # any number that nothing else in the database uses


def create(connection: sa.Connection) -> None:
    """The whole schema in an empty store, without importing Alembic: half a second of a cold start."""
    metadata.create_all(connection)
    connection.execute(sa.insert(revision), {"version_num": HEAD})


def standing(connection: sa.Connection) -> str | None:
    """The revision a store is at; None when it is empty. Raises StateTooNew for one this version does not know."""
    if not sa.inspect(connection).has_table(revision.name):
        return None
    found = connection.execute(sa.select(revision.c.version_num)).scalar_one_or_none()
    if found is not None and found not in KNOWN:
        raise StateTooNew(
            f"the state was written by a newer version of Footnote (schema {found}, this version knows {HEAD}): "
            "start that version, or restore the backup made before it."
        )
    return found


def bring_up_to_date(connection: sa.Connection) -> None:
    """Creates or migrates, in the caller's transaction. Replicas that start together do it one after the other."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        connection.execute(sa.schema.CreateSchema(POSTGRESQL_SCHEMA, if_not_exists=True))
    found = standing(connection)
    if found is None:
        create(connection)
    elif found != HEAD:
        # Imported only here: nothing but a real migration needs it.
        from runtime.state.migrations import upgrade

        upgrade(connection)


def require_current(connection: sa.Connection) -> None:
    """For a shared database, which is migrated on purpose and not by whoever starts first. Raises StateUnavailable."""
    found = standing(connection)
    if found != HEAD:
        raise StateUnavailable(
            f"the state database is at schema {found or 'none'}, this version needs {HEAD}: run `footnote migrate`."
        )
