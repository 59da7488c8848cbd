"""The face of the approval desk in Slack: its postings go through the outbox, in the commit that makes them true."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.address import Address
from bot.background import Background
from bot.delivery import StatusBoard
from bot.delivery.payload import Place
from bot.presence import SlackPresence
from bot.question import Question
from bot.render.approval_card import card, notice, operator_notice, reminder, waiting_message
from bot.render.blocks import SlackMessage
from bot.render.files import FilePart
from runtime.capability import Attachment
from runtime.deliveries import Outbox, Sender
from runtime.state import Approval, Deliveries, Delivery, NewDelivery, State

SOURCE, OPERATORS = "approval:", "operators:"
SHARED = "Changes are off in channels shared with another organisation: not run."
UNKNOWN_PLACE = "Who can read this conversation could not be learned, so nothing may be changed from here now."
UNREAD = "Somebody else has to approve this, and nobody else reads a direct message: not run. Ask again in a channel."
_CARD_PART = 1


@dataclass(frozen=True, slots=True)
class Board:
    """Implements `runtime.approvals.Face`. `zone` gives the time zone of a channel, `operators` the ids of those
    who look after this deployment; `sleep` bounds its waits.

    A request has three lanes in the outbox: the card with its edits, the files beside it, and what the thread is told;
    so a card that somebody deleted keeps nobody from hearing how it ended.
    """

    state: State
    outbox: Outbox
    sender: Sender
    status: StatusBoard
    presence: SlackPresence
    background: Background
    zone: Callable[[str], str]
    operators: Callable[[], Sequence[str]]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def asking(self, approval: Approval, token: str, attachments: Sequence[Attachment]) -> Sequence[NewDelivery]:
        """The card with its buttons, and the whole texts as files."""
        where = Address.parse(approval.conversation)
        shown = card(approval, self.zone(where.channel), token)
        files = [
            FilePart(each.name, each.name, f"All rows of the change: {each.name}", each.text.encode())
            for each in attachments
            if each.text
        ]
        return [
            _posting(approval, "card", "message", shown, _CARD_PART),
            *(_file(approval, file, number) for number, file in enumerate(files, 1)),
        ]

    def changed(self, before: Approval, after: Approval, token: str | None = None) -> Sequence[NewDelivery]:
        """The edited card for all that changes it, and a word in the thread for what ends it."""
        zone, part = self.zone(Address.parse(after.conversation).channel), after.revision + 1
        if after.state == "pending" and after.votes == before.votes:
            return [_posting(after, "thread", "message", reminder(after, zone), part)]
        if (before.state, after.state) == ("claimed", "running"):
            return []
        edited = _posting(after, "card", "update", card(after, zone, token), part)
        if after.state in ("pending", "claimed"):
            return [edited]
        told = [edited, _posting(after, "thread", "message", notice(after, self.operators()), part)]
        return [*told, *self._to_operators(after)]

    def _to_operators(self, approval: Approval) -> list[NewDelivery]:
        """Where nobody knows what became of a change, the operators hear of it, wherever they are."""
        if approval.state != "unknown":
            return []
        body = operator_notice(approval).as_json()
        return [
            NewDelivery(SOURCE + approval.id, f"{user}:operator", 1, "message", {**Place(user).as_json(), **body})
            for user in self.operators()
        ]

    async def tell_operators(self, key: str, message: SlackMessage) -> None:
        """Tells each of the operators, once for each `key`, whichever replica and however often. Raises StateError."""
        source = OPERATORS + key
        await self.state.deliveries.enqueue(
            [
                NewDelivery(source, f"{user}:operator", 1, "message", {**Place(user).as_json(), **message.as_json()})
                for user in self.operators()
            ]
        )
        await self.outbox.deliver(source, self.sender)

    def deliver(self, approval_id: str) -> None:
        """Brings out what is in the outbox, in the background, for as long as Slack needs."""
        self._begin(approval_id)

    async def brought_out(self, approval_id: str, seconds: float) -> bool:
        """Waits, at most so long, until all is out; False when Slack refused the card for good."""
        enough = asyncio.ensure_future(self.sleep(seconds))
        try:
            await asyncio.wait((self._begin(approval_id), enough), return_when=asyncio.FIRST_COMPLETED)
        finally:
            enough.cancel()
        posted = await self.posted(approval_id)
        return posted is None or posted.state not in ("failed", "unknown")

    async def refusal(self, approval: Approval) -> str:
        """Nothing is changed from a place that another organisation reads, whatever is admitted there, and nobody is
        waited for where no approver can ever see the card."""
        place, _ = await self.presence.facts(Address.parse(approval.conversation).channel, "")
        if place.shared is None or place.pending_shared is None:
            return UNKNOWN_PLACE
        if place.shared or place.pending_shared:
            return SHARED
        return UNREAD if place.kind == "im" and not await self._decides_alone(approval) else ""

    async def _decides_alone(self, approval: Approval) -> bool:
        """Whether the asker's own yes is enough; a card goes up where Slack doesn't tell."""
        rule, asker = approval.rule, approval.requester
        if not rule.self_approval or rule.approvals > 1:
            return False
        return asker in rule.users or await self.presence.is_in(asker, rule.groups) is not False

    @asynccontextmanager
    async def waiting(self, conversation: str) -> AsyncGenerator[None]:
        """No status line while a person is waited for."""
        where = Address.parse(conversation)
        async with self.status.hidden(where.channel, where.thread_ts):
            yield

    async def posted(self, approval_id: str) -> Delivery | None:
        """The posting of the card itself; its `remote_id` is the message's ts."""
        rows = await self.state.deliveries.of_source(SOURCE + approval_id)
        return next((row for row in rows if row.dest.endswith(":card") and row.part_no == _CARD_PART), None)

    async def files_posted(self, approval_id: str) -> bool | None:
        """Whether the files beside the card stand in the thread; None for one that never will."""
        rows = await self.state.deliveries.of_source(SOURCE + approval_id)
        states = {row.state for row in rows if row.dest.endswith(":files")}
        return None if states & {"failed", "unknown"} else states <= {"sent"}

    async def answered_meanwhile(self, question: Question) -> bool:
        """A message in a thread that waits for an approval is answered at once; its own turn comes after. False where
        nothing is waited for."""
        standing = await self.state.approvals.standing(conversation=str(question.address))
        if not standing:
            return False
        source = f"waiting:{question.key}"
        place = Place(question.channel, question.thread_ts)
        told = waiting_message(standing[0], self.zone(question.channel))
        await self.state.deliveries.enqueue(
            [NewDelivery(source, str(place), 1, "message", {**place.as_json(), **told.as_json()})]
        )
        await self.outbox.deliver(source, self.sender)
        return True

    async def recover(self) -> None:
        """Boot: postings that a crash left in the outbox go out, in the background."""
        for source in await self.state.deliveries.open_sources():
            if source.startswith((SOURCE, "waiting:", OPERATORS)):
                self.background.start(self._bring_out(source), name=f"bring out {source}")

    def _begin(self, approval_id: str) -> asyncio.Task[None]:
        return self.background.start(self._bring_out(SOURCE + approval_id), name=f"bring out approval {approval_id}")

    async def _bring_out(self, source: str) -> None:
        await self.outbox.deliver(source, self.sender)


async def card_of(deliveries: Deliveries, edit: Delivery) -> str | None:
    """The message that an edit in a card's lane is about: the lane's first part."""
    rows = await deliveries.of_source(edit.source)
    return next((row.remote_id for row in rows if row.dest == edit.dest and row.part_no == _CARD_PART), None)


def _posting(approval: Approval, lane: str, kind: str, message: SlackMessage, part: int) -> NewDelivery:
    place = _place(approval)
    body = {**place.as_json(), **message.as_json()}
    return NewDelivery(SOURCE + approval.id, f"{place}:{lane}", part, kind, body)  # type: ignore[arg-type]


def _file(approval: Approval, file: FilePart, number: int) -> NewDelivery:
    place = _place(approval)
    body = {**place.as_json(), **file.as_json()}
    return NewDelivery(SOURCE + approval.id, f"{place}:files", number, "file", body)


def _place(approval: Approval) -> Place:
    where = Address.parse(approval.conversation)
    return Place(where.channel, where.thread_ts)
