"""The connections of one source: made when needed, kept while they live, each use a snapshot that is rolled back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import psycopg
from psycopg.adapt import AdaptersMap

Connection = psycopg.AsyncConnection[tuple[Any, ...]]

_CONNECT_SECONDS = 5
_LOCK_SECONDS = 5
_CLEANING_SECONDS = 5
_SORTED_WAYS = ("indexscan", "indexonlyscan", "mergejoin")
_UNSORTED_WAYS = ("seqscan", "bitmapscan", "hashjoin", "nestloop", "hashagg")
_END = b"ROLLBACK; SELECT pg_catalog.pg_advisory_unlock_all()"
"""Settings, cursors and temporary tables go with the transaction; only locks of the session outlive it."""


class Unreachable(Exception):
    """No connection could be made. The text is what the client library says, for operators: no password is in it."""


class ConnectionLost(Exception):
    """The connection ended in the middle of its work."""


class Opening(Protocol):
    """What a transaction begins with."""

    def begin(self) -> str:
        """The statements that open it and set it up."""
        ...


@dataclass(frozen=True, slots=True)
class Session:
    """What a transaction is set to. `seconds` bounds one statement on the server's side too, so that nothing keeps
    running there when this process dies; unqualified names are looked up in `search_path`. `unsorted`: tables are read
    as they lie and joined by hash or loop, since rows that come in the order of an index tell of what it sorts."""

    seconds: float
    search_path: tuple[str, ...] = ()
    unsorted: bool = False

    def begin(self) -> str:
        """The statements that open the snapshot. Whatever is set ends with it: a `set_config` of an earlier statement
        on the same connection, too."""
        path = ", ".join(quoted(name) for name in ("pg_catalog", *self.search_path, "pg_temp"))
        milliseconds = max(1, round(self.seconds * 1000))
        settings = {
            "statement_timeout": milliseconds,
            "lock_timeout": min(max(1, milliseconds // 2), _LOCK_SECONDS * 1000),
            "idle_in_transaction_session_timeout": milliseconds + _CLEANING_SECONDS * 1000,
            "search_path": path,
            "standard_conforming_strings": "on",
            "timezone": "'UTC'",
            "datestyle": "'ISO, YMD'",
            "intervalstyle": "'iso_8601'",
            "bytea_output": "'hex'",
            "extra_float_digits": 1,
        }
        if self.unsorted:
            settings |= {f"enable_{way}": "off" for way in _SORTED_WAYS}
            settings |= {f"enable_{way}": "on" for way in _UNSORTED_WAYS}  # whatever the role has
        sets = "".join(f"; SET LOCAL {name} = {value}" for name, value in settings.items())
        return f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY{sets}"


class Connections:
    """At most `most` connections at a time. Belongs to the event loop that uses it first."""

    def __init__(self, conninfo: str, adapters: AdaptersMap, most: int) -> None:
        self._conninfo = conninfo
        self._adapters = adapters
        self._room = asyncio.Semaphore(most)
        self._idle: list[Connection] = []

    @asynccontextmanager
    async def snapshot(self, session: Opening) -> AsyncGenerator[Connection]:
        """A connection in the transaction that `session` opens (for reads a `Session`), which is rolled back at the
        end. One that died while it lay idle is replaced, once; cancelling stops the statement that runs. Raises
        Unreachable; ConnectionLost."""
        async with self._room:
            connection = await self._begun(session)
            clean = False
            try:
                yield connection
                clean = True
            except psycopg.Error as error:
                if connection.closed or connection.broken:
                    raise ConnectionLost(str(error)) from error
                clean = True
                raise
            finally:
                # After anything else, a cancelled read above all, nobody knows what the server still does for it.
                await self._leave(connection, clean)

    async def close(self) -> None:
        """Closes what is idle."""
        while self._idle:
            await self._idle.pop().close()

    async def _begun(self, session: Opening) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            try:
                await self._begin(connection, session)
            except psycopg.OperationalError:
                await connection.close()
                await self.close()  # what ended one ended the others: a restart, a firewall
            else:
                return connection
        connection = await self._connect()
        try:
            await self._begin(connection, session)
        except psycopg.OperationalError as error:
            await connection.close()
            raise ConnectionLost(str(error)) from error
        return connection

    async def _begin(self, connection: Connection, session: Opening) -> None:
        try:
            await connection.execute(session.begin().encode())
        except BaseException:
            await connection.close()
            raise

    async def _connect(self) -> Connection:
        try:
            async with asyncio.timeout(2 * _CONNECT_SECONDS):
                return await psycopg.AsyncConnection.connect(
                    self._conninfo,
                    autocommit=True,
                    prepare_threshold=None,  # a read rarely comes twice, and a pooler in between may not keep them
                    context=_Adapted(self._adapters),
                    cursor_factory=psycopg.AsyncRawCursor,
                    connect_timeout=_CONNECT_SECONDS,
                    client_encoding="utf8",
                    application_name="footnote",
                    keepalives_idle=30,
                    keepalives_interval=5,
                    keepalives_count=3,
                )
        except TimeoutError as error:
            raise Unreachable(f"no answer within {2 * _CONNECT_SECONDS} s") from error
        except (psycopg.Error, OSError) as error:
            raise Unreachable(str(error).strip()) from error

    async def _leave(self, connection: Connection, clean: bool) -> None:
        kept = False
        try:
            if clean and not connection.closed:
                async with asyncio.timeout(_CLEANING_SECONDS):
                    await connection.execute(_END)
                self._idle.append(connection)
                kept = True
        except (psycopg.Error, TimeoutError):
            pass  # it died at the very end: the read is done, and the next one takes another
        finally:
            if not kept:
                await connection.close()


@dataclass(frozen=True, slots=True)
class _Adapted:
    """What psycopg asks for as a context: our own types, no connection to take them from."""

    adapters: AdaptersMap
    connection: None = None


def quoted(*names: str) -> str:
    """The names as one qualified SQL identifier."""
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


async def fetch(connection: Connection, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of a statement of our own."""
    cursor = await connection.execute(sql.encode(), parameters or None)
    return await cursor.fetchall()
