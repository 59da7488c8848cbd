"""Reads files in this process, through the same entry point as the reader process uses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from runtime.ingest import FileJob, Kind, ReadTable
from runtime.ingest.engine import connect
from runtime.ingest.outcome import ReadingLimits
from runtime.ingest.reading import read_file

LIMITS = ReadingLimits(
    file_bytes=1 << 30,
    columns=5_000,
    memory_bytes=1 << 30,
    address_space_bytes=3 << 30,
    temp_bytes=1 << 30,
    threads=2,
    json_bytes=1 << 26,
    repair_bytes=1 << 26,
)


@dataclass(frozen=True)
class Table:
    """A reading and the rows that stand in its Parquet file."""

    reading: ReadTable
    rows: list[tuple[Any, ...]]

    @property
    def types(self) -> dict[str, str]:
        return dict(self.reading.columns)

    @property
    def notes(self) -> str:
        return "\n".join(self.reading.notes)

    def column(self, name: str) -> list[Any]:
        place = [column for column, _ in self.reading.columns].index(name)
        return [row[place] for row in self.rows]


@pytest.fixture(scope="session")
def session_connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(LIMITS, tmp_path_factory.mktemp("spill")) as connection:
        yield connection


@pytest.fixture
def limits() -> ReadingLimits:
    return LIMITS


@pytest.fixture
def read_path(
    session_connection: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Table]:
    stores: dict[ReadingLimits, Path] = {}

    def read(path: Path, kind: Kind = "csv", limits: ReadingLimits = LIMITS) -> Table:
        # What is kept for a content does not depend on the limits, which are the same for the life of a store.
        store = stores.setdefault(limits, tmp_path_factory.mktemp("store"))
        job = FileJob(str(path.parent), path.name, kind, str(store))
        reading, _ = read_file(session_connection, job, limits)
        assert isinstance(reading, ReadTable)
        rows = session_connection.execute("FROM read_parquet(?)", [str(store / "tables" / f"{reading.key}.parquet")])
        return Table(reading, rows.fetchall())

    return read


@pytest.fixture
def read(read_path: Callable[..., Table], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Table]:
    folder = tmp_path_factory.mktemp("files")

    def read_bytes(content: str | bytes, kind: Kind = "csv", limits: ReadingLimits = LIMITS) -> Table:
        path = folder / f"file.{kind}"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        # Old enough that its times are trusted.
        os.utime(path, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000))
        return read_path(path, kind, limits)

    return read_bytes
