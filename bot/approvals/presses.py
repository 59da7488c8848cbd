"""A press on Approve, Reject or Cancel: checked, counted at most once, and answered whatever comes of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import structlog

from bot.approvals.board import UNKNOWN_PLACE, Board
from bot.approvals.pressers import NOT_LEARNED, Invalid, Permitted, Pressers, Refused
from bot.render.approval_card import left_to_the_file, people
from bot.render.text import line_text
from runtime.approvals import Desk, moves, token_hash
from runtime.state import Approval, State
from runtime.state.approvals import Change

log = structlog.get_logger(__name__)

NOT_VALID = "This button is not valid; nothing was run."
FILE_REFUSED = "The file with all rows could not be posted here, so nobody can look at the whole change: not run."
FILE_COMING = "The file with all rows is still on its way; nothing was run. Please look at it and press again."
QUESTION_GONE = "The question was deleted: not run."
_REASON_CHARS = 500
# The press is acknowledged already; whoever pressed a real button must not hear that it is none.
_WRITTEN_DOWN_S = 15.0


@dataclass(frozen=True, slots=True)
class Press:
    """One press: who, from which workspace, on which message, and what the button carried."""

    user: str
    team: str
    channel: str
    message_ts: str
    value: str


@dataclass(frozen=True, slots=True)
class Presses:
    """Acts on presses. Every method returns what the presser is told privately, '' when card and thread say it."""

    state: State
    desk: Desk
    board: Board
    pressers: Pressers

    async def approve(self, press: Press) -> str:
        """A yes, if this person may say it now."""
        approval, told = await self.judged(press)
        if approval is None or told:
            return told
        lapsed = await self._lapsed(approval, press)
        if lapsed is None:
            return NOT_LEARNED
        after, won = await self.desk.vote(approval, press.user, press.value)
        await self._audit("approval_yes", after, press, won)
        if not won:
            return await self._too_late(after, press.user)
        if after.state == "claimed":
            after = await self.desk.handed_over(after.id)
        if after.state == "void":
            return standing_words(after)
        return f"{people(lapsed)} may not decide this any more: that yes does not count." if lapsed else ""

    async def reject(self, press: Press, reason: str) -> str:
        """A no, with its reason."""
        approval, told = await self.judged(press, deciding=False)
        if approval is None or told:
            return told
        after, won = await self._changed(approval, moves.reject(press.user, reason.strip()[:_REASON_CHARS]))
        await self._audit("approval_no", after, press, won)
        return "" if won else await self._too_late(after, press.user)

    async def cancel(self, press: Press) -> str:
        """Whoever asked, or may decide, takes the request back. The button carries the request's id: it grants
        nothing."""
        approval = await self.state.approvals.get(press.value)
        if approval is None or approval.conversation.split(":")[1] != press.channel:
            return NOT_VALID
        if approval.state != "pending":
            return _too_late_to_cancel(approval)
        verdict = await self.pressers.judge(approval, press.user, press.team, deciding=False)
        if not isinstance(verdict, Permitted):
            return verdict.sentence
        after, won = await self._changed(approval, moves.void("Cancelled: not run.", press.user))
        await self._audit("approval_cancel", after, press, won)
        return "" if won else _too_late_to_cancel(after)

    async def judged(self, press: Press, *, deciding: bool = True) -> tuple[Approval | None, str]:
        """The request behind a button, and '' when this person may decide it now; else what they are told."""
        approval = await self.state.approvals.of_token(token_hash(press.value))
        if approval is None or not await self._on_its_card(approval, press):
            log.warning("a button that is not ours to honour", user=press.user, channel=press.channel)
            await self.state.audit.add("approval_forged", {"user": press.user, "channel": press.channel})
            return None, NOT_VALID
        if approval.state == "pending" and await self.state.approvals.now() >= approval.expires_at:
            approval = await self.desk.change(approval.id, moves.expire)
        if approval.state != "pending":
            return approval, standing_words(approval)
        match await self.pressers.judge(approval, press.user, press.team, deciding=deciding):
            case Permitted():
                return await self._seen_whole(approval) if deciding else (approval, "")
            case Refused(sentence):
                await self.state.audit.add("approval_refused", {"user": press.user, "approval": approval.id})
                return approval, sentence
            case Invalid(sentence):
                after = await self.desk.change(approval.id, moves.void(sentence))
                return after, standing_words(after)

    async def revalidate(self, channel: str | None = None) -> None:
        """Something about a channel or its people (None: about the policy) changed: requests that may not stand there
        any more are void, whatever changes back later."""
        for approval in await self.state.approvals.standing():
            elsewhere = channel is not None and approval.conversation.split(":")[1] != channel
            if approval.state != "pending" or elsewhere:
                continue
            gone = await self.pressers.still_valid(approval)
            if gone is not None:
                await self.desk.change(approval.id, moves.void(gone.sentence))

    async def question_deleted(self, channel: str, ts: str, turns: Collection[str]) -> None:
        """Somebody deleted a message: requests in the thread under it, which nobody can read any more, are void, and so
        are those of the turns that it began."""
        for approval in await self.state.approvals.standing():
            if approval.conversation.split(":")[1:] == [channel, ts] or approval.run_id in turns:
                await self.desk.change(approval.id, moves.void(QUESTION_GONE))

    async def _lapsed(self, approval: Approval, press: Press) -> list[str] | None:
        """Those whose earlier yes counts no longer, as they might not give it now. None when that could not be
        learned."""
        lapsed = list[str]()
        for person in approval.votes:
            verdict = await self.pressers.judge(approval, person, self.pressers.team)
            if isinstance(verdict, Refused):
                if verdict.sentence in (NOT_LEARNED, UNKNOWN_PLACE):
                    return None
                lapsed.append(person)
        if lapsed:
            after = await self.desk.change(approval.id, moves.discount(lapsed), press.value)
            await self._audit("approval_lapsed", after, replace(press, user=" ".join(lapsed)), won=False)
        return lapsed

    async def _seen_whole(self, approval: Approval) -> tuple[Approval, str]:
        """Nobody approves what they could not look at: where the card leaves rows to its file, that has to be there."""
        if not left_to_the_file(approval):
            return approval, ""
        if await self.board.files_posted(approval.id) is False:
            await self.board.brought_out(approval.id, 3.0)
        match await self.board.files_posted(approval.id):
            case True:
                return approval, ""
            case None:
                after = await self.desk.change(approval.id, moves.void(FILE_REFUSED))
                return after, standing_words(after)
            case _:
                return approval, FILE_COMING

    async def _on_its_card(self, approval: Approval, press: Press) -> bool:
        """A button counts only on the very message that was posted: not forwarded, not copied."""
        if approval.conversation.split(":")[1] != press.channel:
            return False
        posted = await self.board.posted(approval.id)
        if posted is not None and posted.remote_id is None:
            # Pressed before Slack's reply was written down: wait for it.
            await self.board.brought_out(approval.id, _WRITTEN_DOWN_S)
            posted = await self.board.posted(approval.id)
        return posted is not None and posted.remote_id == press.message_ts

    async def _changed(self, approval: Approval, change: Change) -> tuple[Approval, bool]:
        after = await self.desk.change(approval.id, change)
        return after, after.revision != approval.revision and after.state != "pending"

    async def _too_late(self, after: Approval, user: str) -> str:
        if after.state != "pending":
            return standing_words(after)
        if user in after.votes:
            return "You have approved this already; another person has to as well."
        expired = await self.desk.change(after.id, moves.expire)
        return standing_words(expired)

    async def _audit(self, kind: str, after: Approval, press: Press, won: bool) -> None:
        body = {"user": press.user, "approval": after.id, "tool": after.tool, "state": after.state, "counted": won}
        await self.state.audit.add(kind, body)


def standing_words(approval: Approval) -> str:
    """How a request stands, for whoever presses on it too late."""
    yes = people(approval.votes)
    told = {
        "claimed": f"Already approved by {yes}, in progress; it runs once.",
        "running": f"Already approved by {yes}, in progress; it runs once.",
        "done": f"This has already run, once; approved by {yes}.",
        "dry_run": "This was a dry run: nothing was written.",
        "rejected": f"This was rejected by <@{approval.decided_by}>, not run.",
        "expired": "This has expired, not run. Ask again if it is still wanted.",
        "void": f"This is no longer valid, not run. {line_text(approval.sentence, 300)}",
        "drift": "The data changed since the preview, so this was not run. A new preview is needed.",
        "failed": "This failed, nothing was applied, and it is not run again.",
        "unknown": "Its outcome is being checked; it is not run again.",
    }
    return told.get(approval.state, "")


def _too_late_to_cancel(approval: Approval) -> str:
    if approval.state == "done":
        return "Too late to cancel: it has already run."
    if approval.state in ("claimed", "running"):
        return "Too late to cancel: it is already approved and running."
    return standing_words(approval)
