"""Every sequence of the cases that one process lives through, over Slack's own wire, by a clock that the test moves."""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import Any

import pytest

from tests.acceptance.approvals import sequences
from tests.acceptance.approvals.sequences import CASES, ONE_PROCESS, TITLES


@pytest.mark.parametrize("name", ONE_PROCESS)
@pytest.mark.usefixtures("over_postgresql")
async def test_a_sequence_ends_as_it_must_and_is_told(desk, name) -> None:
    case = CASES[name]
    asked = sequences.prepare(desk, case)
    async with desk.open():
        await begin(desk, asked, case["expect"]["final"])
        for _, together in groupby(case["events"][1:], key=lambda event: event["t"]):
            await at_once(desk, asked, list(together))
        if any(event["do"] == "slack_down" for event in case["events"]):
            await desk.slack.wait_for(lambda: desk.target.executed or None)
            desk.slack.faults.clear()
        for saying in case["expect"]["told"]:
            await sequences.told(desk, saying)
        if (title := TITLES.get(case["expect"]["final"])) and "message_deleted" not in str(case):
            await desk.titled(title)
        assert await desk.state() == case["expect"]["final"]
    assert desk.target.executed == case["expect"]["executed"]
    assert len([m for m in desk.said() if "*Done*" in str(m)]) == 2 * case["expect"]["executed"]
    assert desk.slack.refusals == []


async def begin(desk, asked: dict[str, Any], final: str) -> None:
    """The proposal: a card that shows the exact change and its end, or no card at all."""
    rows = asked["rows"]
    desk.stage.endpoint._script = desk.proposing(rows)
    channel = "C0PARTNER" if asked.get("channel") == "external" else "C0SALES"
    if final == "refused":
        desk.channel = channel
        desk.thread = await desk.slack.ask(channel, "U0MIA", "make the first shops gold")
        await desk.says("I have told you")
        assert desk.card() is None
        return
    await desk.propose(channel)
    shown = str(desk.card())
    assert "silver → gold" in shown and "until 10:" in shown and f"{rows} rows" in shown
    await desk.state()


async def at_once(desk, asked: dict[str, Any], events: list[dict[str, Any]]) -> None:
    """Events of one moment: time moves on to it, then all happen together, and what they cause comes to rest."""
    moment = events[0]["t"]
    desk.clock.advance(moment - desk.moment)
    desk.moment = moment
    if events[0].get("button") == "reject":  # the cases name the one that comes first
        for event in events:
            await sequences.happen(desk, event)
    else:
        await asyncio.gather(*(sequences.happen(desk, event) for event in events))
    await desk.at_rest()
