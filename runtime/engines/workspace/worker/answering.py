"""Turns a request frame into a reply frame inside the worker; engine errors become typed ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from runtime.engines.worker.serving import failed
from runtime.engines.workspace.worker.execution import run
from runtime.engines.workspace.worker.jobs import Job
from runtime.engines.workspace.worker.session import Session
from runtime.errors import CallError


class Answering:
    """The state of a worker between requests: its session."""

    def __init__(self, *, memory_bytes: int, temp_bytes: int, temp_folder: Path) -> None:
        self._session = Session(memory_bytes=memory_bytes, temp_bytes=temp_bytes, temp_folder=temp_folder)

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request, whatever DuckDB says to it."""
        try:
            answer = self._answer(request)
        except CallError as error:
            return failed(request, "refused", error.message, error.as_json())
        except duckdb.Error as error:
            return failed(request, engine_kind(error), str(error))
        except MemoryError:
            return failed(request, "memory", "the result does not fit the worker's memory")
        return {"id": request["id"], "answer": answer}

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if "open" in request:
            self._session.open(**request["open"])
            return {}
        with self._session.connection() as con:
            return run(con, Job.from_json(request["job"]))


def engine_kind(error: duckdb.Error) -> str:
    """The short word for a DuckDB error: `timeout`, `memory`, or its class (`BinderException` → `binder`)."""
    if isinstance(error, duckdb.InterruptException):
        return "timeout"
    if isinstance(error, duckdb.OutOfMemoryException):
        return "memory"
    return type(error).__name__.removesuffix("Exception").casefold()
