"""Nothing but a permitted person's press on that very card changes anything: no words, no forged or replayed press."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.acceptance.approvals.conftest import ANN, LEO, ROBOT


def changed(payload: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    made = copy.deepcopy(payload)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return made


FORGERIES = {
    "another value": (("actions", 0, "value"), "AAAA"),
    "an empty value": (("actions", 0, "value"), ""),
    "the id of the request": (("actions", 0, "value"), "the id"),
    "another channel": (("container", "channel_id"), "C0FIN"),
    "another message": (("container", "message_ts"), "1700000000.000100"),
    "another workspace": (("team", "id"), "T0PARTNER"),
    "a person of another workspace": (("user", "team_id"), "T0PARTNER"),
    "an external person": (("user", "id"), "U0XEN"),
    "a guest": (("user", "id"), "U0GUS"),
    "a closed account": (("user", "id"), "U0OLD"),
    "another app's bot": (("user", "id"), ROBOT),
    "a member who is no approver": (("user", "id"), LEO),
    "nobody": (("user", "id"), "U0NOBODY"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_a_forged_press_changes_nothing(desk, forgery) -> None:
    desk.group.users += ["U0XEN", "U0GUS", "U0OLD", ROBOT]
    path, value = FORGERIES[forgery]
    async with desk.open():
        await desk.propose()
        await desk.state()
        value = desk.request_id if value == "the id" else value
        forged = changed(desk.payload(ANN), *path, to=value)
        before = len(desk.slack.calls_to("chat.postEphemeral"))
        await desk.send(forged)
        await desk.slack.wait_for(lambda: len(desk.slack.calls_to("chat.postEphemeral")) > before or None)
        assert await desk.state() == "pending"
        assert desk.title() == "Approval needed"
        await desk.approve(ANN)  # the real press still counts
        await desk.titled("Done")
    assert desk.target.executed == 1


async def test_a_press_with_another_apps_action_name_or_without_a_value_is_answered(desk) -> None:
    async with desk.open():
        await desk.propose()
        odd = desk.payload(ANN)
        odd["actions"][0]["action_id"] = "approval_approve_all"
        await desk.send(odd)
        await desk.whispered(ANN, "another version of me")
        bare = desk.payload(ANN)
        del bare["actions"][0]["value"]
        bare["actions"][0]["action_ts"] = "77.7"
        await desk.send(bare)
        await desk.whispered(ANN, "not valid")
        assert await desk.state() == "pending"
    assert desk.target.executed == 0


async def test_a_replayed_press_counts_once_however_often(desk) -> None:
    async with desk.open():
        await desk.propose()
        await desk.approve(ANN)
        await desk.titled("Done")
        for _ in range(3):
            await desk.send(desk.pressed()[0])
        await desk.says("I have told you")
    assert desk.target.executed == 1


async def test_a_press_whose_blocks_were_altered_runs_the_frozen_call_and_no_other(desk) -> None:
    """What a payload says of the card, of its blocks and of the state of other elements counts for nothing."""
    async with desk.open():
        await desk.propose()
        payload = desk.payload(ANN)
        told = json.loads(json.dumps(desk.card()["blocks"]).replace("3 rows", "10 rows").replace("gold", "lead"))
        payload["message"]["blocks"] = told
        payload["actions"][0]["block_id"] = "another-block"
        payload["state"] = {"values": {"another-block": {"rows": {"type": "plain_text_input", "value": "10"}}}}
        await desk.send(payload)
        await desk.titled("Done")
    assert desk.target.executed == 1
    assert desk.target.tiers == ["gold"] * 3 + ["silver"] * 7


async def test_an_altered_block_lends_a_press_no_right(desk) -> None:
    async with desk.open():
        await desk.propose()
        forged = changed(desk.payload(LEO), "actions", 0, "block_id", to="another-block")
        forged["message"]["blocks"] = json.loads(json.dumps(desk.card()["blocks"]).replace(ANN, LEO))
        await desk.send(forged)
        await desk.whispered(LEO, "may not decide")
        forged = changed(desk.payload(ANN, value="AAAA"), "actions", 0, "block_id", to="another-block")
        await desk.send(forged)
        await desk.whispered(ANN, "not valid")
        assert await desk.state() == "pending"
    assert desk.target.executed == 0


async def test_a_token_is_worth_nothing_once_its_time_is_up(desk) -> None:
    async with desk.open():
        await desk.propose()
        late = desk.payload(ANN)
        desk.clock.advance(601)
        await desk.titled("Expired, not run")
        await desk.send(late)
        await desk.whispered(ANN, "expired, not run")
        assert await desk.state() == "expired"
    assert desk.target.executed == 0


async def test_a_token_of_one_request_is_worth_nothing_on_another(desk) -> None:
    async with desk.open():
        await desk.propose()
        first = desk.buttons["approval_approve"]
        await desk.propose()
        assert desk.buttons["approval_approve"] != first
        await desk.send(desk.payload(ANN, value=first))
        await desk.whispered(ANN, "not valid")
    assert desk.target.executed == 0


async def test_a_modal_sent_off_by_somebody_else_rejects_nothing(desk) -> None:
    async with desk.open():
        await desk.propose()
        card = desk.card()
        await desk.slack.click(ANN, card["ts"], "approval_reject", channel="C0SALES")
        view = await desk.slack.wait_for(lambda: desk.modal(ANN))
        desk.group.users.remove(ANN)
        await desk.slack.submit(ANN, view["id"], {"reason": {"text": {"value": "no"}}})
        await desk.whispered(ANN, "may not decide")
        assert await desk.state() == "pending"


@pytest.mark.parametrize(
    "words", ["yes, approved", "Approved. Go ahead, this is Ann.", ":white_check_mark: Approve", "/approve"]
)
async def test_words_are_no_approval(desk, words) -> None:
    async with desk.open():
        await desk.propose()
        await desk.slack.say("C0SALES", ANN, words, thread_ts=desk.thread)
        await desk.says("waiting for an approval")
        assert await desk.state() == "pending"
    assert desk.target.executed == 0
