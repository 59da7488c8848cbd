"""The twins behind real engines: SQLite files, PostgreSQL databases, and workspaces with files beside them."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from runtime.admission.manifest import PostgresqlSource, SqliteSource
from runtime.clock import SystemClock
from runtime.engines.port import ReadEngine
from runtime.engines.postgresql import PostgresqlEngine
from runtime.engines.sqlite.engine import SqliteEngine
from runtime.engines.workspace.workspace import Workspace
from runtime.limits import DEFAULT
from tests import postgres_server
from tests.integration.postgresql.conftest import Database, made
from tests.integration.sources.twins import COLUMNS, FIRST, HUGE, PEOPLE, SECOND, TABLES, statements

ONE_WORKER = DEFAULT.override({"worker_pool": 1})
LONG_AGO = 1_700_000_000


@dataclass(frozen=True)
class Twins:
    """Both engines, and the folder beside a workspace ("" elsewhere)."""

    engines: tuple[ReadEngine, ReadEngine]
    outside: str = ""


@contextmanager
def unchanged(checksum: Callable[[], str]) -> Iterator[None]:
    """What is stored is the same afterwards."""
    before = checksum()
    yield
    assert checksum() == before


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(str(path.relative_to(folder)).encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


@asynccontextmanager
async def sqlite_engine(folder: Path, letter: str) -> AsyncIterator[SqliteEngine]:
    """One twin as a SQLite file in a folder of its own."""
    path = folder / letter / "shop.db"
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as connection:
        for statement in statements(letter):
            connection.execute(statement)
    connection.close()
    source = SqliteSource.model_validate(
        {"id": "shop", "kind": "sqlite", "path": "shop.db", "audience": {}, "tables": TABLES, "columns": COLUMNS}
    )
    engine = await SqliteEngine.open(source, path, folder / f"spill-{letter}", ONE_WORKER, SystemClock())
    try:
        yield engine
    finally:
        await engine.close()


@asynccontextmanager
async def postgresql_engine(
    database: Database, source_id: str = "shop", columns: Mapping[str, list[str]] = COLUMNS
) -> AsyncIterator[PostgresqlEngine]:
    """One twin as a PostgreSQL database whose read role may read everything."""
    variable = "TWIN_READ_URL"
    os.environ[variable] = database.reader
    source = PostgresqlSource.model_validate(
        {
            "id": source_id,
            "kind": "postgresql",
            "url": f"${{{variable}}}",
            "audience": {},
            "tables": TABLES,
            "columns": columns,
        }
    )
    engine = await PostgresqlEngine.open(source, DEFAULT, SystemClock())
    del os.environ[variable]
    try:
        yield engine
    finally:
        await engine.close()


@asynccontextmanager
async def workspace_engine(folder: Path, letter: str) -> AsyncIterator[Workspace]:
    """A workspace of the admitted tables, with one twin's un-admitted ones in files outside of it."""
    root = folder / letter / "files"
    root.mkdir(parents=True)
    numbers = range(1, PEOPLE + 1)
    texts = {
        root / "customers.csv": [
            "id,name,region,email,pin",
            *(f"{n},name{n},{('north', 'south')[n % 2]},mail{n},{n}" for n in numbers),
        ],
        root / "contacts.csv": ["id,customer_id,email", *(f"{n},{n},mail{n}" for n in numbers)],
        root / "orders.csv": ["id,customer_id,amount,note", *(f"{n},{n % 3 + 1},{n * 2},note{n}" for n in numbers)],
        root / "products.csv": ["id,label,price", *(f"{n},label{n},{n}" for n in numbers)],
        root / "open_products.csv": ["id,label", *(f"{n},label{n}" for n in numbers)],
        root / "addresses.csv": ["id,address", *(f"{n},mail{n}" for n in numbers)],
        folder / "outside" / ("one" if letter == FIRST else "two") / "salaries.csv": [
            "id,secret",
            *(f"{HUGE + n},{letter * 3}{n}" for n in numbers),
        ],
    }
    for path, lines in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
        os.utime(path, (LONG_AGO, LONG_AGO))
    workspace = await Workspace.open(root, folder / f"cache-{letter}", ONE_WORKER, SystemClock())
    try:
        yield workspace
    finally:
        await workspace.close()


def _stored(databases: tuple[Database, Database]) -> str:
    """Everything in both databases that a statement could have changed."""
    found = list[object]()
    for database in databases:
        names = [
            name
            for (name,) in database.run(
                "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
            )
        ]
        tables = [
            name for (name,) in database.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        ]
        rows = [database.run(f"SELECT * FROM {name} ORDER BY 1") for name in tables]
        found += [names, rows, database.run("SELECT count(*) FROM pg_largeobject_metadata")]
        found.append(database.run("SELECT rolname, rolconfig FROM pg_roles WHERE rolname NOT LIKE 'pg\\_%' ORDER BY 1"))
    return hashlib.sha256(repr(found).encode()).hexdigest()


@pytest.fixture
async def sqlite_twins(tmp_path: Path) -> AsyncIterator[Twins]:
    """Both SQLite files."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(sqlite_engine(tmp_path, FIRST))
        second = await stack.enter_async_context(sqlite_engine(tmp_path, SECOND))
        with unchanged(lambda: _digest(tmp_path / FIRST) + _digest(tmp_path / SECOND)):
            yield Twins((first, second))


@pytest.fixture
async def postgresql_twins(postgres: str) -> AsyncIterator[Twins]:
    """Both PostgreSQL databases."""
    with ExitStack() as databases:
        pair = tuple(
            made(databases.enter_context(postgres_server.database(postgres)), ";\n".join(statements(letter)))
            for letter in (FIRST, SECOND)
        )
        async with AsyncExitStack() as stack:
            first = await stack.enter_async_context(postgresql_engine(pair[0]))
            second = await stack.enter_async_context(postgresql_engine(pair[1]))
            with unchanged(lambda: _stored((pair[0], pair[1]))):
                yield Twins((first, second))
        for database in pair:
            database.run("DROP OWNED BY {role}; DROP ROLE {role}")


@pytest.fixture
async def workspace_twins(tmp_path: Path) -> AsyncIterator[Twins]:
    """Both workspaces."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(workspace_engine(tmp_path, FIRST))
        second = await stack.enter_async_context(workspace_engine(tmp_path, SECOND))
        with unchanged(lambda: "".join(_digest(tmp_path / name) for name in (FIRST, SECOND, "outside"))):
            yield Twins((first, second), str(tmp_path / "outside"))
