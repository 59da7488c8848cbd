"""A workspace folder, its catalog and its cache, with a real reader process behind them."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from runtime.engines.workspace.cache import CacheDatabase, WorkspaceCache
from runtime.engines.workspace.catalog import WorkspaceFiles
from runtime.limits import DEFAULT, Limits

OLD = 1_700_000_000_000_000_000


class FixedClock:
    """Stands still, long after the files of the tests were written."""

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0


@dataclass
class Desk:
    """The folder of a test and what it needs to look at it."""

    root: Path
    cache_dir: Path
    limits: Limits = DEFAULT
    opened: list[WorkspaceFiles] = field(default_factory=list)

    def write(self, name: str, content: str | bytes, *, at: int = OLD) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        os.utime(path, ns=(at, at))
        return path

    def files(self) -> WorkspaceFiles:
        """A catalog as a fresh process would open it."""
        self.opened.append(WorkspaceFiles(self.root, self.cache_dir, self.limits, FixedClock()))
        return self.opened[-1]

    def cache(self) -> WorkspaceCache:
        return WorkspaceCache(self.files())


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    made = Desk(tmp_path / "shop", tmp_path / "cache")
    made.root.mkdir()
    yield made
    for files in made.opened:
        await files.close()


@pytest.fixture
def ask() -> Callable[..., list[tuple[object, ...]]]:
    """Runs a query the way the query worker does: read-only, and with exactly the cached files allowed."""

    def run(database: CacheDatabase, sql: str) -> list[tuple[object, ...]]:
        with duckdb.connect(str(database.path), read_only=True) as connection:
            allowed = ", ".join(f"'{path}'" for path in database.parquet)
            connection.execute(f"SET allowed_paths = [{allowed}]")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            return connection.execute(sql).fetchall()

    return run
