"""The engine port: what every source can do for a read, whatever answers it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from runtime.catalog import Structure
from runtime.evidence import Column, Json, SourceRef, Truncation


@dataclass(frozen=True, slots=True)
class ReadResult:
    """One bounded read. `sql` is what really ran; `rows` are at most the rows kept; `row_count` is the true count, or
    the number of rows seen when `truncated.total` is None. `masked` are the columns whose cells people see and the
    model does not; their names are compared as the guard folds them. `named_by_rows`: columns are named by values of
    rows."""

    sql: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Json, ...], ...]
    row_count: int
    elapsed_ms: float
    truncated: Truncation | None = None
    sources: tuple[SourceRef, ...] = ()
    notes: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    named_by_rows: bool = False


class ReadEngine(Protocol):
    """A source that answers one guarded read. Cancelling the task stops the query."""

    @property
    def dialect(self) -> str:
        """The SQL dialect in sqlglot's words: duckdb, postgres or sqlite."""
        ...

    async def read(self, sql: str, *, seconds: float, rows_kept: int) -> ReadResult:
        """Runs one read. Raises CallError with a code of the `sql_…` family, `timeout` or `resource_limit`."""
        ...


class DatabaseEngine(ReadEngine, Protocol):
    """A source with a catalogue of its own. Everything it shows and reads is the admitted part only."""

    async def structure(self) -> Structure:
        """The admitted structure as it is now: cached while the engine's cheap fingerprint stays the same. Raises
        CallError `source_unavailable`."""
        ...

    async def read_bound(self, sql: str, parameters: Sequence[Json], *, seconds: float, rows_kept: int) -> ReadResult:
        """As `read`, with values bound to the statement's placeholders (`?` in SQLite, `$1` in PostgreSQL)."""
        ...

    async def close(self) -> None:
        """Ends connections and processes."""
        ...


@dataclass(frozen=True, slots=True)
class ReadEngines:
    """The engines of this process by the id of their source: what a read may choose from. `databases` are those of
    them that have a catalogue of their own."""

    by_source: Mapping[str, ReadEngine]
    databases: Mapping[str, DatabaseEngine] = field(default_factory=dict[str, DatabaseEngine])
