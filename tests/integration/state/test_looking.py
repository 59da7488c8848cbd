"""Looking at a state from outside changes nothing of it."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from runtime.errors import StateTooNew, StateUnavailable
from runtime.state import look_at_state, migrate_state, open_state
from tests import postgres_server
from tests.integration.state.doubles import Counter, SteppingClock


def test_a_state_that_is_served_is_told_with_its_process(tmp_path) -> None:
    url = f"sqlite:///{tmp_path / 'state.db'}"
    serving = open_state(url, clock=SteppingClock(), new_id=Counter())
    try:
        standing = look_at_state(url)
    finally:
        serving.close()
    assert standing.current and standing.holder is not None
    assert look_at_state(url).holder is None


def test_an_older_state_stays_as_old_and_a_newer_one_is_refused(tmp_path) -> None:
    path = tmp_path / "state.db"
    url = f"sqlite:///{path}"
    migrate_state(url)
    engine = sa.create_engine(url)
    for version in ("0001", "9999"):
        with engine.begin() as connection:
            connection.execute(sa.text("UPDATE alembic_version SET version_num = :version"), {"version": version})
        if version == "0001":
            assert (look_at_state(url).version, look_at_state(url).current) == ("0001", False)
        else:
            with pytest.raises(StateTooNew):
                look_at_state(url)
    engine.dispose()


def test_a_folder_that_is_a_file_is_said(tmp_path) -> None:
    (tmp_path / "kept").write_text("a file")
    with pytest.raises(StateUnavailable, match="is no folder"):
        look_at_state(f"sqlite:///{tmp_path / 'kept' / 'state.db'}")


def test_an_empty_database_has_no_version_until_it_is_migrated(postgres) -> None:
    with postgres_server.database(postgres) as dsn:
        before = look_at_state(dsn)
        assert (before.version, before.made_at_start) == (None, False)
        assert look_at_state(dsn).version is None
        migrate_state(dsn)
        assert look_at_state(dsn).current
