"""What a query worker is asked and what it answers, as plain frozen data on both sides of the pipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from runtime.evidence import Column, Json
from runtime.limits import Limits


@dataclass(frozen=True, slots=True)
class Database:
    """A read-only cache database and exactly the Parquet files that its views may open."""

    path: Path
    parquet: tuple[Path, ...]
    revision: str


@dataclass(frozen=True, slots=True)
class Job:
    """One read. `admitted` are the tables that checked SQL may touch; None marks our own fixed SQL, which is not
    checked. `view` is a view that exists for this job only: its name, a declaration that the check binds against
    (it cannot bind a list of files), and the definition that runs. `seconds` bounds the engine, `rows` what is kept,
    `cell_chars` one cell."""

    sql: str
    seconds: float
    rows: int
    cell_chars: int
    admitted: tuple[str, ...] | None
    parameters: tuple[Json, ...] = ()
    view: tuple[str, str, str] | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Job:
        values = dict(body)
        values["admitted"] = None if values["admitted"] is None else tuple(values["admitted"])
        values["parameters"] = tuple(values["parameters"])
        values["view"] = None if values["view"] is None else tuple(values["view"])
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of a job. `more` says that rows were left out; `total` is then the true count, or None when counting
    did not end in time. `cut_cells` is how many cells were longer than the bound."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Json, ...], ...]
    more: bool
    total: int | None
    cut_cells: int

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Answer:
        return cls(
            columns=tuple(Column(name, kind) for name, kind in body["columns"]),
            rows=tuple(tuple(row) for row in body["rows"]),
            more=body["more"],
            total=body["total"],
            cut_cells=body["cut_cells"],
        )


class EngineFailure(Exception):
    """The engine refused or failed a job and the worker is fine. `kind` is one of `timeout`, `memory`, `refused` (by
    the second opinion; `details` hold the typed error), or DuckDB's own word: `parser`, `binder`, `catalog`,
    `permission`, `io`, `conversion` …"""

    def __init__(self, kind: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.details: Mapping[str, Any] = details or {}


class WorkerLost(Exception):
    """The worker died, overran its deadline or broke the protocol; it was killed and is being replaced."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The envelope of a worker: sizes in bytes, `grace_s` in seconds past a job's own bound before the kill."""

    memory_bytes: int
    address_space_bytes: int
    temp_bytes: int
    grace_s: float
    open_files: int = 4_096

    @classmethod
    def of(cls, limits: Limits) -> WorkerSettings:
        return cls(
            memory_bytes=limits.worker_memory_bytes,
            address_space_bytes=limits.worker_address_space_bytes,
            temp_bytes=limits.worker_temp_bytes,
            grace_s=limits.worker_kill_grace_s,
        )
