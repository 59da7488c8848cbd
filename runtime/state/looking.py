"""How a store stands, looked at from outside: nothing is created, migrated or locked."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from runtime.errors import StateUnavailable
from runtime.state import schema
from runtime.state.connector import Connector
from runtime.state.lockfile import LockFile
from runtime.state.sqlite_file import check_file
from runtime.state.store import parse_url, sqlite_path
from runtime.state.tables import metadata

_READ_ONLY = "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool"
_MAY_WRITE = "SELECT has_table_privilege(:name, 'INSERT')"


@dataclass(frozen=True, slots=True)
class Standing:
    """A store that can be reached and written. `place` is its file or database, without a password; `version` is its
    schema, None where there is none yet; `made_at_start`: the bot brings it to its own version; `holder` is the process
    that serves with a SQLite file now."""

    place: str
    version: str | None
    current: bool
    made_at_start: bool
    holder: int | None = None


def look_at_state(url: str) -> Standing:
    """How the store at `url` stands. Raises ConfigurationError for no URL of a store, StateTooNew, StateUnavailable
    when it cannot be opened, reached or written, with what to do."""
    parsed = parse_url(url)
    path = sqlite_path(parsed)
    if path is not None:
        return _file(path)
    if parsed.get_backend_name() == "sqlite":
        return Standing("memory (nothing is kept)", None, current=False, made_at_start=True)
    return _database(parsed)


def _file(path: Path) -> Standing:
    folder = next(place for place in path.absolute().parents if place.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise StateUnavailable(f"{path} cannot be written: {folder} is no folder that this process may write in.")
    if not path.exists():
        return Standing(str(path), None, current=False, made_at_start=True)
    check_file(path)
    place = f"{path.absolute().as_uri()}?mode=ro"
    engine = sa.create_engine("sqlite://", creator=lambda: sqlite3.connect(place, uri=True), poolclass=NullPool)
    try:
        with engine.connect() as connection:
            version = schema.standing(connection)
    except DBAPIError as error:
        raise StateUnavailable(f"{path} cannot be read: {error.orig}") from error
    finally:
        engine.dispose()
    return Standing(str(path), version, version == schema.HEAD, made_at_start=True, holder=LockFile.holder(path))


def _database(url: URL) -> Standing:
    connector = Connector(url)
    try:
        version = connector.run_now(_version_if_writable)
    finally:
        connector.close()
    place = f"PostgreSQL {url.host or 'on this machine'}{f':{url.port}' if url.port else ''}, database {url.database}"
    return Standing(place, version, version == schema.HEAD, made_at_start=False)


def _version_if_writable(connection: sa.Connection) -> str | None:
    connection.execute(sa.text("SET TRANSACTION READ ONLY"))
    if connection.execute(sa.text(_READ_ONLY)).scalar_one():
        raise StateUnavailable("the state database only reads: it is a standby, or its transactions are read-only.")
    version = schema.standing(connection)
    if version == schema.HEAD:
        for table in metadata.tables.values():
            if not connection.execute(sa.text(_MAY_WRITE), {"name": table.name}).scalar_one():
                raise StateUnavailable(f"the role of FOOTNOTE_STATE may not write its table {table.name}.")
    return version
