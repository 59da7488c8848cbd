"""The only owner of database connections: runs one piece of work per transaction, off the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.engine import URL
from sqlalchemy.pool import QueuePool

from runtime.errors import StateError, StateUnavailable

T = TypeVar("T")
Work = Callable[[sa.Connection], T]

POSTGRESQL_SCHEMA = "footnote"
_POSTGRESQL_CONNECTIONS = 4
_BUSY_TIMEOUT_MS = 10_000
_OUR_MISTAKES = (exc.ProgrammingError, exc.DataError, exc.NotSupportedError, exc.IntegrityError)


class Connector:
    """Threads and connections in equal number: one for SQLite (a second writer only waits, unfairly: facts/DURABLE.md
    1), a few for PostgreSQL. Work that was handed over is finished even when the waiting task is cancelled."""

    def __init__(self, url: URL) -> None:
        connections = 1 if is_sqlite(url) else _POSTGRESQL_CONNECTIONS
        self.engine = _sqlite_engine(url) if is_sqlite(url) else _postgresql_engine(url)
        self._threads = ThreadPoolExecutor(connections, thread_name_prefix="state")

    @property
    def sqlite(self) -> bool:
        """Whether the state is a SQLite file, which one process has for itself."""
        return self.engine.dialect.name == "sqlite"

    async def run(self, work: Work[T]) -> T:
        """`work` in one transaction, committed when it returns. Raises StateUnavailable when the database cannot be
        reached or written, StateError when it refuses a statement."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(self._transact, work))

    def run_now(self, work: Work[T]) -> T:
        """The same for start-up, before there is an event loop."""
        return self._threads.submit(self._transact, work).result()

    def close(self) -> None:
        """Waits for work under way and closes every connection."""
        self._threads.submit(self.engine.dispose).result()
        self._threads.shutdown()

    def _transact(self, work: Work[T]) -> T:
        try:
            with self.engine.begin() as connection:
                return work(connection)
        except exc.DBAPIError as error:
            raise _translated(error) from error
        except exc.TimeoutError as error:
            raise StateUnavailable("the state database did not give a connection in time") from error


def is_sqlite(url: URL) -> bool:
    """True for a SQLite URL, file or memory."""
    return url.get_backend_name() == "sqlite"


def _translated(error: exc.DBAPIError) -> StateError:
    """The driver's error as ours, without the statement's parameters: they hold what people wrote."""
    said = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else type(error.orig).__name__
    if isinstance(error, _OUR_MISTAKES):
        return StateError(f"the state database refused a statement: {said}")
    return StateUnavailable(f"the state database cannot be used: {said}")


def _sqlite_engine(url: URL) -> sa.Engine:
    engine = sa.create_engine(
        url, poolclass=QueuePool, pool_size=1, max_overflow=0, connect_args={"check_same_thread": False}
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_immediate)
    return engine


def write_ahead(connection: sqlite3.Connection, busy_ms: int) -> None:
    """A write-ahead journal, and each commit on the disk before it counts; another writer is waited for `busy_ms`
    milliseconds."""
    for pragma in (
        f"busy_timeout = {busy_ms}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _prepare_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    # No implicit transactions: the driver would begin them too late, and not before reads.
    connection.isolation_level = None
    write_ahead(connection, _BUSY_TIMEOUT_MS)


def _begin_immediate(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _postgresql_engine(url: URL) -> sa.Engine:
    return sa.create_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_size=_POSTGRESQL_CONNECTIONS,
        max_overflow=0,
        pool_pre_ping=True,
        connect_args={
            "connect_timeout": 10,
            "application_name": "footnote",
            "options": f"-csearch_path={POSTGRESQL_SCHEMA}",
        },
    )
