"""Approvals: what people were asked to allow, and how each request ended."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table."""
    op.create_table(
        "approvals",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("token_hash", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("call_id", sa.Text, nullable=False),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("requester", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("asked_at", sa.BigInteger, nullable=False),
        sa.Column("remind_at", sa.BigInteger, nullable=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("votes", sa.LargeBinary, nullable=False),
        sa.Column("decided_by", sa.Text, nullable=False),
        sa.Column("outcome", sa.LargeBinary, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_approvals"),
        sa.UniqueConstraint("token_hash", name="uq_approvals_token_hash"),
        sa.UniqueConstraint("run_id", "call_id", name="uq_approvals_run_id_call_id"),
    )
    op.create_index("ix_approvals_state", "approvals", ["state"])
    op.create_index("ix_approvals_conversation", "approvals", ["conversation"])
