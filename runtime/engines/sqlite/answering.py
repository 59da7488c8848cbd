"""Turns a request frame into a reply frame inside a SQLite worker; engine errors become typed ones."""

from __future__ import annotations

import sqlite3
import time
from typing import Any

from runtime.engines.sqlite.execution import StructureChanged, reading, run
from runtime.engines.sqlite.introspection import tables
from runtime.engines.sqlite.session import Session
from runtime.engines.worker.serving import failed

# SQLite's result code, or what it begins with -> the short word that the parent knows.
_KINDS = (
    ("SQLITE_INTERRUPT", "timeout"),
    ("SQLITE_NOMEM", "memory"),
    ("SQLITE_FULL", "memory"),
    ("SQLITE_IOERR_WRITE", "memory"),
    ("SQLITE_IOERR_NOMEM", "memory"),
    ("SQLITE_AUTH", "permission"),
    ("SQLITE_TOOBIG", "too_big"),
    ("SQLITE_BUSY", "busy"),
    ("SQLITE_LOCKED", "busy"),
    ("SQLITE_CANTOPEN", "unreadable"),
    ("SQLITE_READONLY", "unreadable"),
    ("SQLITE_IOERR", "unreadable"),
    ("SQLITE_PERM", "unreadable"),
    ("SQLITE_PROTOCOL", "busy"),
    ("SQLITE_NOTADB", "no_database"),
    ("SQLITE_CORRUPT", "damaged"),
    ("SQLITE_SCHEMA", "changed"),
)


class Answering:
    """The state of a worker between requests: its session."""

    def __init__(self, *, memory_bytes: int) -> None:
        self._session = Session(memory_bytes=memory_bytes)

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request, whatever SQLite says to it."""
        try:
            return {"id": request["id"], "answer": self._answer(request)}
        except StructureChanged:
            return failed(request, "changed", "the schema is not the one that was validated")
        except OSError as error:
            return failed(request, "unreadable", error.strerror or type(error).__name__)
        except sqlite3.Error as error:
            return failed(request, _kind(error), str(error))
        except OverflowError:
            return failed(request, "error", "a parameter is too large an integer")
        except MemoryError:
            return failed(request, "memory", "the result does not fit the worker's memory")

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if "open" in request:
            self._session.open(**request["open"])
            return {}
        job = request["job"]
        if job["kind"] == "query":
            return run(self._session, job)
        with reading(self._session, time.monotonic() + job["seconds"]) as connection:
            fingerprint = self._session.fingerprint(connection)
            if job["kind"] == "fingerprint":
                return {"fingerprint": fingerprint}
            found, broken = tables(connection)
            return {"fingerprint": fingerprint, "tables": found, "broken": broken}


def _kind(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", None) or ""
    return next((kind for start, kind in _KINDS if name.startswith(start)), "error")
