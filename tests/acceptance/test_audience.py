"""The audience truth table over the wire: Slack says what the case says, a person asks, and the model is offered the
source's tools or it is not; a refusal is said in the channel, with a button where asking in private would help."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.local import Channel, Person
from bot.local.world import OTHER_TEAM, TEAM, AppInstall, UserGroup, World
from bot.presence import KEPT_SECONDS
from bot.render.private_offer import PRIVATE_ACTION
from bot.service import Running
from runtime.admission import Asker, Audience, Conversation, decide
from runtime.clock import SystemClock
from runtime.errors import ConfigurationError
from runtime.testing.messages_api import MessagesEndpoint, Reply

from .conftest import ROOT, Stage
from .test_main_path import texts

CASES = [json.loads(line) for line in (ROOT / "tests/cases/audience.jsonl").read_text().splitlines()]
TOOL = "data_query_sqlite"


def can_be_written(case: dict[str, Any]) -> bool:
    """Whether Slack lets this person write there: somebody asks, who is no bot, in a channel that is not archived."""
    asker = case["asker"]
    return bool(asker) and not asker.get("bot") and not case["conversation"].get("archived")


def has_ids_only(case: dict[str, Any]) -> bool:
    """Whether a manifest with this audience loads."""
    try:
        Audience(**case["audience"])
    except ValueError:
        return False
    return True


WRITTEN = [case for case in CASES if can_be_written(case)]
ASKED = [case for case in WRITTEN if has_ids_only(case)]
REFUSED_AT_LOAD = [case for case in WRITTEN if not has_ids_only(case)]


def world_of(case: dict[str, Any], app: AppInstall) -> World:
    """A workspace in the state of the case: its conversation, its asker, and a guest who reads along if it says so."""
    place, asker = case["conversation"], case["asker"]
    team = OTHER_TEAM if asker["external"] else TEAM
    person = Person(
        asker["id"], "asker", "The Asker", team=team, guest=asker["guest"], deleted=asker.get("deactivated", False)
    )
    guest = Person("U0READS", "reads", "Reads Along", guest="multi")
    members = [person.id, app.bot_user, *([guest.id] if place["has_guest"] else [])]
    channel = Channel(
        place["id"],
        place.get("name", "the-place"),
        members,
        kind=place["kind"],
        ext_shared=place["ext_shared"],
        pending_ext_shared=place.get("pending_ext_shared", False),
    )
    named = {*case["audience"].get("groups", ()), *asker["groups"]}
    groups = [UserGroup(name, name.lower(), name, [person.id] * (name in asker["groups"])) for name in sorted(named)]
    return World(people=[person, guest], channels=[channel], apps=[app], groups=groups)


def write_source(stage: Stage, audience: dict[str, Any]) -> None:
    """The manifest's only source is a SQLite file with the case's audience."""
    connection = sqlite3.connect(stage.folder / "shop.db")
    connection.executescript("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY)")
    connection.close()
    stage.manifest.write_text(
        json.dumps(
            {
                "version": 1,
                "sources": [{"id": "shop", "kind": "sqlite", "path": "./shop.db", "audience": audience}],
            }
        )
    )


def helped_in_private(case: dict[str, Any]) -> bool:
    asker = case["asker"]
    person = Asker(
        asker["id"],
        external=asker["external"],
        guest=None if asker["guest"] is None else asker["guest"] != "none",
        deactivated=asker.get("deactivated", False),
        groups=frozenset(asker["groups"]),
    )
    alone = decide(Audience(**case["audience"]), Conversation("im", ""), person).admitted
    return alone and case["conversation"]["kind"] != "im"


def buttons(messages: list[dict[str, Any]]) -> list[str]:
    found = [block for message in messages for block in message["blocks"] if block["type"] == "actions"]
    return [element["action_id"] for block in found for element in block["elements"]]


def test_most_of_the_table_can_be_played_out() -> None:
    assert len(ASKED) >= 60


class ShiftedClock(SystemClock):
    """The machine's clocks, put forward at will: what the bot has learned of Slack grows old."""

    seconds = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return super().monotonic() + self.seconds


@dataclass
class Play:
    """One bot, before which the cases of one reason are played one after the other, each under its own manifest."""

    stage: Stage
    endpoint: MessagesEndpoint
    running: Running
    clock: ShiftedClock

    async def outcome(self, case: dict[str, Any]) -> tuple[str, bool, bool]:
        """Whether the source's tool was offered, the refusal said, and the question in private offered."""
        slack, world = self.stage.slack, world_of(case, self.stage.slack.app)
        slack.faults.clear()
        mine = slack.workspace.world
        mine.people, mine.channels, mine.groups = world.people, world.channels, world.groups
        if case["conversation"]["has_guest"] is None:
            slack.faults.error("conversations.members", "internal_error", times=None)
        self.clock.seconds += 2 * KEPT_SECONDS
        write_source(self.stage, case["audience"])
        await self.running.reloading.asked()
        channel = case["conversation"]["id"]
        ts = await slack.ask(channel, case["asker"]["id"], "what can you read?")
        messages = await slack.wait_for_answers(channel, ts, 1)
        offered = {tool["name"] for tool in self.endpoint.requests[-1]["tools"]}
        refused = "No data source is open" in texts(messages)
        return ("admit" if TOOL in offered else "deny"), refused, PRIVATE_ACTION in buttons(messages)


@pytest.mark.parametrize("reason", sorted({case["reason"] for case in ASKED}))
async def test_a_source_is_offered_where_the_table_says_so(stage, scripted, reason) -> None:
    cases, clock = [case for case in ASKED if case["reason"] == reason], ShiftedClock()
    write_source(stage, {})
    async with scripted(lambda body: Reply("That is all.")) as endpoint, stage.bot(clock=clock) as running:
        play = Play(stage, endpoint, running, clock)
        played = {case["id"]: await play.outcome(case) for case in cases}
    expected = {
        case["id"]: (case["expect"], case["expect"] == "deny", case["expect"] == "deny" and helped_in_private(case))
        for case in cases
    }
    assert played == expected
    assert stage.slack.refusals == []


@pytest.mark.parametrize("case", REFUSED_AT_LOAD, ids=lambda case: case["id"])
async def test_an_audience_of_names_or_patterns_lets_no_bot_start(stage, case) -> None:
    write_source(stage, case["audience"])
    with pytest.raises(ConfigurationError, match="audience"):
        async with stage.bot():
            raise AssertionError("a bot serves under a manifest that names people or channels")


async def test_one_click_asks_in_private_and_is_answered_there_once(stage, scripted) -> None:
    write_source(stage, {"im": True})
    async with scripted(lambda body: Reply("So be it.")) as endpoint, stage.bot():
        ts = await stage.slack.ask("C0SALES", "U0MIA", "how many orders?")
        (refusal,) = await stage.slack.wait_for_answers("C0SALES", ts, 1)
        await stage.slack.click("U0LEO", refusal["ts"], PRIVATE_ACTION)
        private = stage.slack.dm("U0LEO")
        (root,) = await stage.slack.wait_for(lambda: stage.slack.messages(private) or None)
        answers = await stage.slack.wait_for_answers(private, root["ts"], 2)
    assert "how many orders?" in texts([root])
    assert "So be it." in texts(answers[1:]) and "No data source" not in texts(answers)
    assert TOOL not in {tool["name"] for tool in endpoint.requests[0]["tools"]}
    assert TOOL in {tool["name"] for tool in endpoint.requests[1]["tools"]}
    assert stage.slack.refusals == []
