"""Real databases with a role that may only read, and engines over them; everything is gone after a test."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from runtime.admission.manifest import PostgresqlSource
from runtime.clock import SystemClock
from runtime.engines.postgresql import PostgresqlEngine
from runtime.limits import DEFAULT, Limits
from tests import postgres_server
from tests.postgres_server import OwnServer

SCHEMA = """
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, region text, email text);
CREATE TABLE orders (
  id int PRIMARY KEY, customer_id int REFERENCES customers, day date, amount numeric(12, 2), note text);
CREATE TABLE salaries (id int PRIMARY KEY, customer_id int REFERENCES customers, amount int);
COMMENT ON TABLE orders IS 'One row per order';
COMMENT ON COLUMN orders.amount IS 'Net, in euros';
CREATE VIEW big_orders AS SELECT id, amount FROM orders WHERE amount > 100;
CREATE VIEW paid AS SELECT o.id, s.amount FROM orders o JOIN salaries s USING (customer_id);
INSERT INTO customers SELECT i, 'Customer ' || i, (ARRAY['North', 'South'])[i % 2 + 1], 'c' || i || '@example.com'
  FROM generate_series(1, 20) AS i;
INSERT INTO orders SELECT i, i % 20 + 1, date '2024-01-01' + i, i + 0.5, 'note ' || i FROM generate_series(1, 240) AS i;
INSERT INTO salaries VALUES (1, 1, 4242);
"""
PASSWORD = "only-for-tests"


@dataclass(frozen=True)
class Database:
    """One database: `owner` and `reader` are addresses, `role` is the reader's name."""

    owner: str
    reader: str
    role: str

    def run(self, sql: str, **names: str) -> list[tuple[Any, ...]]:
        """Runs SQL as the owner; `{role}` stands for the reader."""
        with psycopg.connect(self.owner, autocommit=True) as connection:
            cursor = connection.execute(sql.replace("{role}", f'"{self.role}"').encode())
            return cursor.fetchall() if cursor.description else []

    def address(self, role: str) -> str:
        """The address by which another role connects."""
        parts = urlsplit(self.owner)
        return urlunsplit(parts._replace(netloc=f"{role}:{PASSWORD}@{parts.hostname}:{parts.port}"))


Opener = Callable[..., Awaitable[PostgresqlEngine]]


def made(owner: str, schema: str) -> Database:
    """The schema in the database of `owner`, and a role that may read all of it."""
    role = f"reader_{uuid.uuid4().hex[:12]}"
    database = Database(owner, "", role)
    database.run(schema)
    database.run(
        f"CREATE ROLE {{role}} LOGIN NOINHERIT PASSWORD '{PASSWORD}';"
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC;"
        "GRANT USAGE ON SCHEMA public TO {role};"
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"
    )
    return Database(owner, database.address(role), role)


@pytest.fixture
def empty(postgres: str) -> Iterator[Database]:
    """A database with nothing in it."""
    yield from _database(postgres, "")


@pytest.fixture
def shop(postgres: str) -> Iterator[Database]:
    """Customers, orders and views over them, and a table of salaries."""
    yield from _database(postgres, SCHEMA)


def _database(postgres: str, schema: str) -> Iterator[Database]:
    with postgres_server.database(postgres) as owner:
        database = made(owner, schema)
        yield database
        database.run("DROP OWNED BY {role}; DROP ROLE {role}")


@pytest.fixture
def own_server() -> Iterator[OwnServer]:
    """A server that a test may kill."""
    with postgres_server.own_server() as server:
        yield server


@pytest.fixture
async def open_engine(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Opener]:
    """Opens an engine over a database (or an address); what else is given goes into its part of the manifest."""
    opened: list[PostgresqlEngine] = []

    async def open_one(database: Database | str, limits: Limits = DEFAULT, **declared: Any) -> PostgresqlEngine:
        monkeypatch.setenv("CRM_READ_URL", database if isinstance(database, str) else database.reader)
        source = PostgresqlSource.model_validate(
            {"id": "crm", "kind": "postgresql", "url": "${CRM_READ_URL}", "audience": {"im": True}, **declared}
        )
        engine = await PostgresqlEngine.open(source, limits, SystemClock())
        opened.append(engine)
        return engine

    yield open_one
    for engine in opened:
        await engine.close()
