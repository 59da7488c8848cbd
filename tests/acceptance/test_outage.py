"""Outages: Slack away, the process asleep, death in the very first start. Each delays the answer and loses nothing.

FOOTNOTE_STOP_S sets for how long the stopped process sleeps (0 without it; `make soak` goes beyond a lease).
"""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from bot.identity import SlackUnavailable
from tests.acceptance.drill.asking import LAST_STEP
from tests.acceptance.drill.drill import Drill, drill_at
from tests.acceptance.drill.gate import Gate, gate_to
from tests.acceptance.drill.lives import Life
from tests.acceptance.drill.moments import POST, Moment, reached
from tests.acceptance.drill.verdict import verdict

STOP_S = float(os.environ.get("FOOTNOTE_STOP_S", "0"))
# In the order in which a first start makes them.
FIRST_FILES = ("state.db.lock", "state.db.new", "state.db", "dbos.db", "dbos.db-wal")

ANSWER_DUE = Moment("the answer is due", lambda change: change.get("stage") == "replied" and change["n"] == LAST_STEP)
ASKED = Moment("the model was asked", lambda change: change.get("stage") == "asked")


async def born(drill: Drill) -> Life:
    """A life that is ready."""
    life = await drill.begin()
    await drill.ready(life)
    return life


def behind(drill: Drill, gate: Gate) -> None:
    """From now on Slack has the gate's address, for its sockets and uploads too."""
    drill.slack.workspace.url = f"http://127.0.0.1:{gate.port}"


async def test_a_restart_while_slack_is_away_answers_when_it_is_back(tmp_path: Path) -> None:
    async with drill_at(tmp_path, 1) as drill, gate_to(drill.slack.port) as gate:
        behind(drill, gate)
        life = await born(drill)
        with drill.slack.workspace.changes.feed() as feed:
            await drill.ask()
            await reached(ASKED, feed, 0)
        await drill.kill(life)
        await gate.shut()
        life = await drill.begin()
        await life.says("waiting for Slack")
        await gate.open()
        await drill.ready(life)
        await drill.finish(life)
        await verdict(drill)


async def test_slack_going_away_before_the_posting_delays_the_answer(tmp_path: Path) -> None:
    async with drill_at(tmp_path, 2) as drill, gate_to(drill.slack.port) as gate:
        behind(drill, gate)
        life = await born(drill)
        with drill.slack.workspace.changes.feed() as feed:
            await drill.ask()
            await reached(ANSWER_DUE, feed, 0)
        await gate.shut()
        await life.says("posting again later")
        await gate.open()
        await drill.finish(life)
        await verdict(drill)


async def test_a_process_that_sleeps_in_the_middle_of_a_posting_goes_on(tmp_path: Path) -> None:
    async with drill_at(tmp_path, 3) as drill:
        life = await born(drill)
        rule = drill.slack.faults.hold(POST, times=1)
        await drill.ask()
        await rule.reached.wait()
        life.process.send_signal(signal.SIGSTOP)
        rule.release()
        await drill.ask()
        await drill.slack.wait_for(lambda: any(not each.ack.ok for each in drill.slack.deliveries))
        await asyncio.sleep(STOP_S)
        life.process.send_signal(signal.SIGCONT)
        drill.slack.hurry_retries()
        await drill.finish(life)
        await verdict(drill)


@pytest.mark.timeout(900)
async def test_killed_in_the_very_first_start_the_next_one_begins_well(tmp_path: Path) -> None:
    async with drill_at(tmp_path, 4) as drill:
        for name in FIRST_FILES:
            life = await drill.begin()
            async with asyncio.timeout(180):
                while not (tmp_path / name).exists():  # noqa: ASYNC110 - nothing tells of a new file
                    await asyncio.sleep(0.002)
            await asyncio.sleep(drill.chance.random() ** 2 * 0.1)
            await drill.kill(life)
        life = await born(drill)
        await drill.ask()
        await drill.finish(life)
        await verdict(drill)


@pytest.mark.parametrize("trouble", [503, 500, "internal_error", "service_unavailable", "ratelimited"])
async def test_a_slack_in_trouble_is_away_and_no_token_is_blamed(stage, trouble) -> None:
    if isinstance(trouble, int):
        stage.slack.faults.http_error("auth.test", status=trouble, times=None)
    else:
        stage.slack.faults.error("auth.test", trouble, times=None)
    with pytest.raises(SlackUnavailable, match=str(trouble)):
        async with stage.bot():
            pass


async def test_a_sigterm_while_slack_is_away_ends_the_process(tmp_path: Path) -> None:
    async with drill_at(tmp_path, 5) as drill, gate_to(drill.slack.port) as gate:
        behind(drill, gate)
        await gate.shut()
        life = await drill.begin()
        await life.says("waiting for Slack")
        assert await life.end() == 0
