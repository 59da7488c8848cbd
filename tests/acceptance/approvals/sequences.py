"""The event sequences of tests/cases/approvals.jsonl: what each event is here, and what each saying must hold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.acceptance.approvals.conftest import ANN, ASKER, DAN, LEO, ROBOT, Desk
from tests.acceptance.approvals.postgresql_target import PostgresqlTarget
from tests.acceptance.approvals.stand_in import StandIn

FILE = Path(__file__).parents[2] / "cases" / "approvals.jsonl"
CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for case in map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
}
_ELSEWHERE = {"restart", "crash", "recover"}


def _lives_in_one_process(case: dict[str, Any]) -> bool:
    return not any(
        event["do"] in _ELSEWHERE or event.get("replica", "A") != "A" or "crash" in event for event in case["events"]
    )


ONE_PROCESS = tuple(name for name, case in CASES.items() if _lives_in_one_process(case))
"""The sequences without a second process, a restart or a crash."""

PEOPLE = {"U1": ASKER, "U2": ANN, "U3": LEO, "U4": DAN, "B7": ROBOT}

# Title of the card in each final state; a request that was never made has no card.
TITLES = {
    "done": "Done",
    "rejected": "Rejected, not run",
    "expired": "Expired, not run",
    "void": "Not run, no longer valid",
    "drift": "Not run, the data changed",
    "failed": "Failed, nothing applied",
    "unknown": "Outcome unknown, please check",
    "pending": "Approval needed",
}

# What a message of the thread has to hold for each thing that must be said there.
THREAD = {
    "approval asked, exact change and end time shown": (),
    "done, approved by U2, 3 rows": ("Done", f"<@{ANN}>", "3 rows", "Receipt"),
    "done, approved by U1, 3 rows": ("Done", f"<@{ASKER}>", "3 rows", "Receipt"),
    "rejected by U4, not run": ("Rejected", f"<@{DAN}>", "not run"),
    "rejected by U2, not run": ("Rejected", f"<@{ANN}>", "not run"),
    "expired, not run": ("Expired, not run",),
    "restarted while waiting, not run": ("restarted while waiting", "not run"),
    "nobody waits for this any more, not run": ("Nobody waits for this any more", "not run"),
    "the data changed since the preview, not run": ("The data changed since the preview, not run",),
    "rows are locked, nothing applied": ("they stayed locked", "nothing applied"),
    "row count differed, rolled back": ("2 of 3 rows, so it was undone", "nothing applied"),
    "source withdrawn, not run": ("source was withdrawn", "not run"),
    "stopped before it ran, not run": ("stopped", "before it ran", "not run"),
    "stopped while running, nothing applied": ("stopped while running", "nothing was applied"),
    "outcome unknown, not run again": ("Outcome unknown, not run again",),
}
# What is said to one person: in private, or in the thread with their name.
PRIVATE = {
    "already run": "lready",
    "was rejected, not run": "was rejected",
    "may not approve own request": "may not approve your own request",
    "may not decide this": "may not decide this",
    "this account may not decide": "account may not decide",
    "expired, not run": "expired, not run",
    "no longer valid, not run": "no longer valid, not run",
    "data changed, not run": "data changed",
    "this button is not valid, nothing was run": "button is not valid; nothing was run",
    "already approved, in progress": "Already approved",
    "outcome being checked, not run again": "being checked; it is not run again",
    "too late, already run": "already run",
}
NAMED = {
    "nobody approved in time": "Nobody approved in time",
    "channel is shared now, not run": "shared now with another organisation: not run",
}


def prepare(desk: Desk, case: dict[str, Any]) -> dict[str, Any]:
    """Sets the world up for a sequence; returns its first event, the proposal."""
    asked = case["events"][0]
    rule = {"expires_s": asked["expires"], "self_approval": asked.get("self_approval", False)}
    desk.approvers(*[PEOPLE[user] for user in asked["approvers"]], **rule)
    desk.target.most_rows = asked.get("cap", 100)
    with desk.target.opened() as db:
        for n in range(11, asked["rows"] + 1):
            db.execute(f"INSERT INTO customers VALUES ({n}, 'Shop {n}', 'silver')")
    manifest = desk.stage.manifest
    if isinstance(desk.target, PostgresqlTarget):
        manifest.write_text(manifest.read_text() + desk.target.manifest((desk.channel, "C0PARTNER")))
    elif asked.get("channel") == "external":
        desk.target.source = None
    if "run_limit" in asked:
        manifest.write_text(manifest.read_text() + f"limits: {{run_open_seconds: {asked['run_limit']}}}\n")
    return asked


async def happen(desk: Desk, event: dict[str, Any]) -> None:
    """One event."""
    await EVENTS[event["do"]](desk, event)


async def click(desk: Desk, event: dict[str, Any]) -> None:
    """A press, and what comes of it: a word to the presser, or another face of the card."""
    user = PEOPLE[event["user"]]
    quiet, title = len(desk.whispers(user)), desk.title()
    if event["button"] == "reject":
        await desk.reject(user)
    elif {"team", "message", "digest", "payload"} & event.keys():
        await desk.send(await changed_payload(desk, event, user))
    else:
        await desk.approve(user)
    if "payload" in event:
        return  # the same press once more: nothing is to be seen
    if desk.outage:  # nothing is to be seen either; the work waits for the buttons only so long
        while (await desk.state()) in ("pending", "claimed"):
            desk.clock.advance(1 if await desk.state() == "claimed" else 0)
        return
    await desk.slack.wait_for(
        lambda: len(desk.whispers(user)) > quiet or desk.title() != title or desk.target.executed or None
    )


async def changed_payload(desk: Desk, event: dict[str, Any], user: str) -> dict[str, Any]:
    """The payload of a press as somebody might send it: as recorded, or changed in one place."""
    if event.get("payload") == "replay":
        return desk.pressed()[-1]
    payload = desk.payload(user)
    if "team" in event:
        payload["user"]["team_id"] = payload["team"]["id"] = event["team"]
    if event.get("message") == "forwarded":
        payload["channel"]["id"] = payload["container"]["channel_id"] = "C0GENERAL"
        elsewhere = await desk.slack.say("C0GENERAL", user, "look at this card")
        payload["container"]["message_ts"] = elsewhere
        payload["message"] = {"ts": elsewhere}
    if "digest" in event:
        payload["actions"][0]["value"] += "x"
    return payload


async def user_changed(desk: Desk, event: dict[str, Any]) -> None:
    user, people = PEOPLE[event["user"]], desk.slack.workspace.world.people
    if event["to"] == "bot":
        return  # this account belongs to another app's bot from the beginning
    at = next(n for n, person in enumerate(people) if person.id == user)
    people[at] = replace(people[at], guest="multi")


async def approver_removed(desk: Desk, event: dict[str, Any]) -> None:
    desk.group.users.remove(PEOPLE[event["user"]])


async def row_changed(desk: Desk, event: dict[str, Any]) -> None:
    statement = {
        "value": "UPDATE customers SET tier = 'bronze' WHERE id = 2",
        "deleted": "DELETE FROM customers WHERE id = 3",
        "outside": "UPDATE customers SET tier = 'bronze' WHERE id = 9",
    }[event["kind"]]
    with desk.target.opened() as db:
        db.execute(statement)


async def maintenance(desk: Desk, event: dict[str, Any]) -> None:
    desk.hold().execute("VACUUM" if isinstance(desk.target, StandIn) else "VACUUM FULL customers")


async def lock_held(desk: Desk, event: dict[str, Any]) -> None:
    begin = "BEGIN IMMEDIATE" if isinstance(desk.target, StandIn) else "BEGIN; SELECT 1 FROM customers FOR UPDATE"
    desk.hold().execute(begin)


async def trigger_alters_rowcount(desk: Desk, event: dict[str, Any]) -> None:
    with desk.target.opened() as db:
        db.execute("INSERT INTO held_back VALUES (3)")


async def cancel(desk: Desk, event: dict[str, Any]) -> None:
    user = PEOPLE[event["user"]]
    await desk.send(desk.cancelling(user))
    await desk.slack.wait_for(lambda: desk.whispers(user) or None)


async def say(desk: Desk, event: dict[str, Any]) -> None:
    user = desk.slack.app.bot_user if event["user"] == "BOT" else PEOPLE[event["user"]]
    await desk.slack.say(desk.channel, user, event["text"], thread_ts=desk.thread)
    if event["user"] != "BOT":
        await desk.says("cancel it?")


async def message_deleted(desk: Desk, event: dict[str, Any]) -> None:
    card = desk.card()
    assert card is not None
    await desk.slack.delete(desk.channel, card["ts"])


async def channel_external(desk: Desk, event: dict[str, Any]) -> None:
    await desk.slack.share_channel(desk.channel, "T0PARTNER")
    await desk.titled("Not run, no longer valid")


async def source_unadmitted(desk: Desk, event: dict[str, Any]) -> None:
    """A guest comes into the channel: what is closed to guests is closed there."""
    await desk.slack.join(desk.channel, "U0GUS")
    await desk.titled("Not run, no longer valid")


async def source_admitted(desk: Desk, event: dict[str, Any]) -> None:
    await desk.slack.leave(desk.channel, "U0GUS")


async def slack_down(desk: Desk, event: dict[str, Any]) -> None:
    desk.slack.faults.http_error("chat.*", status=503, times=None)
    desk.outage = True


async def tick(desk: Desk, event: dict[str, Any]) -> None:
    """Time passes; `advance` has done it."""


EVENTS = {
    "click": click,
    "user_changed": user_changed,
    "approver_removed": approver_removed,
    "row_changed": row_changed,
    "maintenance": maintenance,
    "lock_held": lock_held,
    "trigger_alters_rowcount": trigger_alters_rowcount,
    "cancel": cancel,
    "say": say,
    "message_deleted": message_deleted,
    "channel_external": channel_external,
    "source_unadmitted": source_unadmitted,
    "source_admitted": source_admitted,
    "slack_down": slack_down,
    "tick": tick,
}


async def told(desk: Desk, saying: str) -> None:
    """Waits until this was said, to whom it has to be said."""
    whom, words = saying.split(": ", 1)
    if whom == "thread":
        await desk.says(*THREAD[words])
    elif whom == "owner":
        await desk.says("by hand", f"<@{ANN}>")
        await desk.slack.wait_for(lambda: "Outcome unknown" in str(desk.slack.messages(desk.slack.dm(ANN))) or None)
    elif whom == "model":
        part = {"too many rows": "may be changed at once"}[words]
        await desk.slack.wait_for(lambda: part in json.dumps(desk.stage.endpoint.requests[-1]) or None)
    elif words in NAMED:
        await desk.says(NAMED[words], f"<@{PEOPLE[whom]}>")
    elif words in ("nobody may approve this", "updates are off in shared channels"):
        part = "Nobody may approve this" if words.startswith("nobody") else "Changes are off in channels shared"
        await desk.says(part)
    else:
        await desk.whispered(PEOPLE[whom], PRIVATE[words])
