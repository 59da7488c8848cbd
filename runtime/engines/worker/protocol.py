"""What any worker is asked and what it answers, whichever engine lives in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from runtime.evidence import Column, Json
from runtime.limits import Limits

T_co = TypeVar("T_co", covariant=True)


class Opening(Protocol):
    """The database that a job is about. A worker opens it when it is not equal to the last one."""

    def as_json(self) -> dict[str, Any]:
        """What the child needs to open it."""
        ...


class Work(Protocol[T_co]):
    """One job. `seconds` bounds the engine; the parent kills the worker a grace later."""

    @property
    def seconds(self) -> float: ...

    def as_json(self) -> dict[str, Any]:
        """The job as the child reads it."""
        ...

    def result(self, body: Mapping[str, Any]) -> T_co:
        """The child's answer as the caller reads it. Raises KeyError, TypeError or ValueError when it is none."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of a read. `more` says that rows were left out; `total` is then the true count, or None when counting
    did not end in time. `cut_cells` is how many cells were longer than the bound, `notes` what else is to be said."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Json, ...], ...]
    more: bool
    total: int | None
    cut_cells: int
    notes: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Answer:
        return cls(
            columns=tuple(Column(name, kind) for name, kind in body["columns"]),
            rows=tuple(tuple(row) for row in body["rows"]),
            more=body["more"],
            total=body["total"],
            cut_cells=body["cut_cells"],
            notes=tuple(body.get("notes", ())),
        )


class EngineFailure(Exception):
    """The engine refused or failed a job and the worker is fine. `kind` is one of `timeout`, `memory`, `refused` (by
    a second opinion; `details` hold the typed error), or a word of the engine's own."""

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
