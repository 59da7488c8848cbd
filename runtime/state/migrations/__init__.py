"""Runs the Alembic migrations on an open connection, inside the caller's transaction."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config


def upgrade(connection: sa.Connection, to: str = "head") -> None:
    """Brings the schema to revision `to`. Scripts only add (expand) until no running version needs the old shape."""
    command.upgrade(configuration(connection), to)


def configuration(connection: sa.Connection | None = None) -> Config:
    """Alembic's configuration without an ini file."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
