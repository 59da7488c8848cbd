"""The card of a request for approval in each of its states, and what is said of it in the thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

from bot.render import blocks, limits
from bot.render.approval_bodies import IN_THE_FILE, body
from bot.render.blocks import Block, SlackMessage
from bot.render.clean import one_line
from bot.render.text import fallback_text, line_text, name_text
from bot.render.words import counted
from runtime.capability import ApproverRule
from runtime.state import Approval

APPROVE, REJECT, CANCEL = "approval_approve", "approval_reject", "approval_cancel"
UNDO = "undo_change"
# The tools whose receipts hold what stood there before.
_UNDOABLE = ("data_update_postgresql", "data_undo_postgresql")
_SUMMARY_CHARS = 500
_CONFIRM_CHARS = 280
_WARNINGS = 5
_NAMED = 20

_TITLES: Mapping[str, str] = {
    "pending": "Approval needed",
    "claimed": "Approved, running",
    "running": "Approved, running",
    "done": "Done",
    "dry_run": "Dry run, nothing written",
    "rejected": "Rejected, not run",
    "expired": "Expired, not run",
    "void": "Not run, no longer valid",
    "drift": "Not run, the data changed",
    "failed": "Failed, nothing applied",
    "unknown": "Outcome unknown, please check",
}


def card(approval: Approval, zone: str, token: str | None = None) -> SlackMessage:
    """The card as the request stands. Buttons stand on it only while it is pending, and carry nothing but `token`."""
    shown, title = approval.shown, _TITLES[approval.state]
    details = shown.get("details") or {}
    head = [blocks.header(title), blocks.section(_summary(approval), expand=True)]
    foot = [*_warnings(details), blocks.context(_asked(approval, zone)), *_standing(approval, title, token)]
    drawn = body(str(shown.get("kind")), details)
    text = fallback_text(f"{title}: {one_line(str(shown.get('summary') or ''))}")
    # What doesn't fit beside the rest is left to the attached file, and that is said.
    kept = f"; the whole is {IN_THE_FILE}" if shown.get("files") else ""
    not_all = [blocks.context(f"Not all of it fits here{kept}.")]
    for most in range(len(drawn), 0, -1):
        made = [*head, *drawn[:most], *(not_all if most < len(drawn) else []), *foot]
        if blocks.overfull(made) is None:
            return SlackMessage(text, tuple(made))
    return SlackMessage(text, (*head, *(not_all if drawn else []), *foot))


def left_to_the_file(approval: Approval) -> bool:
    """Whether the card leaves something to the file beside it: without that nobody has seen the whole."""
    notes = (block for block in card(approval, "UTC").blocks if block["type"] == "context")
    return bool(approval.shown.get("files")) and any(
        IN_THE_FILE in element.get("text", "") for block in notes for element in block["elements"]
    )


def _standing(approval: Approval, title: str, token: str | None) -> list[Block]:
    if approval.state != "pending":
        ending = blocks.section(_ending(approval) or title, expand=True)
        return [ending, *_undo(approval)]
    made: list[Block] = []
    if approval.votes:
        made.append(blocks.context(f"{people(approval.votes)} approved; one more person is needed."))
    return [*made, _buttons(approval, token)] if token is not None else made


def _undo(approval: Approval) -> list[Block]:
    """The way back from a change of data; its button names the receipt and grants nothing."""
    receipt = str(approval.outcome.get("receipt") or "")
    if approval.state != "done" or not receipt or approval.tool not in _UNDOABLE:
        return []
    return [blocks.actions([blocks.button("Undo", UNDO, receipt)])]


def _summary(approval: Approval) -> str:
    return line_text(str(approval.shown.get("summary") or approval.tool), _SUMMARY_CHARS)


def notice(approval: Approval, operators: Sequence[str] = ()) -> SlackMessage:
    """What the thread is told when a request has ended; `operators` are named where somebody has to look."""
    text = _ending(approval)
    if approval.state in ("expired", "void", "unknown"):
        text = f"{_person(approval.requester)} {text}"
    if approval.state == "unknown":
        named = " ".join([who(approval.rule), *map(_person, operators)])
        text += f" {named}: this needs a look by hand."
    return SlackMessage(fallback_text(_plain(text)), (blocks.section(text, expand=True),))


def operator_notice(approval: Approval) -> SlackMessage:
    """What each operator is told in private of a change whose outcome nobody knows."""
    channel = approval.conversation.split(":")[1]
    text = f"*Outcome unknown* of a change approved in <#{channel}>: {_summary(approval)}. {_ending(approval)}"
    return SlackMessage(fallback_text(_plain(text)), (blocks.section(text, expand=True),))


def reminder(approval: Approval, zone: str) -> SlackMessage:
    """The nudge before time is up."""
    text = f"{deciders(approval)}: still waiting for an approval until {_until(approval, zone)}. {_summary(approval)}"
    return SlackMessage(fallback_text(_plain(text)), (blocks.section(text, expand=True),))


def waiting_message(approval: Approval, zone: str) -> SlackMessage:
    """The answer to whoever writes in the thread meanwhile, with the way out."""
    summary = _summary(approval)
    if approval.state == "pending":
        text = (
            f"I am waiting for an approval until {_until(approval, zone)}: {summary}. Your message is next; cancel it?"
        )
    else:
        text = f"I am carrying out an approved change: {summary}. Your message is next."
    made = [blocks.section(text, expand=True)]
    if approval.state == "pending":
        made.append(blocks.actions([blocks.button("Cancel the request", CANCEL, approval.id, style="danger")]))
    return SlackMessage(fallback_text(_plain(text)), tuple(made))


def reject_modal(approval: Approval, private: str) -> Block:
    """Asks for the reason, which may stay empty. `private` comes back with the submission."""
    reason = {
        "type": "input",
        "block_id": "reason",
        "optional": True,
        "label": blocks.plain_text("Why? The asker reads it in the thread.", 100),
        "element": {"type": "plain_text_input", "action_id": "text", "multiline": True, "max_length": 500},
    }
    return {
        "type": "modal",
        "callback_id": REJECT,
        "private_metadata": private,
        "title": blocks.plain_text("Reject this change", 24),
        "submit": blocks.plain_text("Reject", 24),
        "close": blocks.plain_text("Back", 24),
        "blocks": [blocks.section(_summary(approval), expand=True), reason],
    }


def deciders(approval: Approval) -> str:
    """Those whose yes may count, as mentions: without the asker where nobody approves their own request."""
    rule = approval.rule
    if not rule.self_approval:
        rule = replace(rule, users=tuple(user for user in rule.users if user != approval.requester))
    return who(rule)


def who(rule: ApproverRule) -> str:
    """Those who may approve, as mentions."""
    named = [*map(_person, rule.users), *(f"<!subteam^{group}>" for group in rule.groups if group.isalnum())]
    more = len(named) - _NAMED
    return " ".join(named[:_NAMED] + ([f"and {more} more"] if more > 0 else [])) or "nobody"


def people(ids: Sequence[str]) -> str:
    """Some people, as mentions."""
    return " and ".join(map(_person, ids))


def _warnings(details: Mapping[str, Any]) -> list[Block]:
    told = [str(text) for text in details.get("warnings") or ()]
    if not told:
        return []
    lines = [f"⚠ {line_text(text, limits.LINE_CHARS)}" for text in told[:_WARNINGS]]
    more = len(told) - len(lines)
    return [blocks.section("\n".join(lines + ([f"and {more} more warnings"] if more > 0 else [])), expand=True)]


def _asked(approval: Approval, zone: str) -> str:
    if approval.state != "pending":
        return f"Asked by {_person(approval.requester)}"
    needed = " (two different people)" if approval.rule.approvals > 1 else ""
    return (
        f"Asked by {_person(approval.requester)} · may approve: {deciders(approval)}{needed} "
        f"· until {_until(approval, zone)}"
    )


def _buttons(approval: Approval, token: str) -> Block:
    approve = blocks.button("Approve", APPROVE, token, style="primary")
    summary = str(approval.shown.get("summary") or approval.tool)
    details = approval.shown.get("details") or {}
    if len(summary) > _CONFIRM_CHARS and details.get("row_count"):  # how many and where stay to be read
        summary = f"{counted(int(details['row_count']), 'row')} of {approval.shown.get('target')}: {summary}"
    asked = name_text(summary, _CONFIRM_CHARS)
    approve["confirm"] = {
        "title": blocks.plain_text("Approve exactly this?", 100),
        "text": blocks.plain_text(asked, 300),
        "confirm": blocks.plain_text("Approve", 30),
        "deny": blocks.plain_text("Back", 30),
        "style": "primary",
    }
    return blocks.actions([approve, blocks.button("Reject", REJECT, token, style="danger")])


def _ending(approval: Approval) -> str:
    said = line_text(approval.sentence, limits.PIECE_CHARS // 5) if approval.sentence else ""
    yes = f"approved by {people(approval.votes)}"
    receipt, by = str(approval.outcome.get("receipt") or ""), approval.decided_by
    told = {
        "claimed": f"Running, {yes}.",
        "running": f"Running, {yes}.",
        "done": f"*Done*, {yes}. {said}" + (f" Receipt `{line_text(receipt, 80)}`." if receipt else ""),
        "dry_run": f"*Dry run: nothing written*, {yes}. This deployment only rehearses changes.",
        "rejected": f"*Rejected* by {_person(by)}, not run." + (f" Reason: {said}" if said else ""),
        "expired": f"*Expired, not run.* {said}",
        "void": f"*Not run*, cancelled by {_person(by)}." if by else f"*Not run.* {said}",
        "drift": f"*The data changed since the preview, not run.* {said} It was {yes}.",
        "failed": f"*Failed, nothing applied.* {said} It was {yes}.",
        "unknown": f"*Outcome unknown, not run again.* {said} It was {yes}.",
    }
    return told.get(approval.state, "").strip()


def _person(user: str) -> str:
    return f"<@{user}>" if user.isalnum() else "somebody"


def _until(approval: Approval, zone: str) -> str:
    end, asked = (moment.astimezone(ZoneInfo(zone)) for moment in (approval.expires_at, approval.asked_at))
    return f"{_moment(end, asked)} ({zone})"


def _moment(end: datetime, asked: datetime) -> str:
    clock = f"{end:%H:%M}" if end.second == 0 else f"{end:%H:%M:%S}"
    return clock if end.date() == asked.date() else f"{end:%a} {end.day} {end:%b}, {clock}"


def _plain(text: str) -> str:
    """Mrkdwn of ours as text that is not escaped yet."""
    return unescape(text.replace("*", "").replace("<", "").replace(">", ""))
