"""A DuckDB with the fixtures of the cases: five admitted names, and `hidden`, which never is."""

import json
from pathlib import Path

import duckdb
import pytest

from runtime.sqlguard import GuardPolicy

CASES = Path(__file__).parents[2] / "cases"
ADMITTED = ("orders", "customers", "café sales", "2024 totals", "select")


def load_cases() -> list[dict]:
    lines = (CASES / "sql_guard.jsonl").read_text("utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["dialect"] == "duckdb"]


def pytest_generate_tests(metafunc):
    groups = {
        "legitimate_case": lambda case: case["expect"] == "allow",
        "attack_case": lambda case: case["expect"] == "deny" and case["layer"] == "guard",
        "bomb_case": lambda case: case["layer"] == "envelope",
    }
    for name, wanted in groups.items():
        if name in metafunc.fixturenames:
            cases = [case for case in load_cases() if wanted(case)]
            metafunc.parametrize(name, cases, ids=[case["id"] for case in cases])


@pytest.fixture(scope="session")
def engine():
    connection = duckdb.connect(config={"python_enable_replacements": "false", "threads": "1"})
    connection.execute((CASES / "fixtures_duckdb.sql").read_text("utf-8"))
    connection.execute("CREATE VIEW seen AS SELECT id FROM hidden")
    connection.execute("SET max_execution_time = 10000")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def policy(engine):
    columns = {
        name: tuple(row[0] for row in engine.execute(f'SELECT * FROM "{name}" LIMIT 0').description)
        for name in ADMITTED
    }
    return GuardPolicy(columns)


@pytest.fixture(scope="session")
def admitted():
    return frozenset(ADMITTED)
