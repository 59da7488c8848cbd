"""The tables of the state store. A change here needs a migration; a test compares the two."""

from __future__ import annotations

import sqlalchemy as sa

from runtime.state.columns import Moment, PackedJson

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

# One row for each thing a person sent, written before it is acknowledged.
inbox = sa.Table(
    "inbox",
    metadata,
    sa.Column("event_key", sa.Text, primary_key=True),
    sa.Column("dedupe_key", sa.Text, nullable=True, unique=True),
    sa.Column("turn_id", sa.Text, nullable=False, unique=True),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", PackedJson, nullable=True),
    sa.Column("received_at", Moment, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Index("ix_inbox_state_received_at", "state", "received_at"),
    sa.Index("ix_inbox_conversation", "conversation"),
)

# Keys of clicks and other interactions that must act once and need no body.
seen_keys = sa.Table(
    "seen_keys",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("seen_at", Moment, nullable=False, index=True),
)

# One row for each turn: what was asked, what was answered, and what stood behind it.
turns = sa.Table(
    "turns",
    metadata,
    sa.Column("turn_id", sa.Text, primary_key=True),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("asker", sa.Text, nullable=False),
    sa.Column("question", PackedJson, nullable=False),
    sa.Column("answer", PackedJson, nullable=True),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("evidence_index", PackedJson, nullable=True),
    sa.Column("started_at", Moment, nullable=False),
    sa.Column("finished_at", Moment, nullable=True),
    sa.Column("usage", PackedJson, nullable=True),
    sa.Column("verification", PackedJson, nullable=True),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("policy_revision", sa.Text, nullable=False),
    sa.Column("workspace_digest", sa.Text, nullable=False),
    sa.Column("rests_on", PackedJson, nullable=True),
    sa.Index("ix_turns_conversation_started_at", "conversation", "started_at"),
    sa.Index("ix_turns_finished_at", "finished_at"),
)

# The model's reply of each step, so that a resumed run never asks (and pays) twice.
steps = sa.Table(
    "steps",
    metadata,
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("reply", PackedJson, nullable=False),
)

# Every finished call with its evidence: a result stays with exactly the call that produced it.
calls = sa.Table(
    "calls",
    metadata,
    sa.Column("run_id", sa.Text, primary_key=True),
    sa.Column("call_id", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("result", PackedJson, nullable=False),
    sa.Column("is_error", sa.Boolean, nullable=False),
    sa.Column("evidence", PackedJson, nullable=False),
    sa.Column("loaded", PackedJson, nullable=False),
    sa.Column("kept_at", Moment, nullable=False),
)

# The outbox: one row for each logical posting, written with the end of the turn that makes it.
deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("dest", sa.Text, nullable=False),
    sa.Column("part_no", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("payload", PackedJson, nullable=False),
    sa.Column("progress", PackedJson, nullable=True),
    sa.Column("client_token", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("claimed_at", Moment, nullable=True),
    sa.Column("lease_until", Moment, nullable=True),
    sa.Column("remote_id", sa.Text, nullable=True),
    sa.Column("created_at", Moment, nullable=False),
    sa.UniqueConstraint("source", "dest", "part_no"),
    sa.Index("ix_deliveries_state", "state"),
)

# Single facts about the installation. So far only the health check writes here: a write that is seen to succeed.
meta = sa.Table(
    "meta",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("value", PackedJson, nullable=False),
    sa.Column("changed_at", Moment, nullable=False),
)

# What was done, by whom, in the order it happened.
audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("at", Moment, nullable=False, index=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("body", PackedJson, nullable=False),
)

# One row for each call that a person was asked to allow: what was asked, who said what, and how it ended.
approvals = sa.Table(
    "approvals",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("token_hash", sa.Text, nullable=False, unique=True),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("run_id", sa.Text, nullable=False),
    sa.Column("call_id", sa.Text, nullable=False),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("requester", sa.Text, nullable=False),
    sa.Column("tool", sa.Text, nullable=False),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("body", PackedJson, nullable=False),
    sa.Column("asked_at", Moment, nullable=False),
    sa.Column("remind_at", Moment, nullable=True),
    sa.Column("expires_at", Moment, nullable=False),
    sa.Column("changed_at", Moment, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("votes", PackedJson, nullable=False),
    sa.Column("decided_by", sa.Text, nullable=False),
    sa.Column("outcome", PackedJson, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("run_id", "call_id"),
    sa.Index("ix_approvals_state", "state"),
    sa.Index("ix_approvals_conversation", "conversation"),
)

# One row for each change to a source's data: written before its COMMIT, and kept as its receipt.
effects = sa.Table(
    "effects",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("digest", sa.Text, nullable=False, unique=True),
    sa.Column("run_id", sa.Text, nullable=False),
    sa.Column("call_id", sa.Text, nullable=False),
    sa.Column("conversation", sa.Text, nullable=False),
    sa.Column("requester", sa.Text, nullable=False),
    sa.Column("tool", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("target", sa.Text, nullable=False),
    # The target as long as the change has not ended: one at a time, across replicas.
    sa.Column("open_target", sa.Text, nullable=True, unique=True),
    sa.Column("request", PackedJson, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("xact", PackedJson, nullable=True),
    sa.Column("images", PackedJson, nullable=True),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("began_at", Moment, nullable=False, index=True),
    sa.Column("changed_at", Moment, nullable=False),
    sa.UniqueConstraint("run_id", "call_id"),
    sa.Index("ix_effects_state", "state"),
)

# Files that people shared in a conversation, and the content under which their bytes are kept.
shared_files = sa.Table(
    "shared_files",
    metadata,
    sa.Column("conversation", sa.Text, primary_key=True),
    sa.Column("file_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("sha256", sa.Text, nullable=False),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("kept_at", Moment, nullable=False),
    sa.Index("ix_shared_files_file_id", "file_id"),
    sa.Index("ix_shared_files_kept_at", "kept_at"),
)

# The manifests that were in force, by digest, in this order; the newest one is.
policies = sa.Table(
    "policies",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("since", Moment, nullable=False),
    sa.Column("set_by", sa.Text, nullable=False),
)

# The processes that work on a shared state: each row is a lease, `gone` once it is over for good.
replicas = sa.Table(
    "replicas",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("expires_at", Moment, nullable=False),
    sa.Column("gone", sa.Boolean, nullable=False),
)

# The migration that the store stands at (Alembic's own table, declared so that a fresh store needs no Alembic).
revision = sa.Table("alembic_version", metadata, sa.Column("version_num", sa.String(32), primary_key=True))
