"""What became of a change whose process died, or whose COMMIT got no answer: asked of the target, never guessed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

import psycopg

from runtime.clock import Clock
from runtime.engines.postgresql.connections import Connection, ConnectionLost, Connections, Session, Unreachable, fetch
from runtime.engines.postgresql.updates.execution import IDENTITY_NOW
from runtime.limits import Limits
from runtime.state import Effect, Transaction

Fate = Literal["committed", "aborted", "unknown"]

LOOK_S = 0.25
"""Between two looks at a transaction that is still open, or at a server that is away."""

_STATUS = "SELECT pg_xact_status($1::text::xid8)"
_NO_SUCH_TRANSACTION = ("22023",)
"""An id that lies in the server's future: another server, or one restored from a backup."""


async def fate_of(
    connections: Connections,
    effect: Effect,
    limits: Limits,
    clock: Clock,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Fate:
    """Asks until the target knows, at most for as long as the server lets an idle transaction live and that long
    again. A restored server, another one, or one that forgot so old a transaction is `unknown`."""
    until = clock.monotonic() + 2 * limits.update_seconds
    while (found := await fate_now(connections, effect, limits)) is None:
        if clock.monotonic() >= until:
            return "unknown"
        await sleep(LOOK_S)
    return found


async def fate_now(connections: Connections, effect: Effect, limits: Limits) -> Fate | None:
    """One look; None while the transaction is open or the server cannot be asked."""
    if effect.transaction is None:
        raise AssertionError("a change without a transaction was never near its COMMIT")
    try:
        async with connections.snapshot(Session(float(limits.update_seconds))) as connection:
            return await _status(connection, effect.transaction)
    except (Unreachable, ConnectionLost):
        return None
    except psycopg.Error as error:
        return "unknown" if error.sqlstate in _NO_SUCH_TRANSACTION else None
    finally:
        await connections.close()


async def _status(connection: Connection, transaction: Transaction) -> Fate | None:
    ((system, timeline),) = await fetch(connection, IDENTITY_NOW)
    if (system, timeline) != (transaction.system, transaction.timeline):
        # After a failover the same id may have been given to somebody else.
        return "unknown"
    ((status,),) = await fetch(connection, _STATUS, (transaction.xid,))
    known: dict[str | None, Fate | None] = {
        "committed": "committed",
        "aborted": "aborted",
        "in progress": None,
        None: "unknown",
    }
    return known[status]
