"""The desk over both databases: one yes counts, time is the database's, nothing outlives its run."""

from __future__ import annotations

import asyncio

import pytest

from runtime.approvals import moves, token_hash
from runtime.boundary import Approved, NotApproved
from runtime.boundary.approval import Outcome


async def approved(office, approval, person: str = "U2"):
    return await office.desk.vote(approval, person, office.face.tokens[approval.id])


async def test_a_yes_reaches_the_run_that_waits_and_the_outcome_is_kept(office) -> None:
    approval = await office.ask()
    assert approval.state == "pending" and office.face.told == ["asked"]
    await approved(office, approval)
    answer = await office.answer()
    assert isinstance(answer, Approved) and answer.digest == office.call().digest and answer.approvers == "U2"
    assert await office.state_of(approval) == "running"
    await office.desk.settle(answer.approval_id, Outcome("done", "3 rows changed.", "R1"))
    ended = await office.state.approvals.get(approval.id)
    assert (ended.state, ended.sentence, ended.outcome["receipt"]) == ("done", "3 rows changed.", "R1")


async def test_an_approved_call_that_never_began_was_cancelled_by_nobody(office) -> None:
    approval = await office.ask()
    await approved(office, approval)
    answer = await office.answer()
    await office.desk.settle(answer.approval_id, Outcome("void", "It was stopped before it ran: not run."))
    ended = await office.state.approvals.get(approval.id)
    assert (ended.state, ended.decided_by, ended.votes) == ("void", "", ("U2",))


async def test_only_the_hash_of_the_token_is_kept(office) -> None:
    approval = await office.ask()
    token = office.face.tokens[approval.id]
    assert (await office.state.approvals.of_token(token_hash(token))).id == approval.id
    assert token not in str(
        await office.state._connector.run(lambda c: c.exec_driver_sql("SELECT * FROM approvals").all())
    )


async def test_the_worker_slot_is_given_back_while_waiting(office) -> None:
    approval = await office.ask()
    assert office.slots == ["gives run-1"]
    assert office.face.parked == ["waits T:C:1"]
    await approved(office, approval)
    await office.answer()
    assert office.slots == ["gives run-1", "takes run-1"]
    assert office.face.parked == ["waits T:C:1", "works T:C:1"]


async def test_of_many_yeses_at_once_one_counts(office) -> None:
    approval = await office.ask()
    votes = await asyncio.gather(*(approved(office, approval, person) for person in ("U2", "U4", "U2", "U4")))
    assert sum(won for _, won in votes) == 1
    assert isinstance(await office.answer(), Approved)


async def test_two_people_are_two_different_people(office) -> None:
    approval = await office.ask(office.call(approvals=2))
    first, won = await approved(office, approval, "U2")
    assert (first.state, won) == ("pending", True)
    again, won = await approved(office, approval, "U2")
    assert (again.state, won) == ("pending", False)
    second, won = await approved(office, approval, "U4")
    assert (second.state, won) == ("claimed", True)
    answer = await office.answer()
    assert isinstance(answer, Approved) and answer.approvers == "U2, U4"


async def test_one_no_is_final(office) -> None:
    approval = await office.ask(office.call(approvals=2))
    await approved(office, approval, "U2")
    await office.desk.change(approval.id, moves.reject("U4", "wrong rows"))
    answer = await office.answer()
    assert answer == NotApproved("wrong rows", rejected=True)
    assert (await approved(office, approval, "U2"))[1] is False


async def test_one_second_before_the_end_is_in_time(office) -> None:
    approval = await office.ask()
    await office.pass_time(approval, 590)
    assert (await approved(office, approval))[1] is True
    assert isinstance(await office.answer(), Approved)


async def test_at_the_end_it_is_too_late_and_is_told(office) -> None:
    approval = await office.ask()
    await office.pass_time(approval, 600)
    answer = await office.answer()
    assert answer == NotApproved("Nobody approved in time.")
    after, won = await approved(office, approval)
    assert (after.state, won) == ("expired", False)
    assert office.face.told[-1] == "expired"


async def test_a_reminder_comes_once_before_the_end(office) -> None:
    approval = await office.ask()
    await office.pass_time(approval, 481)
    await office.face.says("reminded")
    await office.pass_time(approval, 200)
    await office.answer()
    assert office.face.told == ["asked", "reminded", "expired"]


async def test_a_run_that_is_stopped_voids_its_request(office) -> None:
    approval = await office.ask()
    office.asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await office.asking
    assert await office.state_of(approval) == "void"
    assert (await approved(office, approval))[1] is False


async def test_a_restart_voids_what_waited_and_the_resumed_run_is_told(office) -> None:
    approval = await office.ask()
    reborn = office.replica("A")
    assert await reborn.recover() == 1
    left = await reborn.earlier("run-1", "1:c")
    assert left.state == "void" and "restarted" in left.reason
    assert (await approved(office, approval))[1] is False


async def test_a_resumed_run_that_meets_its_own_request_voids_it(office) -> None:
    approval = await office.ask()
    left = await office.replica("A").earlier("run-1", "1:c")
    assert left.state == "void"
    assert await office.state_of(approval) == "void"


async def test_a_crash_between_the_yes_and_the_work_is_not_run(office) -> None:
    approval = await office.ask()
    await office.state.approvals.change(approval.id, moves.vote("U2"), office.face.changed)
    left = await office.replica("A").earlier("run-1", "1:c")
    assert left.state == "void" and "before it ran" in left.reason


async def test_what_was_being_carried_out_is_left_to_its_run(office) -> None:
    approval = await office.ask()
    await approved(office, approval)
    await office.answer()
    reborn = office.replica("A")
    assert await reborn.recover() == 0
    assert (await reborn.earlier("run-1", "1:c")).state == "running"


async def test_a_yes_that_nobody_waits_for_is_not_run(office) -> None:
    approval = await office.ask()
    stranger = office.replica("B")
    after, won = await stranger.vote(approval, "U2", "token")
    if stranger._alone:
        assert (after.state, won) == ("void", True)
        return
    assert (after.state, won) == ("claimed", True)
    waiting = asyncio.create_task(stranger.handed_over(approval.id))
    office.asking.cancel()
    while not waiting.done():
        office.clock.advance(1)
        await asyncio.sleep(0)
    assert (await waiting).state == "void"


@pytest.mark.parametrize(
    "rule",
    [
        {"users": ()},
        {"users": ("U1",)},
        {"users": ("U1", "U2"), "approvals": 2},
    ],
)
async def test_nobody_is_asked_in_vain(office, rule) -> None:
    answer = await office.desk.ask(office.call(**rule))
    assert isinstance(answer, NotApproved)
    assert office.face.told == []


async def test_a_place_where_nothing_may_be_asked_is_told_at_once(office) -> None:
    office.face.closed = "Changes are off in shared channels."
    assert await office.desk.ask(office.call()) == NotApproved("Changes are off in shared channels.")


async def test_a_card_that_cannot_be_posted_is_no_request(office) -> None:
    office.face.posted = False
    answer = await office.desk.ask(office.call())
    assert isinstance(answer, NotApproved) and "could not be posted" in answer.reason


async def test_the_runs_own_end_comes_before_the_requests(office) -> None:
    office.desk._open_s = 300.0
    approval = await office.ask()
    assert (approval.expires_at - approval.asked_at).total_seconds() == 300


async def test_a_sweep_ends_what_dead_replicas_left(office) -> None:
    approval = await office.ask()
    other = office.replica("B")
    await other.sweep()
    assert await office.state_of(approval) == "pending"
    await office.age(approval, 611)
    await other.sweep()
    assert await office.state_of(approval) == "expired"


async def test_requests_of_processes_that_are_gone_wait_for_nobody(office) -> None:
    approval = await office.ask()
    other = office.replica("B")
    assert await other.recover({"C"}.__contains__, restarted={"B"}.__contains__) == 0
    assert await office.state_of(approval) == "pending"
    assert await other.recover({"A"}.__contains__, restarted={"B"}.__contains__) == 1
    left = await other.earlier("run-1", "1:c")
    assert left.state == "void" and "Nobody waits for this any more" in left.reason
    assert (await approved(office, approval))[1] is False
