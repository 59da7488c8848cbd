"""The audience rule: is a source open in this conversation, for this asker, in the state known now? (DESIGN 8)"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StringConstraints

ChannelId = Annotated[str, StringConstraints(pattern=r"^(\*|[CG][A-Z0-9]{2,})$")]
UserId = Annotated[str, StringConstraints(pattern=r"^[UW][A-Z0-9]{2,}$")]
GroupId = Annotated[str, StringConstraints(pattern=r"^S[A-Z0-9]{2,}$")]


class Audience(BaseModel):
    """Who may see a source. Ids only, never names: a renamed channel must not inherit data."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    channels: Annotated[
        tuple[ChannelId, ...],
        Field(description='Channel ids; "*" is every channel that no other organisation shares. Empty admits none.'),
    ] = ()
    im: Annotated[StrictBool, Field(description="Open in direct messages.")] = False
    users: Annotated[tuple[UserId, ...], Field(description="When not empty: only these people may ask.")] = ()
    groups: Annotated[tuple[GroupId, ...], Field(description="When not empty: or members of these groups.")] = ()
    external: Annotated[StrictBool, Field(description="Open in listed channels shared with another organisation.")] = (
        False
    )
    guests: Annotated[StrictBool, Field(description="Open to guests, and in channels that a guest can read.")] = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """The place of a conversation as it is now. None means that it could not be learned."""

    kind: Literal["channel", "im", "mpim"]
    id: str
    shared: bool | None = False
    pending_shared: bool | None = False
    archived: bool | None = False
    guest_can_read: bool | None = False


@dataclass(frozen=True, slots=True)
class Asker:
    """The person who asks, as they are now. None means that it could not be learned."""

    id: str
    external: bool | None = False
    guest: bool | None = False
    deactivated: bool | None = False
    bot: bool | None = False
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Open or closed, with the first reason that holds."""

    admitted: bool
    reason: str


Check = Callable[[Audience, Conversation, Asker | None], str | None]


def decide(audience: Audience, conversation: Conversation, asker: Asker | None) -> Verdict:
    """Applies the checks in their published order; the first reason wins. What could not be learned closes."""
    for check in _CHECKS:
        reason = check(audience, conversation, asker)
        if reason is not None:
            return Verdict(admitted=False, reason=reason)
    return Verdict(admitted=True, reason="ok")


def _known(value: bool | None, reason: str) -> str | None:
    if value is None:
        return "unknown_state"
    return reason if value else None


def _no_person(_: Audience, __: Conversation, asker: Asker | None) -> str | None:
    if asker is None:
        return None
    return _known(asker.deactivated, "asker_deactivated") or _known(asker.bot, "asker_bot")


def _archived(_: Audience, conversation: Conversation, __: Asker | None) -> str | None:
    return _known(conversation.archived, "place_archived")


def _place(audience: Audience, conversation: Conversation, _: Asker | None) -> str | None:
    if conversation.kind == "im":
        return None if audience.im else "im_off"
    if conversation.id in audience.channels:
        return None
    if "*" not in audience.channels or conversation.kind == "mpim":
        return "place_not_listed"
    return _known(_shared(conversation), "wildcard_excludes_shared")


def _external(audience: Audience, conversation: Conversation, asker: Asker | None) -> str | None:
    if audience.external:
        return None
    reason = _known(_shared(conversation), "place_external")
    return reason or (None if asker is None else _known(asker.external, "person_external"))


def _guests(audience: Audience, conversation: Conversation, asker: Asker | None) -> str | None:
    if audience.guests:
        return None
    reason = None if asker is None else _known(asker.guest, "guest_asker")
    return reason or _known(conversation.guest_can_read, "guest_can_read")


def _person(audience: Audience, _: Conversation, asker: Asker | None) -> str | None:
    if not audience.users and not audience.groups:
        return None
    if asker is None:
        return "no_person"
    listed = asker.id in audience.users or not asker.groups.isdisjoint(audience.groups)
    return None if listed else "person_not_listed"


def _shared(conversation: Conversation) -> bool | None:
    """A pending invitation counts as shared; one True settles it, else one unknown leaves it unknown."""
    states = (conversation.shared, conversation.pending_shared)
    if True in states:
        return True
    return None if None in states else False


_CHECKS: tuple[Check, ...] = (_no_person, _archived, _place, _external, _guests, _person)
