"""Replicas: which processes work on the state now."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table."""
    op.create_table(
        "replicas",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("gone", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_replicas"),
    )
