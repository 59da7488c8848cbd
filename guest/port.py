"""The guest as the runtime sees it: what goes in, what comes out, what may go wrong."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from guest.limits import GuestLimits

Json: TypeAlias = Any
Status: TypeAlias = Literal[
    "ok",
    "error",
    "fuel",
    "timeout",
    "stack",
    "trap",
    "output",
    "sql_flood",
    "source_too_large",
    "cancelled",
    "memory",
]
# (query, source or None) -> columns, rows. Cells may also be Decimal, date, time, datetime, timedelta, UUID, bytes.
# Raises GuestSqlError for what the program sees as an exception; anything else ends the run and reaches the caller.
SqlFunction: TypeAlias = Callable[[str, str | None], Awaitable[tuple[Sequence[str], Sequence[Sequence[Json]]]]]


class GuestUnavailable(Exception):
    """The guest can't be trusted or isn't there; the message says how to build it."""


class GuestSqlError(Exception):
    """A query failed in a way the program may handle; its text is shown to the program."""


@dataclass(frozen=True)
class GuestResult:
    """How one run ended.

    `stdout` and `error` (traceback text or the reason) are cut at the limits; `truncated` says that stdout was.
    `table` is what table(columns, rows) published: at most 1,000 rows and 256 KiB as JSON. `fuel_used` is exact and
    repeatable; `elapsed_ms` is the guest's time without SQL. `memory_bytes` is the most memory that the guest had, its
    interpreter included; None when it was ended from outside, since only the guest can tell. Only status "ok" means
    that the program finished.
    """

    status: Status
    stdout: str = ""
    error: str = ""
    truncated: bool = False
    table: tuple[list[str], list[list[Json]]] | None = field(default=None)
    sql_calls: int = 0
    sql_rows: int = 0
    sql_bytes: int = 0
    fuel_used: int = 0
    elapsed_ms: float = 0.0
    memory_bytes: int | None = None


class Guest(Protocol):
    """A host of sealed runs. Each run starts from the same snapshot; nothing is carried over."""

    async def start(self) -> None:
        """Load and check the artifact, compile it once if needed; raises GuestUnavailable."""
        ...

    async def run(
        self, source: str, sql: SqlFunction, *, now: str, seed: int, limits: GuestLimits | None = None
    ) -> GuestResult:
        """Run a program; `now` is ISO 8601. Starts the host if needed. Cancelling it stops the program in 100 ms.

        Raises GuestUnavailable, and whatever `sql` raises besides GuestSqlError.
        """
        ...

    async def close(self) -> None:
        """Stop running programs (status "cancelled") and free everything."""
        ...
