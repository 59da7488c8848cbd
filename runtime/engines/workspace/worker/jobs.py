"""What the workspace's workers are asked, as plain frozen data on both sides of the pipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from runtime.engines.worker import Answer
from runtime.evidence import Json


@dataclass(frozen=True, slots=True)
class Database:
    """A read-only cache database and exactly the Parquet files that its views may open."""

    path: Path
    parquet: tuple[Path, ...]
    revision: str

    def as_json(self) -> dict[str, Any]:
        return {"path": str(self.path), "parquet": [str(path) for path in self.parquet]}


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

    def result(self, body: Mapping[str, Any]) -> Answer:
        return Answer.from_json(body)

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Job:
        values = dict(body)
        values["admitted"] = None if values["admitted"] is None else tuple(values["admitted"])
        values["parameters"] = tuple(values["parameters"])
        values["view"] = None if values["view"] is None else tuple(values["view"])
        return cls(**values)
