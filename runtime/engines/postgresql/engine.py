"""The engine of one PostgreSQL source: guarded reads on snapshots of its own, and its admitted structure."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import psycopg
import structlog
from psycopg.conninfo import conninfo_to_dict

from runtime.admission.manifest import PostgresqlSource, environment_value
from runtime.catalog import CatalogTable, ClosedView, Structure
from runtime.catalog.admitted import admitted
from runtime.catalog.cached import CachedStructure
from runtime.clock import Clock
from runtime.engines.guarding import policy_of
from runtime.engines.port import ReadResult
from runtime.engines.postgresql import failures
from runtime.engines.postgresql.connections import Connection, ConnectionLost, Connections, Session, Unreachable
from runtime.engines.postgresql.failures import Asked
from runtime.engines.postgresql.introspect import DIALECT, fingerprint, introspect, readable_part
from runtime.engines.postgresql.reading import Read, answer
from runtime.engines.postgresql.rights import Rights, check_rights, fit_to_read
from runtime.engines.postgresql.values import adapters, bound_values
from runtime.engines.worker import Answer
from runtime.engines.worker.results import read_result
from runtime.errors import CallError, ConfigurationError
from runtime.evidence import Json, SourceRef
from runtime.limits import Limits
from runtime.sqlguard import GuardPolicy, ValidatedQuery, validate

_LOOK_SECONDS = 15.0
_TRUSTED_SECONDS = 10.0
"""How long a look at the catalogue is good for: at 10,000 tables even the fingerprint takes longer than most reads. A
read that fails on a name looks again at once."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Checkup:
    """What `footnote check` wants to know of a source: why it cannot be reached ("" when it can), how many tables are
    open, which views aren't for what they call, and what its role may do too much."""

    unreachable: str = ""
    tables: int = 0
    closed: tuple[ClosedView, ...] = ()
    rights: Rights | None = None


class PostgresqlEngine:
    """One admitted database. A DatabaseEngine. Belongs to the event loop that uses it first."""

    dialect = DIALECT

    def __init__(self, source: PostgresqlSource, connections: Connections, limits: Limits, clock: Clock) -> None:
        self._source = source
        self._connections = connections
        self._limits = limits
        self._clock = clock
        self._revision = ""
        self._session = Session(_LOOK_SECONDS, source.schemas)
        self._structure = CachedStructure(self._fingerprint, self._introspect, clock, trusted_seconds=_TRUSTED_SECONDS)

    @classmethod
    async def open(cls, source: PostgresqlSource, limits: Limits, clock: Clock) -> PostgresqlEngine:
        """Connects nowhere yet, so that a database that is down stops no start. Raises ConfigurationError for an
        address that is none."""
        address = environment_value(source.url) or ""
        try:
            if not conninfo_to_dict(address):
                raise psycopg.ProgrammingError("empty")  # the library would take a database of this machine
        except psycopg.Error as error:
            raise ConfigurationError(f"sources.{source.id}: {source.url} holds no address of a database.") from error
        connections = Connections(address, adapters(), limits.concurrent_reads_per_source)
        return cls(source, connections, limits, clock)

    async def close(self) -> None:
        """Closes the connections that are idle; a read that still runs closes its own."""
        await self._connections.close()

    async def structure(self) -> Structure:
        """The admitted structure as it is now. Raises CallError `source_unavailable`, also while the role may do more
        than read."""
        return await self._structure.current()

    async def check(self) -> Checkup:
        """A look at the source for operators. Never raises for what a database may be: down, closed, too open."""
        try:
            async with self._connections.snapshot(self._session) as connection:
                shown = await self._admitted(connection, await fingerprint(connection, self._source.schemas))
                rights = await check_rights(connection, shown)
                return Checkup(tables=len(shown.tables), closed=shown.closed, rights=rights)
        except (Unreachable, ConnectionLost, psycopg.Error) as error:
            return Checkup(unreachable=str(error).strip() or type(error).__name__)

    async def read(self, sql: str, *, seconds: float, rows_kept: int) -> ReadResult:
        """One guarded read; cancelling stops the query. Raises CallError: `sql_…`, `function_not_allowed`, `timeout`,
        `resource_limit`, `source_unavailable`."""
        return await self.read_bound(sql, (), seconds=seconds, rows_kept=rows_kept)

    async def read_bound(self, sql: str, parameters: Sequence[Json], *, seconds: float, rows_kept: int) -> ReadResult:
        """As `read`, with values for the `$1`, `$2` … of the statement. A read that fails on a name is tried anew when
        the structure turns out to have changed."""
        structure = await self._structure.current()
        try:
            return await self._read(structure, sql, parameters, seconds, rows_kept)
        except _NameUnknown as unknown:
            refreshed = await self._structure.refreshed()
            if refreshed is structure:
                raise unknown.error from unknown.__cause__
        try:
            return await self._read(refreshed, sql, parameters, seconds, rows_kept)
        except _NameUnknown as unknown:
            raise unknown.error from unknown.__cause__

    async def _read(
        self, structure: Structure, sql: str, parameters: Sequence[Json], seconds: float, rows_kept: int
    ) -> ReadResult:
        began = self._clock.monotonic()
        policies = structure.derived(_policies)
        if len(parameters) not in policies:
            policies[len(parameters)] = self._policy(structure, len(parameters))
        policy = policies[len(parameters)]
        try:
            query = validate(sql, policy)
        except CallError as refusal:
            if refusal.code in ("sql_unknown_table", "sql_unknown_column"):
                raise _NameUnknown(refusal) from refusal
            raise
        asked = Asked(sql, parameters, query.tables, policy, seconds)
        read = Read(query.sql, bound_values(parameters), rows_kept, self._limits.cell_chars)
        # In the order of a column that is masked or hidden the first row would tell who has the least of it.
        unsorted = any(_keeps_back(structure.by_id[table]) for table in query.tables)
        found = await self._answer(read, asked, unsorted=unsorted)
        return self._result(structure, query, found, began)

    async def _answer(self, read: Read, asked: Asked, *, unsorted: bool) -> Answer:
        session = replace(self._session, seconds=asked.seconds, unsorted=unsorted)
        try:
            async with self._snapshot(session) as connection:
                # From here on: whoever waited for a connection behind others' queries has not used any time yet.
                deadline = asyncio.get_running_loop().time() + asked.seconds
                return await answer(connection, read, deadline)
        except TimeoutError as error:
            raise failures.too_slow(asked.seconds) from error
        except psycopg.Error as error:
            if failures.names_gone(error):
                raise _NameUnknown(failures.as_call_error(error, asked)) from error
            if failures.right_gone(error):
                raise await self._right_lost(asked) from error
            raise failures.as_call_error(error, asked) from error

    async def _right_lost(self, asked: Asked) -> CallError:
        """Names the tables that the role may not read any more, which a fresh look tells."""
        left = (await self._structure.refreshed()).by_id
        gone = [
            name
            for name in asked.tables
            if name not in left or len(left[name].columns) < len(asked.policy.tables[name])
        ]
        return failures.right_lost(self._source.id, gone)

    def _policy(self, structure: Structure, parameters: int) -> GuardPolicy:
        # Where columns are ruled, a table is read by the columns that are known: a new one may be one to hide.
        ruled = bool(self._source.columns.deny or self._source.columns.mask)
        schemas = self._source.schemas
        return policy_of(structure, self._limits, parameters=parameters, search_path=schemas, by_columns=ruled)

    def _result(self, structure: Structure, query: ValidatedQuery, found: Answer, began: float) -> ReadResult:
        return read_result(
            query.sql,
            found,
            sources=[SourceRef(self._source.id, name, structure.revision) for name in query.tables],
            elapsed_ms=(self._clock.monotonic() - began) * 1000,
            cell_chars=self._limits.cell_chars,
            masked=query.masked,
        )

    async def _fingerprint(self) -> str:
        async with self._look() as connection:
            self._revision = await fingerprint(connection, self._source.schemas)
        return self._revision

    async def _introspect(self) -> Structure:
        async with self._look() as connection:
            if not await fit_to_read(connection):
                raise failures.too_powerful(self._source.id)
            return await self._admitted(connection, self._revision)

    async def _admitted(self, connection: Connection, revision: str) -> Structure:
        source = self._source
        found = await introspect(connection, source.id, source.schemas, revision)

        def restricted() -> Structure:
            shown = admitted(found.structure, source.tables, source.columns, source.schemas)
            return readable_part(shown, found.readable)

        return await asyncio.to_thread(restricted)

    @asynccontextmanager
    async def _look(self) -> AsyncGenerator[Connection]:
        """A snapshot to look at the catalogue. Raises CallError `source_unavailable`."""
        try:
            async with self._snapshot(self._session) as connection:
                yield connection
        except psycopg.Error as error:
            log.warning("source cannot be looked at", source=self._source.id, reason=str(error))
            raise failures.unreachable(self._source.id) from error

    @asynccontextmanager
    async def _snapshot(self, session: Session) -> AsyncGenerator[Connection]:
        try:
            async with self._connections.snapshot(session) as connection:
                yield connection
        except Unreachable as error:
            log.warning("source cannot be reached", source=self._source.id, reason=str(error))
            raise failures.unreachable(self._source.id) from error
        except ConnectionLost as error:
            log.warning("source ended a connection", source=self._source.id, reason=str(error))
            raise failures.broken_off(self._source.id) from error


def _keeps_back(table: CatalogTable) -> bool:
    return table.partial or any(column.masked for column in table.columns)


def _policies(_: Structure) -> dict[int, GuardPolicy]:
    """Where the policies of a structure are kept, by the number of values that come with the SQL."""
    return {}


class _NameUnknown(Exception):
    """A name that guard or engine doesn't know: it may be that the structure changed since it was read."""

    def __init__(self, error: CallError) -> None:
        super().__init__(error.message)
        self.error = error
