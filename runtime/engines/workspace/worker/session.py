"""The locked-down DuckDB of a worker: one read-only instance per cache revision, one fresh connection per job."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class Session:
    """Opens one cache database at a time, in the way of facts/SQL.md 1.1.

    One thread: with two, float sums and the order of groups differ from run to run (facts/SQL.md 1.2), and evidence
    must give the same digest every time it is run again. The pool runs queries side by side instead.

    A connection is a fresh cursor of the instance, so temporary objects and session variables of one job are gone in
    the next. `max_execution_time` is not set: a cursor does not inherit it in 2.0.1, so the job's own timer interrupts.
    """

    def __init__(self, *, memory_bytes: int, temp_bytes: int, temp_folder: Path) -> None:
        self._config: dict[str, Any] = {
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
            "allow_community_extensions": False,
            "python_enable_replacements": False,
            "memory_limit": f"{memory_bytes // 1024}KiB",
            "threads": 1,
            "temp_directory": str(temp_folder),
            "max_temp_directory_size": f"{temp_bytes // 1024}KiB",
        }
        self._instance: duckdb.DuckDBPyConnection | None = None

    def open(self, path: str, parquet: list[str]) -> None:
        """Replaces the open database. Raises duckdb.Error when it cannot be opened."""
        self.close()
        instance = duckdb.connect(path, read_only=True, config=self._config)
        try:
            instance.execute("SET enable_progress_bar = false")
            instance.execute("SET TimeZone = 'UTC'")
            instance.execute(f"SET allowed_paths = [{', '.join(_quoted(item) for item in parquet)}]")
            instance.execute("SET enable_external_access = false")
            instance.execute("SET lock_configuration = true")
        except duckdb.Error:
            instance.close()
            raise
        self._instance = instance

    @contextmanager
    def connection(self) -> Generator[duckdb.DuckDBPyConnection]:
        """A fresh connection to the open database. Raises RuntimeError when none is open."""
        if self._instance is None:
            raise RuntimeError("no database is open")
        cursor = self._instance.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    def close(self) -> None:
        if self._instance is not None:
            self._instance.close()
            self._instance = None
