"""The one transaction that makes a change: locked, compared, written, compared again, journalled, committed.

READ COMMITTED, so that every statement sees what others have committed: rows are locked before they are compared, and
the table's facts are compared after the UPDATE, whose lock keeps everybody from changing them until the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
import structlog

from runtime.engines.postgresql.connections import Connection, fetch
from runtime.engines.postgresql.updates import drift, statements
from runtime.engines.postgresql.updates.preview import Preview, RowImage, images, run
from runtime.engines.postgresql.updates.statements import Shape
from runtime.engines.postgresql.updates.table_facts import table_facts
from runtime.errors import CallError
from runtime.evidence import Json
from runtime.limits import Limits
from runtime.state import Transaction

_PHANTOMS_NAMED = 4

IDENTITY_NOW = """
-- Which server this is: its system identifier, and its timeline, which is another after a failover.
SELECT (SELECT system_identifier::text FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8)
"""
# What waits for the COMMIT, where no timeout holds and nobody would look at the rows any more, happens at once.
_NOTHING_PUT_OFF = b"SET CONSTRAINTS ALL IMMEDIATE"
_XID = "SELECT pg_current_xact_id()::text"
# What texts and names are read and written in; triggers get the role's own settings back while they run.
_TEXT_SETTINGS = {
    "search_path": "pg_catalog, pg_temp",
    "timezone": "'UTC'",
    "datestyle": "'ISO, YMD'",
    "intervalstyle": "'iso_8601'",
    "bytea_output": "'hex'",
}
_OURS = "; ".join(f"SET LOCAL {name} = {value}" for name, value in _TEXT_SETTINGS.items())
_THE_ROLES = "; ".join(f"SET LOCAL {name} TO DEFAULT" for name in _TEXT_SETTINGS)

_NO_RIGHT = "42501"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Writing:
    """What the transaction is set to. An acknowledged COMMIT is on the server's disk whatever the role is used to."""

    limits: Limits

    def begin(self) -> str:
        milliseconds = self.limits.update_seconds * 1000
        settings = {
            "statement_timeout": milliseconds,
            "lock_timeout": self.limits.update_lock_ms,
            "idle_in_transaction_session_timeout": milliseconds,
            "synchronous_commit": "on",
            "standard_conforming_strings": "on",
            "extra_float_digits": 1,
        }
        sets = "".join(f"; SET LOCAL {name} = {value}" for name, value in settings.items())
        return f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE{sets}; {_OURS}"


@dataclass(frozen=True, slots=True)
class Marking:
    """A transaction whose COMMIT brings everything that was logged before it to the server's disk, too.

    Without it a server that crashes may forget an id that never committed and give it to somebody else, whose COMMIT
    would then be taken for ours."""

    limits: Limits

    def begin(self) -> str:
        milliseconds = self.limits.update_seconds * 1000
        return f"BEGIN; SET LOCAL statement_timeout = {milliseconds}; SET LOCAL synchronous_commit = on"


async def mark(connection: Connection) -> None:
    """Logs a mark of nothing, and commits it. Raises psycopg.Error."""
    await connection.execute(b"SELECT pg_catalog.pg_logical_emit_message(true, 'footnote', '')")
    await connection.execute(b"COMMIT")


@dataclass(frozen=True, slots=True)
class Written:
    """A change that is written and not committed: what stands in its rows now, and in which transaction."""

    transaction: Transaction
    images: dict[str, Json]


async def write(connection: Connection, seen: Preview) -> Written:
    """Makes exactly the change that was previewed, inside the open transaction. Raises CallError `state_changed`,
    `update_refused` (the database did other than it said), psycopg.Error."""
    shape = seen.shape
    keys = [row.key for row in seen.rows]
    await _same_table(connection, seen)
    locked = images(shape, await run(connection, statements.by_keys(shape, keys, locked=True)))
    closed = await _closed_cells(connection, seen)
    if what := drift.of_rows(seen, locked):
        raise drift.state_changed(what)
    if seen.change.restore is None:
        more = await run(connection, statements.others(shape, seen.change.conditions, keys, _PHANTOMS_NAMED))
        if more:
            raise drift.state_changed(drift.of_phantoms(seen, [tuple(map(str, key)) for key in more]))
    await _update(connection, seen)
    await _same_table(connection, seen)
    after = images(shape, await run(connection, statements.by_keys(shape, keys, locked=False)))
    _as_previewed(seen, after)
    _closed_as_before(seen, closed, await _closed_cells(connection, seen))
    ((system, timeline),) = await fetch(connection, IDENTITY_NOW)
    ((xid,),) = await fetch(connection, _XID)
    await connection.execute(_THE_ROLES.encode())  # for what a trigger may have put off to the COMMIT
    return Written(Transaction(xid, system, timeline), _kept(seen, after))


async def _same_table(connection: Connection, seen: Preview) -> None:
    """Asked once before the rows are looked at, to say the right thing, and once behind the lock of the UPDATE."""
    now = await table_facts(connection, str(seen.facts.document["schema"]), str(seen.facts.document["name"]))
    if now is None or now.digest != seen.facts.digest:
        raise drift.state_changed([drift.schema_words(seen)])


async def _update(connection: Connection, seen: Preview) -> None:
    statement = statements.updating(seen.shape, seen.change.columns, [(row.key, row.after) for row in seen.rows])
    await connection.execute(_THE_ROLES.encode())
    cursor = await connection.execute(statement.sql.encode(), statement.values)
    await connection.execute(_NOTHING_PUT_OFF)
    await connection.execute(_OURS.encode())
    if cursor.rowcount != len(seen.rows):
        raise CallError(
            "update_refused",
            f"The database changed {max(cursor.rowcount, 0):,} of {len(seen.rows):,} rows, so it was undone.",
            hint="Nothing was written. A trigger or a policy keeps rows back; an operator can look.",
        )


def _as_previewed(seen: Preview, after: Sequence[RowImage]) -> None:
    """Raises CallError when anything but what was shown, and what is declared to change with it, is different."""
    found = {row.key: row.cells for row in after}
    assigned = seen.change.columns
    odd = set[str]()
    for row in seen.rows:
        cells = found.get(row.key)
        if cells is None:
            raise CallError(
                "update_refused", "A row was gone after the change, so it was undone.", hint="Tell an operator."
            )
        for name, old, new in zip(seen.readable, row.cells, cells, strict=True):
            expected = row.after[assigned.index(name)] if name in assigned else old
            if new != expected and name not in seen.may_change:
                odd.add(name)
    if odd:
        raise CallError(
            "update_refused",
            f"The database's own triggers changed {', '.join(sorted(odd))} as well, so it was undone.",
            hint="Nothing was written. An operator can declare such columns as `trigger_columns` of the table.",
        )


async def _closed_cells(connection: Connection, seen: Preview) -> list[RowImage]:
    """The rows' digests over what is not open here and what a trigger might write."""
    if not seen.closed:
        return []
    statement = statements.by_keys(
        Shape(seen.facts, seen.closed, digested=True), [r.key for r in seen.rows], locked=False
    )
    return images(seen.shape, await run(connection, statement))


def _closed_as_before(seen: Preview, before: Sequence[RowImage], after: Sequence[RowImage]) -> None:
    """Raises CallError when a trigger wrote a column that nobody here was shown. Its name is for operators alone."""
    odd = {
        name
        for old, new in zip(before, after, strict=True)
        for name, was, now in zip(seen.closed, old.cells, new.cells, strict=True)
        if was != now
    }
    if odd:
        log.warning("a trigger changed columns that are not open", table=seen.change.table, columns=sorted(odd))
        raise CallError(
            "update_refused",
            "The database's own triggers changed a column that is not open here as well, so it was undone.",
            hint="Nothing was written. An operator finds its name in the log, and can declare it in `trigger_columns`.",
        )


def _kept(seen: Preview, after: Sequence[RowImage]) -> dict[str, Json]:
    """What the receipt holds: of each row its key, its new version, and what changed, before and after."""
    now = {row.key: row for row in after}
    extra = [name for name in seen.readable if name in seen.may_change and name not in seen.change.columns]
    columns = [*seen.change.columns, *extra]
    places = [seen.readable.index(name) for name in columns]
    rows = list[Json]()
    for row in seen.rows:
        then = now[row.key]
        rows.append([list(row.key), then.xmin, [row.cells[at] for at in places], [then.cells[at] for at in places]])
    keys = list(seen.facts.primary_key)
    types: dict[str, Json] = {name: seen.facts.columns[name].base for name in (*keys, *columns)}
    return {
        "keys": list[Json](keys),
        "columns": list[Json](columns),
        "set": list[Json](seen.change.columns),
        "types": types,
        "rows": rows,
    }


def refused_by_database(error: psycopg.Error) -> CallError:
    """What the database said to a change that it rolled back. Its text may quote rows: only its kind is told."""
    state = error.sqlstate or ""
    if state == "55P03":
        return CallError(
            "target_busy",
            "Somebody else is changing these rows: they stayed locked.",
            hint="Nothing was written. Try again in a moment.",
            retryable=True,
        )
    if state.startswith("40"):
        return drift.state_changed(["somebody else changed the rows at the same moment"])
    if state == "57014":
        return CallError("timeout", "The change took too long and was undone.", hint="Change fewer rows at once.")
    # What it says of a right names an object and quotes no row.
    missing = error.diag.message_primary if state == _NO_RIGHT else None
    log.warning(
        "a change was refused by the database",
        sqlstate=state,
        constraint=error.diag.constraint_name,
        missing=missing,
    )
    rule = f" ({error.diag.constraint_name})" if error.diag.constraint_name else ""
    told = {
        "22": "A value does not fit its column",
        "23": f"A constraint of the database forbids it{rule}",
        "42883": "A column's type can't be compared as a condition asks",
        _NO_RIGHT: "The role of the updates has no right to something that this change does, or a policy of rows "
        "forbids it",
    }
    what = told.get(state) or told.get(state[:2]) or "The database refused the change"
    hint = "Nothing was written." + (" An operator finds in the log what is missing." if state == _NO_RIGHT else "")
    return CallError("update_refused", f"{what}.", hint=hint)
