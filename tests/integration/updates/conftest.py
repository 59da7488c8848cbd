"""A real database with a reader and a writer, a state, and the update engine between them."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from runtime.admission.manifest import PostgresqlSource
from runtime.clock import SystemClock, random_id
from runtime.engines.postgresql import PostgresqlEngine
from runtime.engines.postgresql.updates import PostgresqlUpdates
from runtime.engines.update_port import Assignment, Change, ChangeCall, Condition, Receipt, ShownChange, Terms
from runtime.limits import DEFAULT, Limits
from runtime.state import Effect, State, open_state
from tests import postgres_server

PASSWORD = "only-for-tests"
SCHEMA = """
CREATE TYPE mood AS ENUM ('calm', 'cross');
CREATE TABLE customers (
  id int PRIMARY KEY, name text NOT NULL, tier text, status varchar(8), score numeric(6, 2), mood mood,
  seen timestamptz, tags text[], extra jsonb, email text, ssn text, active boolean NOT NULL DEFAULT true);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, amount numeric(12, 2));
INSERT INTO customers (id, name, tier, status, score, mood, seen, tags, extra, email, ssn)
  SELECT i, 'Customer ' || i, 'silver', (ARRAY['open', 'closed'])[i % 2 + 1], i + 0.5, 'calm',
         timestamptz '2024-01-01 12:00+00' + i * interval '1 day', ARRAY['a', 'b'], '{"n": 1.50}', 'c' || i || '@x.com',
         'secret ' || i
  FROM generate_series(1, 20) AS i;
"""
UPDATES = [
    {
        "table": "public.customers",
        "columns": ["tier", "status", "score", "mood", "seen", "tags", "extra", "email", "active"],
        "max_rows": 10,
        "approvers": {"users": ["U0ANN"]},
    }
]
TERMS = Terms("policy-1", "U1")


@dataclass
class World:
    """One database with its roles, one state, and engines over both. `declared` goes into the source's manifest."""

    owner: str
    reader: str
    writer: str
    state: State
    monkeypatch: pytest.MonkeyPatch
    declared: dict[str, Any] = field(default_factory=dict)
    limits: Limits = DEFAULT
    calls: int = 0
    opened: list[Any] = field(default_factory=list)

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """Runs SQL as the owner; {reader} and {writer} stand for the roles."""
        with psycopg.connect(self.owner, autocommit=True) as connection:
            said = sql.replace("{reader}", self.reader).replace("{writer}", self.writer)
            cursor = connection.execute(said.encode())
            return cursor.fetchall() if cursor.description else []

    def address(self, role: str) -> str:
        parts = urlsplit(self.owner)
        return urlunsplit(parts._replace(netloc=f"{role}:{PASSWORD}@{parts.hostname}:{parts.port}"))

    async def engine(self, **declared: Any) -> PostgresqlUpdates:
        self.monkeypatch.setenv("CRM_READ_URL", self.address(self.reader))
        self.monkeypatch.setenv("CRM_WRITE_URL", self.address(self.writer))
        source = PostgresqlSource.model_validate(
            {
                "id": "crm",
                "kind": "postgresql",
                "url": "${CRM_READ_URL}",
                "updates_url": "${CRM_WRITE_URL}",
                "audience": {"im": True},
                "updates": UPDATES,
                **self.declared,
                **declared,
            }
        )
        reads = await PostgresqlEngine.open(source, self.limits, SystemClock())
        updates = PostgresqlUpdates.open(source, reads.structure, self.state.effects, self.limits, SystemClock())
        self.opened.append(reads)
        return updates

    def call(self) -> ChangeCall:
        self.calls += 1
        return ChangeCall("run-1", f"{self.calls}:c", "T:C:1", "data_update_postgresql")

    async def effect(self) -> Effect:
        """The newest change in the journal."""
        return (await self.state.effects.newest(1))[0]

    async def shows(self, change: Change) -> ShownChange:
        return await (await self.engine()).preview(change, TERMS)

    async def makes(self, change: Change) -> Receipt:
        engine = await self.engine()
        seen = await engine.preview(change, TERMS)
        return await engine.perform(change, TERMS, seen.fingerprint, self.call())

    def column(self, name: str) -> dict[int, Any]:
        """The column of customers by id."""
        return dict(self.run(f"SELECT id, {name} FROM customers ORDER BY id"))


def setting(table: str = "public.customers", /, *where: Condition, **values: Any) -> Change:
    return Change("crm", table, tuple(Assignment(name, value) for name, value in values.items()), where)


def where(column: str, op: Any, value: Any = None) -> Condition:
    return Condition(column, op, value)


IDS = where("id", "lte", 3)


@pytest.fixture(scope="session")
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("states")


@pytest.fixture
async def world(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    """Customers and orders, with a role that reads and one that may update customers."""
    with postgres_server.database(postgres) as owner:
        for made in worlds(owner, tmp_path, monkeypatch):
            yield made
            for each in made.opened:
                await each.close()


def worlds(owner: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    suffix = uuid.uuid4().hex[:10]
    state = open_state(f"sqlite:///{folder}/state.db", clock=SystemClock(), new_id=random_id)
    world = World(owner, f"reader_{suffix}", f"writer_{suffix}", state, monkeypatch)
    world.run(SCHEMA)
    for role in ("{reader}", "{writer}"):
        world.run(f"CREATE ROLE {role} LOGIN NOINHERIT PASSWORD '{PASSWORD}'; GRANT USAGE ON SCHEMA public TO {role}")
        world.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
    world.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT UPDATE ON customers TO {writer}")
    yield world
    state.close()
    world.run("DROP OWNED BY {reader}, {writer}; DROP ROLE {reader}, {writer}")


Opener = Callable[..., Awaitable[PostgresqlUpdates]]
