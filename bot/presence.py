"""Who can read a conversation and who asks: Slack's answers as admission facts, kept for a minute."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.address import Address
from bot.delivery.answers import CALL_ERRORS, error_name, outcome_of
from bot.slack_client import body_of
from runtime.admission import Asker, Conversation
from runtime.capability import Scope
from runtime.clock import Clock
from runtime.deliveries import Refused

log = structlog.get_logger(__name__)

T = TypeVar("T")

KEPT_SECONDS = 60.0  # DESIGN 8: membership is cached for a minute
_PAGE = 200
_ASKED_ONE_BY_ONE = 25
# Whatever keeps an answer from us, a refusal or a broken line: what it would have said is not known.
_NOT_LEARNED = (SlackClientError, *CALL_ERRORS)


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """What users.info says of a person; None for what it does not say. `locale`: such as `de-DE`, '' when unknown."""

    id: str
    name: str
    external: bool | None
    guest: bool | None
    deactivated: bool | None
    bot: bool | None
    locale: str = ""


class Kept(Generic[T]):
    """Answers kept for a minute by key; simultaneous questions for one key share one answer."""

    def __init__(self, clock: Clock, learn: Callable[[str], Awaitable[T]]) -> None:
        self._clock = clock
        self._learn = learn
        self._known: dict[str, tuple[float, asyncio.Future[T]]] = {}

    async def get(self, key: str) -> T:
        """The answer for `key`, learned anew when older than a minute. What failed is not kept."""
        now = self._clock.monotonic()
        kept = self._known.get(key)
        if kept is None or now - kept[0] >= KEPT_SECONDS:
            kept = (now, asyncio.ensure_future(self._learn(key)))
            self._known[key] = kept
        try:
            return await asyncio.shield(kept[1])
        except BaseException:
            if self._known.get(key) is kept and kept[1].done():
                del self._known[key]
            raise

    def forget(self, key: str) -> None:
        """The next question is asked anew."""
        self._known.pop(key, None)


class SlackPresence:
    """The facts that admission needs. What Slack doesn't tell is None, which closes."""

    def __init__(
        self, client: AsyncWebClient, clock: Clock, *, team: str, bot_user: str, groups: Callable[[], frozenset[str]]
    ) -> None:
        self._client = client
        self._team = team
        self._bot_user = bot_user
        self._groups = groups
        self._places = Kept(clock, self._learn_place)
        self._people = Kept(clock, self._learn_person)
        self._everybody = Kept(clock, self._learn_everybody)
        self._members = Kept(clock, self._learn_members)
        self._group_members = Kept(clock, self._learn_group)

    async def look(self, scope: Scope) -> tuple[Conversation, Asker | None]:
        """The facts for a run's scope, as the boundary asks for them before every call."""
        return await self.facts(Address.parse(scope.conversation).channel, scope.asker)

    async def facts(self, channel: str, user: str) -> tuple[Conversation, Asker | None]:
        """The place and the asker now. An empty `user` means that nobody asks."""
        place, asker = await asyncio.gather(self._place(channel), self._asker(user))
        return place, asker

    async def person(self, user: str) -> PersonFacts:
        """What is known of a person."""
        try:
            return await self._people.get(user)
        except _NOT_LEARNED as error:
            log.warning("users.info failed", user=user, reason=_code(error))
            return PersonFacts(user, user, None, None, None, None)

    def forget(self, channel: str, *users: str) -> None:
        """Membership is asked again before an approval or a delivery (DESIGN 8): nothing that is kept of these is
        believed. The list of all people stays, which takes many calls: who isn't in it is asked about alone."""
        self._places.forget(channel)
        self._members.forget(channel)
        for user in users:
            self._people.forget(user)
        for group in self._groups():
            self._group_members.forget(group)

    async def away(self, channel: str) -> bool:
        """Whether Slack can't be asked just now: what it doesn't tell may be known later."""
        try:
            await self._learn_place(channel)
        except CALL_ERRORS as error:
            return not isinstance(outcome_of(error), Refused)
        return False

    async def is_in(self, user: str, groups: Iterable[str]) -> bool | None:
        """Whether a person is in one of these groups now; None when that could not be learned."""
        learned = True
        for group in groups:
            self._group_members.forget(group)
            try:
                if user in await self._group_members.get(group):
                    return True
            except _NOT_LEARNED as error:
                log.warning("usergroups.users.list failed", group=group, reason=_code(error))
                learned = False
        return False if learned else None

    async def _asker(self, user: str) -> Asker | None:
        if not user:
            return None
        person, groups = await asyncio.gather(self.person(user), self._groups_of(user))
        return Asker(user, person.external, person.guest, person.deactivated, person.bot, groups)

    async def _place(self, channel: str) -> Conversation:
        direct = channel.startswith("D")
        try:
            # Who reads a channel is asked beside what it is, not after it: one round trip to Slack less.
            place, guest_reads = await asyncio.gather(
                self._places.get(channel), _nobody() if direct else self._guest_reads(channel)
            )
        except _NOT_LEARNED as error:
            log.warning("conversations.info failed", channel=channel, reason=_code(error))
            return Conversation("im" if direct else "channel", channel, None, None, None, None)
        if place.kind == "im":
            return place
        return Conversation(place.kind, channel, place.shared, place.pending_shared, place.archived, guest_reads)

    async def _guest_reads(self, channel: str) -> bool | None:
        """Whether a guest is among a channel's members: one by one in a small channel, by the list of all people in a
        large one, whose members would use up the minute's calls."""
        try:
            members = await self._members.get(channel) - {self._bot_user}
            if len(members) > _ASKED_ONE_BY_ONE:
                guests, members = await self._listed(members)
                if guests:
                    return True
        except _NOT_LEARNED as error:
            log.warning("membership could not be learned", channel=channel, reason=_code(error))
            return None
        people = await asyncio.gather(*(self.person(member) for member in sorted(members)))
        states = [person.guest for person in people if not (person.bot or person.deactivated)]
        if True in states:
            return True
        return None if None in states else False

    async def _listed(self, members: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Those of `members` whom the list of all people calls guests, and the few whom it doesn't know yet. Whoever a
        new list doesn't know either is none of this workspace."""
        everybody = await self._everybody.get("")
        unknown = members - everybody.keys()
        if len(unknown) > _ASKED_ONE_BY_ONE:
            self._everybody.forget("")
            everybody, unknown = await self._everybody.get(""), frozenset[str]()
        return frozenset(member for member in members if everybody.get(member)), unknown

    async def _groups_of(self, user: str) -> frozenset[str]:
        found = set[str]()
        for group in self._groups():
            try:
                if user in await self._group_members.get(group):
                    found.add(group)
            except _NOT_LEARNED as error:
                log.warning("usergroups.users.list failed", group=group, reason=_code(error))
        return frozenset(found)

    async def _learn_place(self, channel: str) -> Conversation:
        info: dict[str, Any] = body_of(await self._client.conversations_info(channel=channel))["channel"]
        kind = "im" if info.get("is_im") else "mpim" if info.get("is_mpim") else "channel"
        pending = bool(info.get("is_pending_ext_shared") or info.get("pending_connected_team_ids"))
        shared = info.get("is_ext_shared", False if kind == "im" else None)
        return Conversation(kind, channel, shared, pending, bool(info.get("is_archived", False)))

    async def _learn_person(self, user: str) -> PersonFacts:
        info: dict[str, Any] = body_of(await self._client.users_info(user=user, include_locale=True))["user"]
        restricted = [info.get("is_restricted"), info.get("is_ultra_restricted")]
        profile = info.get("profile", {})
        return PersonFacts(
            id=user,
            name=str(profile.get("display_name") or info.get("real_name") or info.get("name") or user),
            external=bool(info.get("is_stranger")) or info.get("team_id", self._team) != self._team,
            guest=any(restricted) if any(flag is not None for flag in restricted) else None,
            deactivated=bool(info.get("deleted", False)),
            bot=bool(info.get("is_bot", False)) or bool(info.get("is_workflow_bot", False)),
            locale=str(info.get("locale") or ""),
        )

    async def _learn_everybody(self, _: str) -> dict[str, bool]:
        """Each person of the workspace, and whether it is a guest."""
        found = dict[str, bool]()
        async for page in await self._client.users_list(limit=_PAGE):
            found |= {user["id"]: _restricted(user) for user in body_of(page)["members"]}
        return found

    async def _learn_members(self, channel: str) -> frozenset[str]:
        found = set[str]()
        async for page in await self._client.conversations_members(channel=channel, limit=_PAGE):
            found |= set(body_of(page)["members"])
        return frozenset(found)

    async def _learn_group(self, group: str) -> frozenset[str]:
        return frozenset(body_of(await self._client.usergroups_users_list(usergroup=group))["users"])


def _restricted(person: dict[str, Any]) -> bool:
    return bool(person.get("is_restricted") or person.get("is_ultra_restricted"))


async def _nobody() -> None:
    """Nothing is asked about a direct message's readers."""


def _code(error: Exception) -> str:
    return error_name(error) or type(error).__name__
