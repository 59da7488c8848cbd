"""The first schema: inbox, turns, steps, calls, deliveries, single facts and the audit trail."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates every table."""
    _inbox()
    _turns()
    _calls()
    _deliveries()
    _records()


def _inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("event_key", sa.Text, nullable=False),
        sa.Column("dedupe_key", sa.Text, nullable=True),
        sa.Column("turn_id", sa.Text, nullable=False),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=True),
        sa.Column("received_at", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("event_key", name="pk_inbox"),
        sa.UniqueConstraint("dedupe_key", name="uq_inbox_dedupe_key"),
        sa.UniqueConstraint("turn_id", name="uq_inbox_turn_id"),
    )
    op.create_index("ix_inbox_state_received_at", "inbox", ["state", "received_at"])
    op.create_index("ix_inbox_conversation", "inbox", ["conversation"])
    op.create_table(
        "seen_keys",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("seen_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_seen_keys"),
    )
    op.create_index("ix_seen_keys_seen_at", "seen_keys", ["seen_at"])


def _turns() -> None:
    op.create_table(
        "turns",
        sa.Column("turn_id", sa.Text, nullable=False),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("asker", sa.Text, nullable=False),
        sa.Column("question", sa.LargeBinary, nullable=False),
        sa.Column("answer", sa.LargeBinary, nullable=True),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("evidence_index", sa.LargeBinary, nullable=True),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger, nullable=True),
        sa.Column("usage", sa.LargeBinary, nullable=True),
        sa.Column("verification", sa.LargeBinary, nullable=True),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("policy_revision", sa.Text, nullable=False),
        sa.Column("workspace_digest", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("turn_id", name="pk_turns"),
    )
    op.create_index("ix_turns_conversation_started_at", "turns", ["conversation", "started_at"])
    op.create_index("ix_turns_finished_at", "turns", ["finished_at"])


def _calls() -> None:
    op.create_table(
        "steps",
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("n", sa.Integer, nullable=False),
        sa.Column("reply", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "n", name="pk_steps"),
    )
    op.create_table(
        "calls",
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("call_id", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("result", sa.LargeBinary, nullable=False),
        sa.Column("is_error", sa.Boolean, nullable=False),
        sa.Column("evidence", sa.LargeBinary, nullable=False),
        sa.Column("loaded", sa.LargeBinary, nullable=False),
        sa.Column("kept_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "call_id", name="pk_calls"),
    )


def _deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("dest", sa.Text, nullable=False),
        sa.Column("part_no", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("progress", sa.LargeBinary, nullable=True),
        sa.Column("client_token", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("claimed_at", sa.BigInteger, nullable=True),
        sa.Column("lease_until", sa.BigInteger, nullable=True),
        sa.Column("remote_id", sa.Text, nullable=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
        sa.UniqueConstraint("source", "dest", "part_no", name="uq_deliveries_source_dest_part_no"),
    )
    op.create_index("ix_deliveries_state", "deliveries", ["state"])


def _records() -> None:
    op.create_table(
        "meta",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), autoincrement=True, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_at", "audit", ["at"])
