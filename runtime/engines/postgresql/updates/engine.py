"""The update engine of one PostgreSQL source: previews, and changes carried out at most once across crashes."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import psycopg
import structlog
from psycopg.conninfo import conninfo_to_dict

from runtime.admission.manifest import PostgresqlSource, environment_value
from runtime.catalog import CatalogTable, Structure
from runtime.clock import Clock
from runtime.engines.postgresql import failures
from runtime.engines.postgresql.connections import (
    Connection,
    ConnectionLost,
    Connections,
    Opening,
    Session,
    Unreachable,
)
from runtime.engines.postgresql.updates import drift, showing
from runtime.engines.postgresql.updates.execution import Marking, Writing, mark, refused_by_database, write
from runtime.engines.postgresql.updates.judging import rule_for
from runtime.engines.postgresql.updates.preview import Preview, fit_for, take
from runtime.engines.postgresql.updates.resolution import LOOK_S, fate_now, fate_of
from runtime.engines.postgresql.updates.seen import SeenPreviews
from runtime.engines.postgresql.values import adapters
from runtime.engines.update_port import Assignment, Change, ChangeCall, Receipt, ShownChange, Terms
from runtime.errors import CallError, ConfigurationError
from runtime.limits import Limits
from runtime.state import Begun, CalledBefore, Effect, Effects
from runtime.state.effects import Ending

_CONNECTIONS = 2
_PREVIEWS_KEPT = 8  # of the largest; of smaller ones many more
NOT_APPLIED = "It was stopped while running: nothing was applied."
NOT_TOLD = "The database could not tell whether it was applied."

log = structlog.get_logger(__name__)


class PostgresqlUpdates:
    """Implements UpdateEngine over a connection and a role of its own. `structure` is the admitted part of the source,
    as its reads see it. Belongs to the event loop that uses it first."""

    def __init__(
        self,
        source: PostgresqlSource,
        connections: Connections,
        marks: Connections,
        structure: Callable[[], Awaitable[Structure]],
        journal: Effects,
        limits: Limits,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._source = source
        self._connections = connections
        # Beside a transaction that is open: never out of the same few places, where two might wait for each other.
        self._marks = marks
        self._structure = structure
        self._journal = journal
        self._limits = limits
        self._clock = clock
        self._sleep = sleep
        self._seen = SeenPreviews(_PREVIEWS_KEPT * limits.update_image_bytes)

    @classmethod
    def open(
        cls,
        source: PostgresqlSource,
        structure: Callable[[], Awaitable[Structure]],
        journal: Effects,
        limits: Limits,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> PostgresqlUpdates:
        """Connects nowhere yet. Raises ConfigurationError for an address that is none."""
        address = environment_value(source.updates_url or "") or ""
        try:
            if not conninfo_to_dict(address):
                raise psycopg.ProgrammingError("empty")
        except psycopg.Error as error:
            raise ConfigurationError(
                f"sources.{source.id}: {source.updates_url} holds no address of a database."
            ) from error
        connections, marks = (Connections(address, adapters(), _CONNECTIONS) for _ in range(2))
        return cls(source, connections, marks, structure, journal, limits, clock, sleep)

    async def preview(self, change: Change, terms: Terms) -> ShownChange:
        """What exactly would happen now."""
        return showing.shown(await self._take(change, terms))

    async def previewed(self, change: Change, terms: Terms, fingerprint: str) -> ShownChange:
        """The same once more; drift is said in words where this process took the first preview."""
        return showing.shown(await self._still(change, terms, fingerprint))

    async def perform(self, change: Change, terms: Terms, fingerprint: str, call: ChangeCall) -> Receipt:
        """One transaction, journalled before its COMMIT."""
        seen = self._seen.get(fingerprint) or await self._still(change, terms, fingerprint)
        if seen.change != change or replace(seen.terms, shows_values=True) != replace(terms, shows_values=True):
            raise _other_preview()
        effect = _effect(seen, call)
        await self._claim(effect)
        try:
            await self._commit(effect, seen)
        except CallError as error:
            await self._end(effect.id, "failed", error.message)
            raise
        except (Unreachable, ConnectionLost, psycopg.Error) as error:
            return await self._after(effect.id, error)
        await self._end(effect.id, "done")
        return await self._receipt(effect.id)

    async def resolve(self, effect: Effect) -> Effect:
        """A change that is still `begun` is ended for good, so that whoever began it can't go on; one that is
        `executing` is asked for."""
        now = effect
        if now.state == "begun" and not await self._journal.finish(now, "failed", NOT_APPLIED):
            now = await self._standing(now.id)  # it went on, or somebody else ended it
        if now.state == "executing":
            await self._finish(now, await fate_of(self._connections, now, self._limits, self._clock, self._sleep))
        return await self._standing(effect.id)

    async def fit(self, table: str) -> tuple[str, ...]:
        """Whether every column that the manifest opens of a table can be changed; what people will be warned of.
        Raises CallError with the first reason why not."""
        rule = next(each for each in self._source.updates if each.table == table)
        change = Change(self._source.id, table, tuple(Assignment(name, None) for name in rule.columns))
        shown = await self._table(change)
        async with self._transaction(Session(float(self._limits.update_seconds))) as connection:
            return await fit_for(connection, change, rule, shown)

    def receipt(self, effect: Effect) -> Receipt:
        """The receipt of a change that is done."""
        return showing.receipt_of(effect)

    def undoing(self, effect: Effect) -> Change:
        """The change that takes a done one back."""
        return showing.undoing(effect)

    # -- previews --------------------------------------------------------------------------------------------------

    async def _take(self, change: Change, terms: Terms) -> Preview:
        rule = rule_for(change, self._source.updates)
        table = await self._table(change)
        async with self._transaction(Session(float(self._limits.update_seconds))) as connection:
            made = await take(connection, change, rule, table, terms, self._limits)
        self._seen.keep(made)
        return made

    async def _still(self, change: Change, terms: Terms, fingerprint: str) -> Preview:
        before = self._seen.get(fingerprint)
        if before is not None and before.change != change:
            raise _other_preview()
        try:
            now = await self._take(change, terms)
        except CallError as error:
            if before is not None and error.code in ("update_refused", "too_many_rows"):
                raise drift.refused_since(error) from error
            raise
        if now.fingerprint != fingerprint:
            raise drift.between(before, now) if before else drift.state_changed(())
        return now

    async def _table(self, change: Change) -> CatalogTable:
        found = (await self._structure()).by_id.get(change.table)
        if found is None:
            raise CallError("update_refused", f"{change.table!r} is not open here.", hint="Tell an operator.")
        return found

    @asynccontextmanager
    async def _connected(self, opening: Opening) -> AsyncGenerator[Connection]:
        """A transaction on a connection of its own: changes are rare, and nothing stays open between them."""
        try:
            async with self._connections.snapshot(opening) as connection:
                yield connection
        finally:
            await self._connections.close()

    @asynccontextmanager
    async def _transaction(self, opening: Opening) -> AsyncGenerator[Connection]:
        """A transaction whose faults are typed. Raises CallError."""
        try:
            async with self._connected(opening) as connection:
                yield connection
        except Unreachable as error:
            log.warning("source cannot be reached for updates", source=self._source.id, reason=str(error))
            raise failures.unreachable(self._source.id) from error
        except ConnectionLost as error:
            log.warning("source ended a connection for updates", source=self._source.id, reason=str(error))
            raise failures.broken_off(self._source.id) from error
        except psycopg.Error as error:
            raise refused_by_database(error) from error

    # -- carrying out ----------------------------------------------------------------------------------------------

    async def _claim(self, effect: Effect) -> None:
        """Takes the target for this call, waiting a while for one that another call holds. Raises CallError."""
        for _ in range(round(self._limits.update_wait_seconds / LOOK_S)):
            match await self._journal.begin(effect):
                case Begun():
                    return
                case CalledBefore():
                    # Uncertain on purpose: the boundary asks `resolve` what became of the first time.
                    raise CallError("internal_error", "This very call was begun before; it is not run again.")
                case taken:
                    await self._end_if_over(taken.effect)
            await self._sleep(LOOK_S)
        raise CallError(
            "target_busy",
            f"Another change of {effect.target} has not ended yet.",
            hint="Nothing was run. Try again in a moment.",
            retryable=True,
        )

    async def _end_if_over(self, other: Effect) -> None:
        """Writes the end of a change whose own process no longer can."""
        if other.state == "executing":
            found = await fate_now(self._connections, other, self._limits)
            if found is not None:
                await self._finish(other, found)
        elif self.given_up(other):
            await self._journal.finish(other, "failed", NOT_APPLIED)

    def given_up(self, effect: Effect) -> bool:
        """Older than any transaction of ours can get."""
        age = timedelta(seconds=8 * self._limits.update_seconds)
        return effect.began_at is not None and self._clock.now() - effect.began_at > age

    async def _commit(self, effect: Effect, seen: Preview) -> None:
        async with self._connected(Writing(self._limits)) as connection:
            try:
                written = await write(connection, seen)
                await self._mark()
            except psycopg.Error as error:
                if connection.closed or connection.broken:
                    raise
                raise refused_by_database(error) from error
            if not await self._journal.execute(effect.id, written.transaction, written.images):
                raise CallError("not_approved", "It was given up before its COMMIT: nothing was applied.")
            cursor = await connection.execute(b"COMMIT")
            if cursor.statusmessage != "COMMIT":
                raise CallError(
                    "update_refused", "The database undid the change at its end.", hint="Nothing was written."
                )

    async def _mark(self) -> None:
        """Makes sure that the transaction's id outlives a crash of the server. Raises psycopg.Error."""
        try:
            async with self._marks.snapshot(Marking(self._limits)) as connection:
                await mark(connection)
        finally:
            await self._marks.close()

    async def _after(self, effect_id: str, error: Exception) -> Receipt:
        """The connection ended, or the database refused the COMMIT: what stands is asked for."""
        log.warning("a change broke off", source=self._source.id, effect=effect_id, reason=str(error))
        found = await self.resolve(await self._standing(effect_id))
        if found.state == "done":
            return showing.receipt_of(found)
        if found.state == "unknown":
            raise CallError("outcome_unknown", found.reason, hint="Say so; do not run it again.") from error
        if isinstance(error, psycopg.Error):
            raise refused_by_database(error) from error
        raise failures.broken_off(self._source.id) from error

    async def _end(self, effect_id: str, state: Ending, reason: str = "") -> None:
        await self._journal.finish(await self._standing(effect_id), state, reason)

    async def _finish(self, effect: Effect, fate: str) -> None:
        endings: dict[str, tuple[Ending, str]] = {
            "committed": ("done", ""),
            "aborted": ("failed", NOT_APPLIED),
            "unknown": ("unknown", NOT_TOLD),
        }
        await self._journal.finish(effect, *endings[fate])

    async def _standing(self, effect_id: str) -> Effect:
        found = await self._journal.get(effect_id)
        if found is None:
            raise LookupError(f"no such change: {effect_id}")
        return found

    async def _receipt(self, effect_id: str) -> Receipt:
        return showing.receipt_of(await self._standing(effect_id))


def _effect(seen: Preview, call: ChangeCall) -> Effect:
    change, terms = seen.change, seen.terms
    parts = [call.run_id, call.call_id, call.tool, change.as_json(), seen.fingerprint, terms.policy_revision]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return Effect(
        id=f"R{digest[:16]}",
        digest=f"sha256:{digest}",
        run_id=call.run_id,
        call_id=call.call_id,
        conversation=call.conversation,
        requester=terms.requester,
        tool=call.tool,
        source=change.source,
        target=change.target,
        request={**change.as_json(), "row_count": len(seen.rows), "warnings": list(seen.warnings)},
    )


def _other_preview() -> CallError:
    return CallError(
        "state_changed",
        "The fingerprint belongs to a preview of another change.",
        hint="Nothing was run. Preview exactly this change and use its fingerprint.",
        retryable=True,
    )
