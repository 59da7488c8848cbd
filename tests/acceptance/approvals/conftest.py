"""A bot whose one changing tool is the stand-in, with people who may approve it and a clock that the test moves."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.local import LocalSlack
from bot.local.interactions import interactive
from bot.local.world import AppInstall, Person, UserGroup, demo_world
from bot.service import Running
from runtime.capability import ApproverRule
from runtime.registry import Registry
from runtime.testing.clock import ManualClock
from runtime.testing.messages_api import Reply, messages_endpoint
from tests import postgres_server
from tests.acceptance.approvals.postgresql_target import PostgresqlTarget
from tests.acceptance.approvals.stand_in import StandIn
from tests.acceptance.conftest import Stage, write_workspace
from tests.patient_slack import patient_slack

ASKER, ANN, LEO, DAN, ROBOT = "U0MIA", "U0ANN", "U0LEO", "U0DAN", "U0ROBOT"
CHANNEL = "C0SALES"
GROUP = "S0CARD"


def world() -> Any:
    """The demo's workspace with a second approver and another app's bot."""
    made = demo_world()
    made.people.append(Person("U0DAN", "dan", "Dan Ito"))
    made.groups.append(UserGroup(GROUP, "card", "Approvers of the card", []))
    made.apps.append(AppInstall(app_id="A0ROBOT", bot_user=ROBOT, bot_id="B0ROBOT", name="robot", events=set()))
    for channel in made.channels:
        if channel.id in (CHANNEL, "C0PARTNER"):
            channel.members += ["U0DAN", ROBOT]
    return made


@dataclass
class Desk:
    """One question whose model proposes a change, and everything that happens to its card."""

    stage: Stage
    target: StandIn | PostgresqlTarget
    clock: ManualClock = field(default_factory=ManualClock)
    running: Running | None = None
    thread: str = ""
    channel: str = CHANNEL
    request_id: str = ""
    buttons: dict[str, str] = field(default_factory=dict)
    moment: int = 0
    outage: bool = False
    held: list[Any] = field(default_factory=list)

    @property
    def slack(self) -> LocalSlack:
        return self.stage.slack

    def approvers(self, *users: str, **rule: Any) -> None:
        """Those who may approve: the members of a group, which may change at any moment."""
        self.group.users[:] = users
        self.target.rule = ApproverRule(groups=(GROUP,) if users else (), **rule)

    @property
    def group(self) -> UserGroup:
        return next(group for group in self.slack.workspace.world.groups if group.id == GROUP)

    @contextlib.asynccontextmanager
    async def open(self, **options: Any) -> AsyncGenerator[Running]:
        """The bot, with the stand-in beside its own tools."""
        async with self.stage.bot(clock=self.clock, sleep=self.clock.sleep, **options) as running:
            self.running = running
            if isinstance(self.target, StandIn):
                wiring = running.analyst.wiring
                tools = Registry.of((*wiring.registry, self.target.capability()))
                running.analyst.wiring = replace(wiring, registry=tools)
            yield running

    async def propose(self, channel: str = CHANNEL, **ask: Any) -> str:
        """A person asks, the model proposes; the card's timestamp."""
        self.channel = channel
        self.thread = await self.slack.ask(channel, ASKER, "make the first shops gold", **ask)
        return await self.card_ts()

    async def card_ts(self) -> str:
        """The card's timestamp; its buttons are remembered as they are now."""
        card = await self.slack.wait_for(self.card)
        self.buttons = {e["action_id"]: e["value"] for _, e in interactive(card["blocks"]) if "value" in e}
        return card["ts"]

    def card(self) -> dict[str, Any] | None:
        """The card as it stands in the thread."""
        return next((m for m in self.said() if m.get("blocks") and m["blocks"][0]["type"] == "header"), None)

    def said(self) -> list[dict[str, Any]]:
        return self.slack.answers(self.channel, self.thread)

    def title(self) -> str:
        card = self.card()
        return "" if card is None else card["blocks"][0]["text"]["text"]

    async def titled(self, *titles: str) -> str:
        """Waits until the card says one of these."""
        await self.slack.wait_for(lambda: self.title() in titles or None)
        return self.title()

    def told(self, *parts: str) -> bool:
        """Whether one message of the thread, the card aside, says all of it."""
        card = self.card()
        texts = [json.dumps(m, ensure_ascii=False) for m in self.said() if card is None or m["ts"] != card["ts"]]
        return any(all(part in text for part in parts) for text in texts)

    async def at_rest(self) -> None:
        """Waits until nothing is being carried out, whatever the outcome."""
        assert self.running is not None
        while (await self.state()) in ("claimed", "running"):
            await self.running.analyst.state.probe()

    def proposing(self, rows: int) -> Any:
        return proposing(rows) if isinstance(self.target, StandIn) else self.target.proposing(rows)

    async def says(self, *parts: str) -> None:
        await self.slack.wait_for(lambda: self.told(*parts) or None)

    def whispers(self, user: str) -> list[str]:
        return [m["text"] for m in self.slack.ephemerals if m["shown_to"] == user]

    async def whispered(self, user: str, part: str) -> None:
        await self.slack.wait_for(lambda: any(part in text for text in self.whispers(user)) or None)

    async def approve(self, user: str) -> Any:
        """A press on *Approve*; where the buttons are gone, from a page that still shows them."""
        card = self.card()
        assert card is not None
        if "approval_approve" not in json.dumps(card):
            return await self.send(self.payload(user))
        return await self.slack.click(user, card["ts"], "approval_approve", channel=self.channel)

    async def reject(self, user: str, reason: str = "") -> Any:
        """Presses *Reject* and sends the modal off; nothing where no modal came."""
        card = self.card()
        assert card is not None
        quiet = len(self.slack.ephemerals)
        await self.slack.click(user, card["ts"], "approval_reject", channel=self.channel)
        await self.slack.wait_for(lambda: self.modal(user) or len(self.slack.ephemerals) > quiet or None)
        if (view := self.modal(user)) is not None:
            await self.slack.submit(user, view["id"], {"reason": {"text": {"value": reason}}})

    def pressed(self) -> list[dict[str, Any]]:
        """The payloads of the presses so far."""
        return [one.payload for one in self.slack.deliveries if one.payload.get("type") == "block_actions"]

    def payload(self, user: str, action_id: str = "approval_approve", value: str | None = None) -> dict[str, Any]:
        """The payload of a press that was never made by hand, right in every part."""
        card, workspace = self.card(), self.slack.workspace
        assert card is not None
        action = {"type": "button", "action_id": action_id, "block_id": "b", "action_ts": f"{len(self.pressed())}.5"}
        action["value"] = value if value is not None else self.buttons[action_id]
        return {
            "type": "block_actions",
            "user": {"id": user, "team_id": workspace.world.team_id},
            "api_app_id": self.slack.app.app_id,
            "token": self.slack.app.verification_token,
            "trigger_id": "none",
            "team": {"id": workspace.world.team_id, "domain": workspace.world.domain},
            "container": {"type": "message", "message_ts": card["ts"], "channel_id": self.channel},
            "channel": {"id": self.channel, "name": "sales"},
            "message": {"ts": card["ts"], "thread_ts": self.thread},
            "actions": [action],
        }

    def cancelling(self, user: str) -> dict[str, Any]:
        """The press on *Cancel the request*, whose button carries the request's id."""
        return self.payload(user, "approval_cancel", self.request_id)

    async def send(self, payload: dict[str, Any]) -> None:
        """Brings a payload to the bot as Slack would."""
        await self.slack.hub.delivery.interaction(self.slack.app, "interactive", payload)

    def hold(self) -> Any:
        """A connection of somebody else to the target, open until the test ends."""
        if isinstance(self.target, StandIn):
            self.held.append(sqlite3.connect(self.target.file, timeout=0, isolation_level=None))
        else:
            self.held.append(psycopg.connect(self.target.dsn, autocommit=True))
        return self.held[-1]

    def modal(self, user: str) -> dict[str, Any] | None:
        return next((view for view in self.slack.views.values() if view["user"] == user), None)

    async def state(self) -> str:
        """How the one request stands in the state; `refused` when nobody was asked."""
        assert self.running is not None
        rows = await self.running.analyst.state.approvals._connector.run(
            lambda c: c.exec_driver_sql("SELECT id, state FROM approvals").all()
        )
        self.request_id = str(rows[0][0]) if rows else ""
        return str(rows[0][1]) if rows else "refused"


def proposing(rows: int = 3) -> Any:
    """A model that proposes the change once in each question, then says what came of it."""

    def script(body: dict[str, Any]) -> Reply:
        last = body["messages"][-1]["content"]
        results = [] if isinstance(last, str) else [part for part in last if part.get("type") == "tool_result"]
        if results:
            return Reply("I have told you what came of it.")
        if "make the first shops gold" in json.dumps(last):
            return Reply("", [("set_tier", {"tier": "gold", "rows": rows})])
        return Reply("All right.")

    return script


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with postgres_server.server() as dsn:
        yield dsn


@pytest.fixture
def over_postgresql(desk, postgres, monkeypatch) -> Iterator[None]:
    """The product's own update tools over a real PostgreSQL, in place of the stand-in."""
    with postgres_server.database(postgres) as dsn:
        desk.target = PostgresqlTarget(dsn)
        desk.target.create()
        for name, value in desk.target.environment().items():
            monkeypatch.setenv(name, value)
        yield
        for connection in desk.held:
            connection.close()
        desk.target.drop()


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    """Ann may approve what Mia asks for."""
    async with patient_slack(world()) as slack, messages_endpoint(proposing()) as endpoint:
        stage = Stage(slack, tmp_path, write_workspace(tmp_path), endpoint)
        target = StandIn(tmp_path / "target.db")
        target.create()
        made = Desk(stage, target)
        made.approvers(ANN)
        yield made
        for connection in made.held:
            connection.close()
