"""Turns: which sources an answer rests on."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; of turns that ended before nobody knows."""
    op.add_column("turns", sa.Column("rests_on", sa.LargeBinary, nullable=True))
