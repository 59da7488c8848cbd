"""What a SQLite worker is asked, as plain frozen data on both sides of the pipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.engines.worker import Answer
from runtime.evidence import Json


@dataclass(frozen=True, slots=True)
class DatabaseFile:
    """The file that a job is about."""

    path: Path

    def as_json(self) -> dict[str, Any]:
        return {"path": str(self.path)}


@dataclass(frozen=True, slots=True)
class Query:
    """One read. `admitted` are the tables that it may touch, with their columns; `fingerprint` is the one under which
    it was validated, so that it never runs on another structure. `seconds` bounds the engine, `rows` what is kept,
    `cell_chars` one cell."""

    sql: str
    seconds: float
    rows: int
    cell_chars: int
    admitted: Mapping[str, Sequence[str]]
    fingerprint: str
    parameters: tuple[Json, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": "query",
            "sql": self.sql,
            "seconds": self.seconds,
            "rows": self.rows,
            "cell_chars": self.cell_chars,
            "admitted": {name: list(columns) for name, columns in self.admitted.items()},
            "fingerprint": self.fingerprint,
            "parameters": list(self.parameters),
        }

    def result(self, body: Mapping[str, Any]) -> Answer:
        return Answer.from_json(body)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Asks which file is open and at which version its schema stands."""

    seconds: float

    def as_json(self) -> dict[str, Any]:
        return {"kind": "fingerprint", "seconds": self.seconds}

    def result(self, body: Mapping[str, Any]) -> str:
        return str(body["fingerprint"])


@dataclass(frozen=True, slots=True)
class Introspect:
    """Asks for everything that the file's schema says: `{fingerprint, tables, broken}`, see `introspection.tables`."""

    seconds: float

    def as_json(self) -> dict[str, Any]:
        return {"kind": "introspect", "seconds": self.seconds}

    def result(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        return body
