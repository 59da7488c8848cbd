"""Where a state lives: on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runtime.state import migrate_state
from tests import postgres_server

DATABASES = ["sqlite", "postgresql"]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    with postgres_server.server() as dsn:
        yield dsn


@pytest.fixture(params=DATABASES)
def state_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/state.db"
        return
    with postgres_server.database(request.getfixturevalue("postgres")) as dsn:
        migrate_state(dsn)
        yield dsn
