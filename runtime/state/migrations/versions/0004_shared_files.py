"""Shared files: what people attached in a conversation."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table."""
    op.create_table(
        "shared_files",
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("file_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("kept_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("conversation", "file_id", name="pk_shared_files"),
    )
    op.create_index("ix_shared_files_file_id", "shared_files", ["file_id"])
    op.create_index("ix_shared_files_kept_at", "shared_files", ["kept_at"])
