"""Who may decide a request, asked of Slack afresh at the moment of the press."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from bot.address import Address
from bot.approvals.board import SHARED, UNKNOWN_PLACE
from bot.presence import SlackPresence
from runtime.admission import Asker, Conversation, Policy
from runtime.state import Approval

ACCOUNT = "This account may not decide this; nothing was run. The card names who may."
NOT_LISTED = "You may not decide this; nothing was run. The card names who may."
OWN_REQUEST = "You may not approve your own request; somebody else has to."
NOT_LEARNED = "I could not check just now whether you may decide this; nothing was run. Please press again."
POLICY_CHANGED = "The admission policy changed, and the source may have been withdrawn: not run."


@dataclass(frozen=True, slots=True)
class Permitted:
    """This person may decide."""


@dataclass(frozen=True, slots=True)
class Refused:
    """This person may not; the request stays as it is."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Invalid:
    """Nobody may any more: the request is void."""

    sentence: str


Verdict = Permitted | Refused | Invalid


@dataclass(frozen=True, slots=True)
class Pressers:
    """Judges those who press. `policy` is the one in force, `team` our own workspace."""

    presence: SlackPresence
    policy: Callable[[], Policy]
    team: str

    async def judge(self, approval: Approval, user: str, team: str, *, deciding: bool = True) -> Verdict:
        """May this person decide now? `deciding` False: say no or cancel, which the asker may as well."""
        if team != self.team:
            return Refused(ACCOUNT)
        channel = Address.parse(approval.conversation).channel
        self.presence.forget(channel, user, approval.requester)
        (place, person), (_, requester), listed = await asyncio.gather(
            self.presence.facts(channel, user),
            self.presence.facts(channel, approval.requester),
            self._listed(approval, user),
        )
        if person is None:
            return Refused(ACCOUNT)
        if why := _account(person):
            return Refused(why)
        if (gone := self.gone(approval, place, requester)) is not None:
            return gone
        if listed is None:
            return Refused(NOT_LEARNED)
        own = user == approval.requester
        if own and not deciding:
            return Permitted()
        if not listed:
            return Refused(NOT_LISTED)
        if own and not approval.rule.self_approval:
            return Refused(OWN_REQUEST)
        return self._admitted(approval, place, person)

    async def still_valid(self, approval: Approval) -> Invalid | None:
        """Whether the request still stands where it was asked; something about the place has changed."""
        channel = Address.parse(approval.conversation).channel
        self.presence.forget(channel, approval.requester)
        place, requester = await self.presence.facts(channel, approval.requester)
        return self.gone(approval, place, requester)

    def gone(self, approval: Approval, place: Conversation, requester: Asker | None) -> Invalid | None:
        """Why nobody may decide any more. What could not be learned ends nothing."""
        policy, source = self.policy(), str(approval.shown.get("source") or "")
        if policy.revision != approval.policy_revision:
            return Invalid(POLICY_CHANGED)
        if place.shared or place.pending_shared:
            return Invalid("This channel is shared now with another organisation: not run.")
        if not source:
            return None
        denied = policy.denial(source, place, requester)
        if denied is None or denied.reason == "unknown_state":
            return None
        return Invalid(f"The source was withdrawn here: not run. {denied.sentence}")

    def _admitted(self, approval: Approval, place: Conversation, person: Asker) -> Verdict:
        """Who decides about a source has to be one of those whom it is open to."""
        if place.shared is None or place.pending_shared is None:
            return Refused(UNKNOWN_PLACE)
        source = str(approval.shown.get("source") or "")
        denied = self.policy().denial(source, place, person) if source else None
        if denied is None:
            return Permitted()
        return Refused(NOT_LEARNED if denied.reason == "unknown_state" else f"{NOT_LISTED} {denied.sentence}")

    async def _listed(self, approval: Approval, user: str) -> bool | None:
        if user in approval.rule.users:
            return True
        return await self.presence.is_in(user, approval.rule.groups)


def _account(person: Asker) -> str:
    """Why this kind of account never decides."""
    states = (person.external, person.guest, person.deactivated, person.bot)
    if True in states:
        return ACCOUNT
    return NOT_LEARNED if None in states else ""


__all__ = ["SHARED", "Invalid", "Permitted", "Pressers", "Refused", "Verdict"]
