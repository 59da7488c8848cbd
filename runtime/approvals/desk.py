"""The desk: puts a frozen call before people, waits outside of the run's time, and hands one yes to the run that asked.

A request never outlives its run: a run that is resumed after a crash finds the request of its earlier attempt here and
does not wait again (facts/DURABLE.md 5). A yes that lands on another replica is found by looking at the row.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from datetime import timedelta

from runtime.approvals import moves
from runtime.approvals.face import Face
from runtime.boundary.approval import Approved, Earlier, FrozenCall, NotApproved, Outcome
from runtime.clock import Clock, NewId
from runtime.state import Approval, Approvals
from runtime.state.approvals import Change

# How often a waiting run looks whether another replica took a yes. With one process nobody else can have.
LOOK_S = 1.0
# How long a yes waits for the run that asked before whoever took it says that nobody does.
HANDOVER_S = 10.0
# How long the work waits for the buttons to be replaced. An outage of the place they stand in must not hold it up.
BUTTONS_S = 3.0
# A reminder comes when a fifth of the time is left, but not earlier than this before the end; short waits have none.
REMINDER_S, REMIND_FROM_S = 120.0, 60.0

RESTARTED = "I was restarted while waiting: not run. Ask again if it is still wanted."
STOPPED_BEFORE = "I was stopped after the approval and before it ran: not run. Ask again if it is still wanted."
NOBODY_WAITS = "Nobody waits for this any more: not run. Ask again if it is still wanted."
WITHDRAWN = "The question was stopped while waiting: not run."

# What becomes of a yes that no run takes up, and of a request whose process is gone.
_ABANDONED = moves.void(NOBODY_WAITS, states=("pending", "claimed"))
_UNTAKEN = moves.void(NOBODY_WAITS, states=("claimed",))


def token_hash(token: str) -> str:
    """What is kept of a button's token."""
    return hashlib.sha256(token.encode()).hexdigest()


class Desk:
    """Implements the boundary's `Approvals` over the state. `owner` names this process; `parked(run_id)` gives the
    run's worker slot back for as long as it is open; `open_s` bounds how long a run may wait in all; `alone` says that
    no other process shares the state."""

    def __init__(
        self,
        approvals: Approvals,
        face: Face,
        *,
        owner: str,
        clock: Clock,
        new_id: NewId,
        new_token: NewId,
        alone: bool,
        open_s: float,
        parked: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext(),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._approvals = approvals
        self._face = face
        self._owner = owner
        self._clock = clock
        self._new_id = new_id
        self._new_token = new_token
        self._alone = alone
        self._open_s = open_s
        self._parked = parked
        self._sleep = sleep
        # Requests that a run of this process waits for, each with what wakes it.
        self._waiting: dict[str, asyncio.Event] = {}
        self._closing = False

    # -- the run's side: the boundary's port -----------------------------------------------------------------------

    async def earlier(self, run_id: str, call_id: str) -> Earlier | None:
        """What an earlier attempt of this call left behind. One that was still waiting is void from now on."""
        found = await self._approvals.of_call(run_id, call_id)
        if found is None:
            return None
        if found.state in ("pending", "claimed"):
            found = await self.change(found.id, _interrupted)
        if found.state == "running":
            return Earlier(found.id, "running", "", found.digest)
        return Earlier(found.id, found.state, found.sentence or "Not run.", found.digest)

    async def ask(self, call: FrozenCall) -> Approved | NotApproved:
        """Puts the card up and waits. A run that is stopped or ends meanwhile voids its request."""
        approval = self._request(call)
        if (why := _impossible(approval)) or (why := await self._face.refusal(approval)):
            return NotApproved(why)
        token = self._new_token()
        asked = await self._approvals.ask(
            approval, token_hash(token), lambda _, after: self._face.asking(after, token, call.preflight.attachments)
        )
        if asked is None:
            raise AssertionError("a call is asked for once: `earlier` comes first")
        try:
            async with self._awaited(asked):
                ended = await self._decided(asked)
        except asyncio.CancelledError:
            sentence = RESTARTED if self._closing else WITHDRAWN
            await asyncio.shield(self.change(asked.id, moves.void(sentence, states=("pending", "claimed"))))
            raise
        if ended.state != "claimed":
            return NotApproved(ended.sentence, rejected=ended.state == "rejected")
        return await self._taken_up(ended)

    async def settle(self, approval_id: str, outcome: Outcome) -> None:
        """Writes down what came of an approved call; card and thread follow."""
        await self.change(approval_id, moves.settle(outcome))

    def _request(self, call: FrozenCall) -> Approval:
        now, rule = self._clock.now(), call.rule
        seconds = min(float(rule.expires_s), self._open_s - call.run_age_s)
        left = max(seconds, 0.0)
        early = min(REMINDER_S, left / 5)
        remind_at = now + timedelta(seconds=left - early) if left >= REMIND_FROM_S else None
        return Approval(
            id=self._new_id(),
            digest=call.digest,
            run_id=call.run_id,
            call_id=call.call_id,
            conversation=call.conversation,
            requester=call.requester,
            tool=call.tool,
            owner=self._owner,
            policy_revision=call.policy_revision,
            rule=rule,
            shown={
                "kind": call.kind,
                "source": call.source,
                "target": call.preflight.target,
                "summary": call.preflight.summary,
                "details": dict(call.preflight.details),
                "files": [file.name for file in call.preflight.attachments],
            },
            asked_at=now,
            expires_at=now + timedelta(seconds=left),
            remind_at=remind_at,
        )

    @asynccontextmanager
    async def _awaited(self, approval: Approval) -> AsyncGenerator[None]:
        """While a run of this process waits: no worker slot, and nothing that says it is working."""
        self._waiting[approval.id] = asyncio.Event()
        try:
            with self._parked(approval.run_id):
                async with self._face.waiting(approval.conversation):
                    yield
        finally:
            del self._waiting[approval.id]

    async def _decided(self, approval: Approval) -> Approval:
        """Waits until the request is no longer pending, and reminds on the way."""
        if not await self._face.brought_out(approval.id, BUTTONS_S):
            return await self.change(approval.id, moves.void("The card could not be posted here: not run."))
        while approval.state == "pending":
            await self._until_something(approval, self._waiting[approval.id])
            approval = await self._looked_at(approval.id)
        return approval

    async def _until_something(self, approval: Approval, woken: asyncio.Event) -> None:
        """Until somebody pressed here, time is up, the reminder is due, or another replica may have taken a yes."""
        asked = self._clock.monotonic()
        now = await self._approvals.now()
        ends = [approval.expires_at, *([approval.remind_at] if approval.remind_at else [])]
        passed = self._clock.monotonic() - asked
        left = max(min((end - now).total_seconds() for end in ends) - passed, 0.0)
        pause = asyncio.ensure_future(self._sleep(left if self._alone else min(left, LOOK_S)))
        press = asyncio.ensure_future(woken.wait())
        try:
            await asyncio.wait((pause, press), return_when=asyncio.FIRST_COMPLETED)
        finally:
            woken.clear()
            for each in (pause, press):
                each.cancel()

    async def _looked_at(self, approval_id: str) -> Approval:
        found = await self._approvals.get(approval_id)
        if found is None:
            raise LookupError(f"no such approval: {approval_id}")
        if found.state != "pending":
            return found
        found = await self.change(approval_id, moves.expire)
        return await self.change(approval_id, moves.remind) if found.state == "pending" else found

    async def _taken_up(self, approval: Approval) -> Approved | NotApproved:
        """The one place where a yes becomes work. The buttons are gone before it begins."""
        await self._face.brought_out(approval.id, BUTTONS_S)
        taken, won = await self._approvals.change(approval.id, moves.take_up, self._face.changed)
        if not won:
            return NotApproved(taken.sentence or NOBODY_WAITS)
        return Approved(approval.id, taken.digest, ", ".join(taken.votes))

    # -- the people's side -----------------------------------------------------------------------------------------

    async def change(self, approval_id: str, change: Change, token: str | None = None) -> Approval:
        """Makes a move if it still may be made, brings out what it says, and wakes the run that waits here."""
        approval, won = await self._approvals.change(
            approval_id, change, lambda before, after: self._face.changed(before, after, token)
        )
        if won:
            self._face.deliver(approval_id)
            self._wake(approval_id)
        return approval

    async def vote(self, approval: Approval, person: str, token: str) -> tuple[Approval, bool]:
        """A permitted person's yes; returns the request as it stands then and whether this yes counted."""
        after, won = await self._approvals.change(
            approval.id, moves.vote(person), lambda old, new: self._face.changed(old, new, token)
        )
        if won:
            self._face.deliver(approval.id)
            if approval.id not in self._waiting and self._alone and after.state == "claimed":
                return await self.change(approval.id, _UNTAKEN), True
            self._wake(approval.id)
        return after, won

    async def handed_over(self, approval_id: str) -> Approval:
        """After a yes: waits until the run that asked has taken it up, on whichever replica it runs. Where nobody does,
        the request is void. Returns the request as it stands then."""
        if approval_id not in self._waiting:
            waited = 0.0
            while (found := await self._approvals.get(approval_id)) is not None and found.state == "claimed":
                if waited >= HANDOVER_S:
                    return await self.change(approval_id, _UNTAKEN)
                await self._sleep(LOOK_S)
                waited += LOOK_S
        found = await self._approvals.get(approval_id)
        if found is None:
            raise LookupError(f"no such approval: {approval_id}")
        return found

    def _wake(self, approval_id: str) -> None:
        if (event := self._waiting.get(approval_id)) is not None:
            event.set()

    # -- the house's side ------------------------------------------------------------------------------------------

    def close(self) -> None:
        """The process is about to end: requests that are cut off from now on say that it was a restart."""
        self._closing = True

    async def recover(
        self, gone: Callable[[str], bool] = lambda _: True, *, restarted: Callable[[str], bool] = lambda _: True
    ) -> int:
        """Requests of processes that are gone wait for nobody: `gone` says it of an owner, and `restarted` whether it
        was an earlier life of this place. Those that were being carried out are left to their run, which finds out what
        became of them. Returns how many were voided."""
        waiting = [each for each in await self._approvals.standing() if each.state in ("pending", "claimed")]
        lost = [each for each in waiting if gone(each.owner)]
        for each in lost:
            await self.change(each.id, _interrupted if restarted(each.owner) else _ABANDONED)
        return len(lost)

    async def sweep(self) -> None:
        """Ends requests of replicas that died: those whose time is up, and yeses that nobody took up."""
        now = await self._approvals.now()
        for each in await self._approvals.standing():
            if each.id in self._waiting:
                continue
            if each.state == "pending" and now >= each.expires_at + timedelta(seconds=HANDOVER_S):
                await self.change(each.id, moves.expire)
            late = each.changed_at is not None and now >= each.changed_at + timedelta(seconds=3 * HANDOVER_S)
            if each.state == "claimed" and late:
                await self.change(each.id, _UNTAKEN)


def _interrupted(approval: Approval, now: object) -> Approval | None:
    sentence = RESTARTED if approval.state == "pending" else STOPPED_BEFORE
    return moves.void(sentence, states=("pending", "claimed"))(approval, approval.asked_at)


def _impossible(approval: Approval) -> str:
    """Why no answer could ever count, so that nobody is asked in vain."""
    rule = approval.rule
    if rule.nobody:
        return "Nobody may approve this here: the admission manifest names no approvers."
    people = set(rule.users) if rule.self_approval else set(rule.users) - {approval.requester}
    if not rule.groups and len(people) < rule.approvals:
        return (
            "Nobody else may approve this: it needs "
            f"{'two people' if rule.approvals > 1 else 'a person'} beside whoever asks, and the manifest names too few."
        )
    if approval.expires_at <= approval.asked_at:
        return "This run has waited for people as long as a run may."
    return ""
