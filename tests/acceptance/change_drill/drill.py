"""The drill: changes are asked for and approved, the bot dies at a moment of each, and the next life makes it true."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bot.local import LocalSlack
from bot.local.interactions import interactive
from runtime.capability import ApproverRule
from runtime.state.tables import deliveries
from runtime.testing.messages_api import messages_endpoint
from tests.acceptance.approvals.sequences import TITLES
from tests.acceptance.change_drill.bank import Bank, propose, told, words
from tests.acceptance.change_drill.lives import Life
from tests.acceptance.change_drill.moments import Moment
from tests.acceptance.conftest import Stage
from tests.patient_slack import patient_slack

CHANNEL, MIA, ANN = "C0SALES", "U0MIA", "U0ANN"
_APPROVE = "approval_approve"
_MOMENT_S = 240.0
# How often the next life is told to die as well, where it meets its moment while it recovers.
_AGAIN = 0.25
_MOST_DEATHS = 3


@dataclass
class Asked:
    """A question, the moments at which the bot died over it, and how it ended."""

    number: int
    thread: str
    deaths: list[Moment] = field(default_factory=list)
    pressed: set[str] = field(default_factory=set)
    ended: str = ""


@dataclass
class Drill:
    """Everything that one drill is made of. Its state outlives every process."""

    stage: Stage
    bank: Bank
    chance: random.Random
    environment: dict[str, str]
    asked: list[Asked] = field(default_factory=list)
    deaths: Counter[str] = field(default_factory=Counter)
    again: int = 0

    @property
    def slack(self) -> LocalSlack:
        return self.stage.slack

    @property
    def state_url(self) -> str:
        return self.environment["FOOTNOTE_STATE"]

    @property
    def log(self) -> Path:
        return self.stage.folder / "lives.log"

    async def run(self, moments: Sequence[Moment]) -> None:
        """One death at each of the moments, then a life that ends in good order."""
        for moment in moments:
            await self._dies(moment)
        await self._last_life()

    async def _dies(self, moment: Moment) -> None:
        again = bool(self.asked) and 0 < len(self.asked[-1].deaths) < _MOST_DEATHS and self.chance.random() < _AGAIN
        before = len(self.asked)
        life = Life.begin(self.environment, moment.label, self.log, armed=again)
        try:
            work = asyncio.create_task(self._live(life))
            death = asyncio.create_task(life.died())
            async with asyncio.timeout(_MOMENT_S):
                await asyncio.wait({work, death}, return_when=asyncio.FIRST_COMPLETED)
                if work.done():
                    await work
                code = await death
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
        except TimeoutError:
            raise AssertionError(f"{moment.name} did not come: {self.last_words()}") from None
        finally:
            await life.gone()
        assert code == -9, f"it ended with {code} before {moment.name}: {self.last_words()}"
        await asyncio.to_thread(self._afterwards, moment)
        self.asked[-1].deaths.append(moment)
        self.deaths[moment.name] += 1
        self.again += len(self.asked) == before

    async def _live(self, life: Life) -> None:
        """Brings the question before to its end, then asks for the next change and approves it."""
        await life.ready()
        await self._settled()
        await life.arm()
        number = len(self.asked) + 1
        asked = Asked(number, await self.slack.ask(CHANNEL, MIA, words(number)))
        self.asked.append(asked)
        await self._carried_on(asked)

    async def _settled(self) -> None:
        self.slack.hurry_retries()
        if self.asked:
            await self._carried_on(self.asked[-1])
            last = self.asked[-1]
            print(f"{last.number}: {', then '.join(each.name for each in last.deaths)}: {last.ended}", flush=True)

    async def _carried_on(self, asked: Asked) -> None:
        """Ann presses whatever can be pressed, until the card says how it ended and the question is answered."""
        while True:
            found = await self.slack.wait_for(lambda: self._ending(asked) or self._button(asked), _MOMENT_S)
            if isinstance(found, str):
                asked.ended = found
                return
            ts, token = found
            asked.pressed.add(token)
            await self.slack.click(ANN, ts, _APPROVE, channel=CHANNEL)

    async def _last_life(self) -> None:
        life = Life.begin(self.environment, "never", self.log, armed=False)
        try:
            await life.ready()
            await self._settled()
            assert await life.end() == 0, self.last_words()
        finally:
            await life.gone()

    def _afterwards(self, moment: Moment) -> None:
        """What the dead process held is free: on SQLite the next start does this, elsewhere it takes a minute."""
        moment.then(self.state_url)
        engine = sa.create_engine(sa.make_url(self.state_url))
        try:
            with engine.begin() as connection:
                sending = deliveries.c.state == "sending"
                connection.execute(sa.update(deliveries).where(sending).values(lease_until=None))
        finally:
            engine.dispose()

    def said(self, asked: Asked) -> list[dict[str, Any]]:
        return self.slack.answers(CHANNEL, asked.thread)

    def card(self, asked: Asked) -> dict[str, Any] | None:
        return next((m for m in self.said(asked) if m.get("blocks") and m["blocks"][0]["type"] == "header"), None)

    def _ending(self, asked: Asked) -> str:
        """The final state that the card shows, once the thread was told and the question answered; else ''."""
        card = self.card(asked)
        if card is None or not any(told(asked.number) in str(m.get("blocks")) for m in self.said(asked)):
            return ""
        title = card["blocks"][0]["text"]["text"]
        return next((state for state, shown in TITLES.items() if shown == title and state != "pending"), "")

    def _button(self, asked: Asked) -> tuple[str, str] | None:
        """The card's timestamp and the token of an Approve that was not pressed yet."""
        card = self.card(asked)
        for _, element in interactive(card["blocks"]) if card else ():
            if element.get("action_id") == _APPROVE and element["value"] not in asked.pressed:
                return str(card["ts"]), element["value"]  # type: ignore[index]
        return None

    def last_words(self) -> str:
        return self.log.read_text()[-4_000:]


@asynccontextmanager
async def drill_at(folder: Path, target: str, state_url: str, seed: int) -> AsyncGenerator[Drill]:
    """A drill with a Slack of its own, a target in the empty database `target`, and its state at `state_url`."""
    bank = Bank(target, rule=ApproverRule(users=(ANN,)))
    bank.create()
    try:
        # An event is retried for as long as it takes; the real Slack gives up after an hour.
        async with patient_slack(retry_delays=(0.0, *(60.0,) * 100)) as slack, messages_endpoint(propose) as endpoint:
            manifest = folder / "manifest.yaml"
            manifest.write_text(f"version: 1\ntimezone: Europe/Berlin\n{bank.manifest((CHANNEL,))}")
            stage = Stage(slack, folder, manifest, endpoint)
            stage.overrides = {"FOOTNOTE_STATE": state_url, "FOOTNOTE_REPLICA": "drill", **bank.environment()}
            yield Drill(stage, bank, random.Random(seed), stage.environment())
    finally:
        bank.drop()
