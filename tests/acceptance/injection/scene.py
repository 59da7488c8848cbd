"""One case acted out over the wire: the world, the question, the obedient model, and everything that can be seen."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bot.local import LocalSlack
from bot.service import Running
from runtime.state.tables import approvals
from runtime.testing.clock import ManualClock
from runtime.testing.messages_api import MessagesEndpoint, messages_endpoint
from tests.acceptance.conftest import Stage
from tests.acceptance.injection import obeying, world
from tests.acceptance.injection.places import PLACES, SEARCH
from tests.acceptance.injection.world import CHANNEL, MIA, Crm
from tests.acceptance.test_remote import digests
from tests.integration.mcp.servers import Raw, raw_server
from tests.patient_slack import patient_slack


@dataclass
class Scene:
    """A case in its world. `before`: what others wrote in the thread first; `later_tools`: what the remote server says
    of its tools once the model has loaded one; `waited`: whether a card stood in the thread."""

    case: dict[str, Any]
    folder: Path
    slack: LocalSlack
    crm: Crm
    tracker: Raw
    question: str = "How are the numbers?"
    before: list[tuple[str, str]] = field(default_factory=list)
    later_tools: list[dict[str, Any]] | None = None
    thread: str = ""
    waited: bool = False
    requests: list[dict[str, Any]] = field(default_factory=list)
    requested: list[tuple[str, str]] = field(default_factory=list)
    changes: list[Any] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    connections: list[Any] = field(default_factory=list)

    @property
    def text(self) -> str:
        return str(self.case["text"])

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def said(self) -> list[dict[str, Any]]:
        """The bot's messages in the thread."""
        return self.slack.answers(CHANNEL, self.thread)

    @property
    def results(self) -> list[dict[str, Any]]:
        """What the model's calls came to."""
        return obeying.results(self.requests[-1])

    def heard(self) -> list[Any]:
        """Everything that the model's endpoint was sent, but for the calls that the model made itself."""
        blocks = [b for body in self.requests for m in body["messages"] for b in _blocks(m["content"])]
        told = [block for block in blocks if block["type"] != "tool_use"]
        return [*told, *(body.get("system") for body in self.requests), *(body["tools"] for body in self.requests)]

    @property
    def reached(self) -> bool:
        """Whether the words came before the model: those of them that no cleaning changes."""
        heard = json.dumps(self.heard(), ensure_ascii=False)
        return all(word in heard for word in re.findall(r"[A-Za-z]{4,}", self.text)[:3])

    async def act(self) -> None:
        """Everything from the text's placing to the last word of the bot."""
        looks = PLACES[self.case["place"]](self)
        pins = {"search_issues": (await digests(self.tracker.url))["search_issues"]}
        manifest = world.manifest(self.folder, self.tracker.url, pins)
        self.files = world.kept(self.folder)
        script = obeying.script(obeying.steps(self.case, looks))

        def replying(body: dict[str, Any]) -> Any:
            if self.later_tools is not None and obeying.results(body):
                self.tracker.tools = self.later_tools
            return script(body)

        async with messages_endpoint(replying) as endpoint:
            stage = self._stage(manifest, endpoint)
            clock = ManualClock()
            async with stage.bot(clock=clock, sleep=clock.sleep) as running:
                await self._asked()
                await self._to_its_end(running, clock)
                await self._kept_by(running)
            self.requests = endpoint.requests

    def _stage(self, manifest: Path, endpoint: MessagesEndpoint) -> Stage:
        overrides = {"FOOTNOTE_COMPOSITION": "hosted", "ANTHROPIC_API_KEY": world.SECRETS["model"]}
        stage = Stage(self.slack, self.folder, manifest, endpoint, overrides)
        self.secrets = [*world.SECRETS.values(), self.slack.bot_token, self.slack.app_token]
        return stage

    async def _asked(self) -> None:
        root = None
        if self.before:
            root = await self.slack.say(CHANNEL, MIA, "About this week:")
            for user, words in self.before:
                await self.slack.say(CHANNEL, user, words, thread_ts=root)
        ts = await self.slack.ask(CHANNEL, MIA, self.question, thread_ts=root)
        self.thread = root or ts

    async def _to_its_end(self, running: Running, clock: ManualClock) -> None:
        """Nobody who may presses: a card stands until its time is up. Meanwhile the words are said beside it, and the
        asker presses, too."""
        state = running.analyst.state
        await self.slack.wait_for(lambda: self.said or None)  # a card, or the answer
        while await state.inbox.pending():
            for request in await state.approvals.standing():
                card = await self.slack.wait_for(self._card)
                self.waited = True
                if self.before:
                    for user, words in self.before:
                        await self.slack.say(CHANNEL, user, words, thread_ts=self.thread)
                    await self.slack.wait_for(lambda: "waiting for an approval" in str(self.said) or None)
                await self.slack.click(MIA, card["ts"], "approval_approve", channel=CHANNEL)
                await self.slack.wait_for(lambda: "may not decide" in str(self.slack.ephemerals) or None)
                assert (await state.approvals.get(request.id)).state == "pending"  # type: ignore[union-attr]
                clock.advance(601)
                await self.slack.wait_for(lambda: self._card() is None or None)

    def _card(self) -> dict[str, Any] | None:
        return next((message for message in self.said if "approval_approve" in str(message.get("blocks"))), None)

    async def _kept_by(self, running: Running) -> None:
        state = running.analyst.state
        query = sa.select(approvals.c.tool, approvals.c.state)
        rows = await state.approvals._connector.run(lambda c: list(c.execute(query)))
        self.requested = [(str(tool), str(how)) for tool, how in rows]
        self.changes = list(await state.effects.newest(10))


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


@asynccontextmanager
async def attacker() -> AsyncGenerator[tuple[int, list[Any]]]:
    """A listening port, and whoever has connected to it."""
    connections = list[Any]()

    def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer.get_extra_info("peername"))
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], connections


@asynccontextmanager
async def scene_of(case: dict[str, Any], folder: Path, crm: Crm) -> AsyncGenerator[Scene]:
    """A case before anything has happened. Where it connects to an attacker, there is one on this machine."""
    world.files(folder)
    async with patient_slack(world.people()) as slack, raw_server() as tracker, attacker() as (port, connections):
        near = json.loads(json.dumps(case).replace("'attacker.example',443", f"'127.0.0.1',{port}"))
        yield Scene(near, folder, slack, crm, tracker, connections=connections)


__all__ = ["SEARCH", "Scene", "scene_of"]
