"""The card from its asking to its end, over Slack's own wire."""

from __future__ import annotations

import json

import pytest

from runtime.errors import CallError
from tests.acceptance.approvals.conftest import ANN, ASKER, DAN, LEO, proposing


async def test_a_change_is_shown_exactly_approved_and_told(desk) -> None:
    async with desk.open():
        await desk.propose()
        card = json.dumps(desk.card(), ensure_ascii=False)
        assert desk.title() == "Approval needed"
        assert "Set tier to gold in 3 rows" in card and "silver → gold" in card and "Shop 3" in card
        assert "3 rows" in card and "shop.customers" in card
        assert "until 10:40 (Europe/Berlin)" in card
        assert "subteam^S0CARD" in card and f"<@{ASKER}>" in card
        await desk.slack.wait_for(lambda: [f for m in desk.said() for f in m.get("files", [])] or None)
        (file,) = [f for m in desk.said() for f in m.get("files", [])]
        assert "1,Shop 1,silver,gold" in desk.slack.file(file["id"]).decode()
        assert desk.slack.status("C0SALES", desk.thread) == ""
        await desk.approve(ANN)
        await desk.titled("Done")
        await desk.says("Done", f"<@{ANN}>", "3 rows", "Receipt")
        await desk.says("I have told you")
    assert desk.target.tiers[:4] == ["gold", "gold", "gold", "silver"]
    assert desk.target.executed == 1
    assert desk.slack.refusals == []
    shown = json.dumps(desk.card())
    assert "approval_approve" not in shown and f"<@{ANN}>" in shown


async def test_the_buttons_are_gone_before_the_work_begins(desk) -> None:
    seen = []
    execute = desk.target.execute

    async def noting(arguments, context):
        seen.append((desk.title(), "approval_approve" in json.dumps(desk.card())))
        return await execute(arguments, context)

    desk.target.execute = noting
    async with desk.open():
        await desk.propose()
        await desk.approve(ANN)
        await desk.titled("Done")
    assert seen == [("Approved, running", False)]


async def test_a_reason_for_rejecting_is_told_to_thread_and_model(desk) -> None:
    async with desk.open():
        await desk.propose()
        await desk.reject(ANN, "wrong quarter")
        await desk.titled("Rejected, not run")
        await desk.says("Rejected", f"<@{ANN}>", "wrong quarter")
        await desk.says("I have told you")
    assert desk.target.executed == 0
    assert "wrong quarter" in json.dumps(desk.stage.endpoint.requests[-1])


async def test_two_people_have_to_approve_where_the_manifest_says_so(desk) -> None:
    desk.approvers(ANN, DAN, approvals=2)
    async with desk.open():
        await desk.propose()
        await desk.approve(ANN)
        await desk.slack.wait_for(lambda: "one more person" in json.dumps(desk.card()) or None)
        await desk.approve(ANN)
        await desk.whispered(ANN, "another person")
        assert desk.target.executed == 0
        await desk.approve(DAN)
        await desk.titled("Done")
        await desk.says("Done", f"<@{ANN}>", f"<@{DAN}>")
    assert desk.target.executed == 1


async def test_of_two_people_one_who_may_not_decide_any_more_does_not_count(desk) -> None:
    desk.approvers(ANN, DAN, LEO, approvals=2)
    async with desk.open():
        await desk.propose()
        await desk.approve(ANN)
        await desk.slack.wait_for(lambda: f"<@{ANN}> approved; one more person" in json.dumps(desk.card()) or None)
        desk.group.users.remove(ANN)
        await desk.approve(DAN)
        await desk.whispered(DAN, f"<@{ANN}> may not decide this any more")
        await desk.slack.wait_for(lambda: f"<@{DAN}> approved; one more person" in json.dumps(desk.card()) or None)
        assert desk.target.executed == 0
        await desk.approve(LEO)
        await desk.titled("Done")
        await desk.says("Done", f"<@{DAN}> and <@{LEO}>")
        assert not desk.told(f"<@{ANN}>")
    assert desk.target.executed == 1


async def test_people_are_reminded_before_time_is_up_and_told_after(desk) -> None:
    async with desk.open():
        await desk.propose()
        desk.clock.advance(481)
        await desk.says("still waiting", "subteam^S0CARD", "until 10:40")
        desk.clock.advance(119)
        await desk.titled("Expired, not run")
        await desk.says("Expired, not run", "Nobody approved in time", f"<@{ASKER}>")
        await desk.says("I have told you")


async def test_whoever_writes_meanwhile_is_answered_at_once_and_may_cancel(desk) -> None:
    async with desk.open():
        await desk.propose()
        await desk.slack.say("C0SALES", ASKER, "and what about yesterday?", thread_ts=desk.thread)
        await desk.says("waiting for an approval until 10:40", "cancel it?")
        (offer,) = [m for m in desk.said() if "approval_cancel" in json.dumps(m)]
        await desk.slack.click(LEO, offer["ts"], "approval_cancel", channel="C0SALES")
        await desk.whispered(LEO, "may not decide")
        await desk.slack.click(ASKER, offer["ts"], "approval_cancel", channel="C0SALES")
        await desk.titled("Not run, no longer valid")
        await desk.says("Not run", "cancelled by", f"<@{ASKER}>")
        # Then the message that waited gets its own turn.
        await desk.says("All right.")
        await desk.slack.click(ASKER, offer["ts"], "approval_cancel", channel="C0SALES")
        await desk.whispered(ASKER, "no longer valid")
    assert desk.target.executed == 0


async def test_stop_while_waiting_runs_nothing(desk) -> None:
    async with desk.open():
        await desk.propose()
        await desk.slack.stop_session(ASKER, "C0SALES", desk.thread)
        await desk.titled("Not run, no longer valid")
        await desk.says("Stopped.")
    assert desk.target.executed == 0


async def test_waiting_counts_for_nothing_and_the_run_goes_on_after_it(desk) -> None:
    desk.approvers(ANN, expires_s=86_000)
    async with desk.open():
        await desk.propose()
        desk.clock.advance(80_000)
        await desk.approve(ANN)
        await desk.titled("Done")
        await desk.says("I have told you")
    assert not desk.told("limit of 300 s")


async def test_many_conversations_wait_without_keeping_others_from_their_answers(desk) -> None:
    async with desk.open():
        for _ in range(9):
            await desk.propose()
        other = await desk.slack.ask("C0SALES", LEO, "anything else")
        await desk.slack.wait_for_answers("C0SALES", other, 1)
    assert desk.target.executed == 0


async def test_a_dry_run_is_approved_and_writes_nothing(desk) -> None:
    desk.stage.overrides = {"FOOTNOTE_EFFECTS": "dry_run"}
    async with desk.open():
        await desk.propose()
        await desk.approve(ANN)
        await desk.titled("Dry run, nothing written")
        await desk.says("Dry run: nothing written", f"<@{ANN}>")
        await desk.says("I have told you")
    assert desk.target.executed == 0


async def test_nobody_is_waited_for_in_a_direct_message_that_no_approver_reads(desk) -> None:
    async with desk.open():
        desk.channel = desk.slack.dm(ASKER)
        desk.thread = await desk.slack.tell(ASKER, "make the first shops gold")
        await desk.says("I have told you")
        await desk.says("nobody else reads a direct message: not run")
        assert desk.card() is None and await desk.state() == "refused"
    assert desk.target.executed == 0


async def test_whoever_may_approve_alone_does_so_in_a_direct_message(desk) -> None:
    desk.approvers(ASKER, self_approval=True)
    async with desk.open():
        desk.channel = desk.slack.dm(ASKER)
        desk.thread = await desk.slack.tell(ASKER, "make the first shops gold")
        await desk.card_ts()
        await desk.approve(ASKER)
        await desk.titled("Done")
    assert desk.target.executed == 1


async def test_a_policy_that_changed_and_changed_back_leaves_the_request_void(desk) -> None:
    manifest = desk.stage.manifest.read_text()
    async with desk.open() as running:
        await desk.propose()
        desk.stage.manifest.write_text(manifest.replace('channels: ["*"], im: true', "im: true"))
        running.reload()
        await desk.titled("Not run, no longer valid")
        desk.stage.manifest.write_text(manifest)
        running.reload()
        await desk.says("source may have been withdrawn", "not run")
        await desk.approve(ANN)
        await desk.whispered(ANN, "no longer valid")
    assert desk.target.executed == 0


@pytest.mark.parametrize("where", ["top", "reply"])
async def test_a_deleted_question_leaves_its_request_void_and_ends_its_run(desk, where: str) -> None:
    async with desk.open() as running:
        if where == "top":
            await desk.propose()
            question = desk.thread
        else:
            desk.thread = await desk.slack.ask("C0SALES", ASKER, "hello?")
            await desk.says("All right.")
            question = await desk.slack.ask("C0SALES", ASKER, "make the first shops gold", thread_ts=desk.thread)
            await desk.card_ts()
        await desk.slack.delete("C0SALES", question)
        await desk.titled("Not run, no longer valid")
        assert "The question was deleted" in json.dumps(desk.card())
        assert "approval_approve" not in json.dumps(desk.card())
        assert await desk.state() == "void"
        while running.durable.running or await running.analyst.state.inbox.pending():
            await running.analyst.state.probe()
        assert desk.slack.status("C0SALES", desk.thread) == ""
        assert not desk.told("I have told you") and not desk.told("Stopped")
    assert desk.target.executed == 0


async def test_another_deleted_message_leaves_the_request_as_it_is(desk) -> None:
    async with desk.open():
        await desk.propose()
        other = await desk.slack.say("C0SALES", LEO, "never mind", thread_ts=desk.thread)
        await desk.says("cancel it?")
        await desk.slack.delete("C0SALES", other)
        await desk.approve(ANN)
        await desk.titled("Done")


async def test_operators_are_named_and_told_when_nobody_knows_the_outcome(desk) -> None:
    async def execute(arguments, context):
        raise CallError("outcome_unknown", "The database could not tell whether it was applied.")

    desk.target.execute = execute
    manifest = desk.stage.manifest
    manifest.write_text(manifest.read_text().replace("operators: {users: [U0ANN]}", f"operators: {{users: [{DAN}]}}"))
    async with desk.open():
        await desk.propose()
        await desk.approve(ANN)
        await desk.titled("Outcome unknown, please check")
        await desk.says("Outcome unknown, not run again", f"<@{DAN}>", "by hand")
        told = await desk.slack.wait_for(lambda: desk.slack.messages(desk.slack.dm(DAN)) or None)
        assert "Outcome unknown" in json.dumps(told) and "Set tier to gold" in json.dumps(told)
        assert len(told) == 1


async def many_rows(desk) -> None:
    with desk.target.opened() as db:
        for n in range(11, 19):
            db.execute(f"INSERT INTO customers VALUES ({n}, 'Shop {n}', 'silver')")
    desk.stage.endpoint._script = proposing(12)


async def test_nobody_approves_rows_whose_file_was_refused(desk) -> None:
    await many_rows(desk)
    desk.slack.faults.error("files.getUploadURLExternal", "not_allowed_token_type", times=None)
    async with desk.open():
        await desk.propose()
        assert "all are in the file" in json.dumps(desk.card())
        await desk.approve(ANN)
        await desk.titled("Not run, no longer valid")
        await desk.whispered(ANN, "The file with all rows could not be posted here")
    assert desk.target.executed == 0


async def test_a_yes_before_the_file_stands_there_does_not_count(desk) -> None:
    await many_rows(desk)
    async with desk.open() as running:
        rule = desk.slack.faults.hold("files.getUploadURLExternal")
        await desk.propose()
        await rule.reached.wait()
        await desk.approve(ANN)
        while not desk.whispers(ANN):  # the press waits a while for the file
            desk.clock.advance(0.1)
            await running.analyst.state.probe()
        await desk.whispered(ANN, "still on its way; nothing was run")
        assert desk.title() == "Approval needed" and desk.target.executed == 0
        rule.release()
        await desk.slack.wait_for(lambda: [f for m in desk.said() for f in m.get("files", [])] or None)
        await desk.approve(ANN)
        await desk.titled("Done")
    assert desk.target.executed == 1


async def test_a_card_that_shows_everything_needs_no_file(desk) -> None:
    desk.slack.faults.error("files.getUploadURLExternal", "not_allowed_token_type", times=None)
    async with desk.open():
        await desk.propose()
        await desk.approve(ANN)
        await desk.titled("Done")
    assert desk.target.executed == 1
