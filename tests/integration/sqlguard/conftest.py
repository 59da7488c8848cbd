"""The tables of the cases in a real PostgreSQL, and a role that may read the admitted ones and nothing else."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from runtime.sqlguard import GuardPolicy
from tests import postgres_server

CASES = Path(__file__).parents[2] / "cases"
PASSWORD = "only-for-tests"
ADMITTED = ("orders", "customers", "café sales", "2024 totals", "select")


def cases(expect: str, *layers: str) -> list[dict]:
    lines = (CASES / "sql_guard.jsonl").read_text("utf-8").splitlines()
    found = [case for case in map(json.loads, lines) if case["dialect"] == "postgres" and case["expect"] == expect]
    return [case for case in found if case["layer"] in layers]


@dataclass(frozen=True)
class GuardedDatabase:
    """`owner` sees all tables, `reader` may read the admitted ones, and `address` is where it connects; `policy` admits
    the same."""

    owner: psycopg.Connection
    reader: psycopg.Connection
    address: str
    policy: GuardPolicy


def _fixtures() -> str:
    # The extensions serve no query here, and not every server has them.
    lines = (CASES / "fixtures_postgres.sql").read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("create extension"))


def _policy(owner: psycopg.Connection) -> GuardPolicy:
    def columns(name: str) -> tuple[str, ...]:
        found = owner.execute(f'SELECT * FROM "{name}" LIMIT 0').description  # pyright: ignore[reportArgumentType]
        return tuple(part.name for part in found or ())

    return GuardPolicy(
        {f"public.{name}": columns(name) for name in ADMITTED}, dialect="postgres", search_path=("public",)
    )


@pytest.fixture(scope="session")
def guarded(postgres: str) -> Iterator[GuardedDatabase]:
    role = f"reader_{uuid.uuid4().hex[:8]}"
    with postgres_server.database(postgres) as dsn, psycopg.connect(dsn, autocommit=True) as owner:
        owner.execute(_fixtures().encode())
        owner.execute(f"CREATE ROLE {role} LOGIN NOINHERIT PASSWORD '{PASSWORD}'".encode())
        owner.execute(b"REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        for name in ADMITTED:
            owner.execute(f'GRANT SELECT ON "{name}" TO {role}'.encode())
        parts = urlsplit(dsn)
        address = urlunsplit(parts._replace(netloc=f"{role}:{PASSWORD}@{parts.hostname}:{parts.port}"))
        with psycopg.connect(address, autocommit=True) as reader:
            reader.execute("SET statement_timeout = '60s'")
            yield GuardedDatabase(owner, reader, address, _policy(owner))
        owner.execute(f"DROP OWNED BY {role}; DROP ROLE {role}".encode())
