"""The migrations and the tables say the same, on both databases."""

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from runtime.errors import StateUnavailable
from runtime.state import migrate_state, open_state, schema
from runtime.state.connector import Connector
from runtime.state.migrations import configuration, upgrade
from runtime.state.store import parse_url
from runtime.state.tables import metadata, revision
from tests import postgres_server
from tests.integration.state.doubles import Counter, SteppingClock


def differences(connection: sa.Connection) -> list[object]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return [found for found in compare_metadata(context, metadata) if revision.name not in str(found)]


def outline(connection: sa.Connection) -> dict[str, object]:
    inspector = sa.inspect(connection)
    return {
        name: (
            [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)],
            inspector.get_pk_constraint(name)["constrained_columns"],
            sorted((u["name"], u["column_names"]) for u in inspector.get_unique_constraints(name)),
            sorted((i["name"], i["column_names"], bool(i["unique"])) for i in inspector.get_indexes(name)),
        )
        for name in sorted(inspector.get_table_names())
        if name != revision.name
    }


def emptied(connection: sa.Connection) -> None:
    for name in sa.inspect(connection).get_table_names():
        connection.exec_driver_sql(f'DROP TABLE "{name}"').close()


def test_a_migrated_store_equals_a_fresh_one(state_url: str):
    migrate_state(state_url)
    connector = Connector(parse_url(state_url))
    fresh = connector.run_now(outline)
    connector.run_now(emptied)
    connector.run_now(upgrade)
    assert connector.run_now(outline) == fresh
    assert connector.run_now(differences) == []
    assert connector.run_now(schema.standing) == schema.HEAD
    connector.close()


def test_this_version_knows_exactly_its_scripts():
    scripts = ScriptDirectory.from_config(configuration())
    assert tuple(script.revision for script in scripts.walk_revisions())[::-1] == schema.KNOWN
    assert scripts.get_current_head() == schema.HEAD


def test_migrating_twice_changes_nothing(state_url: str):
    assert migrate_state(state_url) == migrate_state(state_url) == schema.HEAD


def test_a_shared_database_is_migrated_on_purpose_only(postgres: str):
    with postgres_server.database(postgres) as dsn:
        with pytest.raises(StateUnavailable, match="footnote migrate"):
            open_state(dsn, clock=SteppingClock(), new_id=Counter())
        migrate_state(dsn)
        open_state(dsn, clock=SteppingClock(), new_id=Counter()).close()


def test_a_database_that_is_down_is_said_without_its_password():
    with pytest.raises(StateUnavailable) as raised:
        open_state("postgresql://u:hunter2@127.0.0.1:1/db", clock=SteppingClock(), new_id=Counter())
    assert "hunter2" not in str(raised.value)
