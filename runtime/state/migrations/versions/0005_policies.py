"""Policies: which manifest is in force for all replicas."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table."""
    op.create_table(
        "policies",
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.Column("set_by", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_policies"),
    )
