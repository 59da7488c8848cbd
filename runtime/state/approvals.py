"""The approvals table: every request for a person's yes. Each change is one transaction with the postings it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, cast

import sqlalchemy as sa

from runtime.capability import ApproverRule
from runtime.clock import Clock
from runtime.evidence import Json
from runtime.state.connector import Connector
from runtime.state.database_clock import database_now
from runtime.state.deliveries import Deliveries, NewDelivery
from runtime.state.statements import InsertUnlessThere
from runtime.state.tables import approvals

ApprovalState = Literal[
    "pending", "claimed", "running", "done", "rejected", "expired", "void", "drift", "failed", "unknown", "dry_run"
]
OPEN: tuple[ApprovalState, ...] = ("pending", "claimed", "running")
"""The states that an approval leaves again: asked, said yes to, being carried out."""


@dataclass(frozen=True, slots=True)
class Approval:
    """One request as it stands. `call_id` names the call inside its run, `owner` the process whose run waits; `shown`
    is what people are shown (kind, source, target, summary, details); `votes` are those who said yes, `decided_by`
    whoever gave the last word; `outcome` holds `sentence` (what came of it) and `receipt`. `revision` counts changes.
    """

    id: str
    digest: str
    run_id: str
    call_id: str
    conversation: str
    requester: str
    tool: str
    owner: str
    policy_revision: str
    rule: ApproverRule
    shown: Mapping[str, Any]
    asked_at: datetime
    expires_at: datetime
    remind_at: datetime | None = None
    changed_at: datetime | None = None
    state: ApprovalState = "pending"
    votes: tuple[str, ...] = ()
    decided_by: str = ""
    outcome: Mapping[str, Json] = field(default_factory=dict[str, Json])
    revision: int = 0

    @property
    def sentence(self) -> str:
        """What came of it, in words; '' as long as nothing did."""
        return str(self.outcome.get("sentence") or "")


Change = Callable[[Approval, datetime], Approval | None]
"""What a request becomes, given the request and the database's clock; None leaves it alone."""
Posts = Callable[[Approval, Approval], Sequence[NewDelivery]]
"""The postings of a change, from the request before and after it. Pure: it runs inside the transaction."""

# Keeps a request unless this very call of this run has one.
_ASK = InsertUnlessThere(approvals, approvals.c.id)

_BY_ID = sa.select(approvals).where(approvals.c.id == sa.bindparam("approval_id"))
_BY_TOKEN = sa.select(approvals).where(approvals.c.token_hash == sa.bindparam("token_hash"))
_BY_CALL = sa.select(approvals).where(
    approvals.c.run_id == sa.bindparam("run_id"), approvals.c.call_id == sa.bindparam("call_id")
)

# Requests that have not ended, oldest first: of one conversation, or all.
_STANDING = sa.select(approvals).where(approvals.c.state.in_(OPEN)).order_by(approvals.c.asked_at, approvals.c.id)
_OF_CONVERSATION = _STANDING.where(approvals.c.conversation == sa.bindparam("of_conversation"))

# The claim: of two that saw the same request one changes it.
_CHANGE = (
    sa.update(approvals)
    .where(approvals.c.id == sa.bindparam("of_id"), approvals.c.revision == sa.bindparam("of_revision"))
    .values(
        state=sa.bindparam("to_state"),
        votes=sa.bindparam("to_votes"),
        decided_by=sa.bindparam("to_decided_by"),
        outcome=sa.bindparam("to_outcome"),
        remind_at=sa.bindparam("to_remind_at"),
        changed_at=sa.bindparam("at"),
        revision=sa.bindparam("to_revision"),
    )
)


class Approvals:
    """The approvals table. Times are the database's: PostgreSQL's own clock; with SQLite, its one process's."""

    def __init__(self, connector: Connector, clock: Clock, deliveries: Deliveries) -> None:
        self._connector = connector
        self._clock = clock
        self._deliveries = deliveries

    async def now(self) -> datetime:
        """The database's clock."""
        return await self._connector.run(self._now)

    async def ask(self, approval: Approval, token_hash: str, posts: Posts) -> Approval | None:
        """Keeps a request with its first postings; `asked_at`, `expires_at` and `remind_at` are moved from their
        distance to each other onto the database's clock. None when this call of this run has one already."""

        def work(connection: sa.Connection) -> Approval | None:
            shift = self._now(connection) - approval.asked_at
            kept = replace(
                approval,
                asked_at=approval.asked_at + shift,
                expires_at=approval.expires_at + shift,
                remind_at=None if approval.remind_at is None else approval.remind_at + shift,
                changed_at=approval.asked_at + shift,
            )
            if not _ASK.wrote(connection, {**_row(kept), "token_hash": token_hash}):
                return None
            self._deliveries.write(connection, posts(kept, kept))
            return kept

        return await self._connector.run(work)

    async def change(self, approval_id: str, change: Change, posts: Posts) -> tuple[Approval, bool]:
        """Applies `change` to the request as it stands now and puts the postings in the outbox, in one commit. Returns
        the request as it stands then, and whether this changed it. Raises LookupError for an unknown id."""

        def work(connection: sa.Connection) -> tuple[Approval, bool]:
            row = connection.execute(_BY_ID.with_for_update(), {"approval_id": approval_id}).mappings().first()
            if row is None:
                raise LookupError(f"no such approval: {approval_id}")
            before, now = _approval(row), self._now(connection)
            after = change(before, now)
            if after is None:
                return before, False
            after = replace(after, changed_at=now, revision=before.revision + 1)
            if not connection.execute(_CHANGE, _changed(before, after)).rowcount:
                raise AssertionError("a locked row changed")
            self._deliveries.write(connection, posts(before, after))
            return after, True

        return await self._connector.run(work)

    async def get(self, approval_id: str) -> Approval | None:
        """A request by its id."""
        return await self._one(_BY_ID, {"approval_id": approval_id})

    async def of_token(self, token_hash: str) -> Approval | None:
        """The request whose button carries the token with this hash."""
        return await self._one(_BY_TOKEN, {"token_hash": token_hash})

    async def of_call(self, run_id: str, call_id: str) -> Approval | None:
        """The request of one call of one run."""
        return await self._one(_BY_CALL, {"run_id": run_id, "call_id": call_id})

    async def standing(self, *, conversation: str | None = None) -> list[Approval]:
        """The requests that have not ended, oldest first: of one conversation, or all."""
        query, values = _STANDING, dict[str, Any]()
        if conversation is not None:
            query, values = _OF_CONVERSATION, {"of_conversation": conversation}
        return await self._connector.run(lambda c: [_approval(r) for r in c.execute(query, values).mappings()])

    async def _one(self, query: sa.Select[Any], values: Mapping[str, Any]) -> Approval | None:
        def work(connection: sa.Connection) -> Approval | None:
            row = connection.execute(query, values).mappings().first()
            return None if row is None else _approval(row)

        return await self._connector.run(work)

    def _now(self, connection: sa.Connection) -> datetime:
        return database_now(connection, self._clock)


def _row(approval: Approval) -> dict[str, object]:
    return {
        "id": approval.id,
        "digest": approval.digest,
        "run_id": approval.run_id,
        "call_id": approval.call_id,
        "conversation": approval.conversation,
        "requester": approval.requester,
        "tool": approval.tool,
        "owner": approval.owner,
        "body": {
            "policy_revision": approval.policy_revision,
            "rule": {
                "users": list(approval.rule.users),
                "groups": list(approval.rule.groups),
                "self_approval": approval.rule.self_approval,
                "approvals": approval.rule.approvals,
                "expires_s": approval.rule.expires_s,
            },
            "shown": dict(approval.shown),
        },
        "asked_at": approval.asked_at,
        "remind_at": approval.remind_at,
        "expires_at": approval.expires_at,
        "changed_at": approval.changed_at,
        "state": approval.state,
        "votes": list(approval.votes),
        "decided_by": approval.decided_by,
        "outcome": dict(approval.outcome),
        "revision": approval.revision,
    }


def _changed(before: Approval, after: Approval) -> dict[str, object]:
    return {
        "of_id": before.id,
        "of_revision": before.revision,
        "to_state": after.state,
        "to_votes": list(after.votes),
        "to_decided_by": after.decided_by,
        "to_outcome": dict(after.outcome),
        "to_remind_at": after.remind_at,
        "at": after.changed_at,
        "to_revision": after.revision,
    }


def _approval(row: sa.RowMapping) -> Approval:
    body, rule = row["body"], row["body"]["rule"]
    return Approval(
        id=row["id"],
        digest=row["digest"],
        run_id=row["run_id"],
        call_id=row["call_id"],
        conversation=row["conversation"],
        requester=row["requester"],
        tool=row["tool"],
        owner=row["owner"],
        policy_revision=body["policy_revision"],
        rule=ApproverRule(
            users=tuple(rule["users"]),
            groups=tuple(rule["groups"]),
            self_approval=rule["self_approval"],
            approvals=rule["approvals"],
            expires_s=rule["expires_s"],
        ),
        shown=body["shown"],
        asked_at=row["asked_at"],
        expires_at=row["expires_at"],
        remind_at=row["remind_at"],
        changed_at=row["changed_at"],
        state=cast(ApprovalState, row["state"]),
        votes=tuple(row["votes"]),
        decided_by=row["decided_by"],
        outcome=row["outcome"],
        revision=row["revision"],
    )
