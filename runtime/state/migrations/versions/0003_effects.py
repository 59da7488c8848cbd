"""Effects: the journal and receipts of changes to a source's data."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table."""
    op.create_table(
        "effects",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("call_id", sa.Text, nullable=False),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("requester", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("open_target", sa.Text, nullable=True),
        sa.Column("request", sa.LargeBinary, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("xact", sa.LargeBinary, nullable=True),
        sa.Column("images", sa.LargeBinary, nullable=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("began_at", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_effects"),
        sa.UniqueConstraint("digest", name="uq_effects_digest"),
        sa.UniqueConstraint("open_target", name="uq_effects_open_target"),
        sa.UniqueConstraint("run_id", "call_id", name="uq_effects_run_id_call_id"),
    )
    op.create_index("ix_effects_began_at", "effects", ["began_at"])
    op.create_index("ix_effects_state", "effects", ["state"])
