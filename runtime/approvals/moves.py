"""What may become of a request, as pure functions: from the request and the database's clock to the request after it.

    pending ─vote→ claimed ─take_up→ running ─settle→ done | dry_run | drift | failed | void | unknown
       │              └─ void
       ├─reject→ rejected   ├─expire→ expired   └─void→ void

None means that the move is too late. The limit of time is exclusive: at `expires_at` nobody can say yes any more.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from runtime.boundary.approval import Outcome
from runtime.state import Approval, ApprovalState
from runtime.state.approvals import Change


def vote(person: str) -> Change:
    """A yes; with enough of them from different people the request is claimed. Also the claim that only one wins."""

    def change(approval: Approval, now: datetime) -> Approval | None:
        if approval.state != "pending" or now >= approval.expires_at or person in approval.votes:
            return None
        votes = (*approval.votes, person)
        enough = len(votes) >= approval.rule.approvals
        return replace(approval, votes=votes, state="claimed" if enough else "pending", decided_by=person)

    return change


def discount(people: Collection[str]) -> Change:
    """The yeses of people who may not decide any more count no longer."""

    def change(approval: Approval, _: datetime) -> Approval | None:
        votes = tuple(person for person in approval.votes if person not in people)
        return replace(approval, votes=votes) if approval.state == "pending" and votes != approval.votes else None

    return change


def reject(person: str, reason: str) -> Change:
    """One no is final."""

    def change(approval: Approval, now: datetime) -> Approval | None:
        if approval.state != "pending" or now >= approval.expires_at:
            return None
        return _ended(approval, "rejected", reason, person)

    return change


def expire(approval: Approval, now: datetime) -> Approval | None:
    """Time is up."""
    if approval.state != "pending" or now < approval.expires_at:
        return None
    return _ended(approval, "expired", "Nobody approved in time.")


def void(sentence: str, person: str = "", states: tuple[ApprovalState, ...] = ("pending",)) -> Change:
    """The request is no longer valid: whoever asked is gone, a person withdrew it, the place or the policy changed."""

    def change(approval: Approval, _: datetime) -> Approval | None:
        return _ended(approval, "void", sentence, person) if approval.state in states else None

    return change


def remind(approval: Approval, now: datetime) -> Approval | None:
    """The reminder is due, and is given once."""
    if approval.state != "pending" or approval.remind_at is None or now < approval.remind_at:
        return None
    return replace(approval, remind_at=None)


def take_up(approval: Approval, _: datetime) -> Approval | None:
    """The run that asked takes the yes: from now on the call may have been executed."""
    return replace(approval, state="running") if approval.state == "claimed" else None


def settle(outcome: Outcome) -> Change:
    """What came of the execution. One that never began was nobody's decision: the last word was a crash's."""

    def change(approval: Approval, _: datetime) -> Approval | None:
        if approval.state != "running":
            return None
        person = "" if outcome.state == "void" else approval.decided_by
        ended = _ended(approval, outcome.state, outcome.sentence, person)
        return replace(ended, outcome={**ended.outcome, "receipt": outcome.receipt})

    return change


def _ended(approval: Approval, state: ApprovalState, sentence: str, person: str = "") -> Approval:
    return replace(approval, state=state, outcome={"sentence": sentence}, decided_by=person, remind_at=None)
