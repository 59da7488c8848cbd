"""What the drill asks, and the model that answers: numbered questions whose every call has a result of its own."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from runtime.testing.messages_api import MessagesEndpoint, Reply

_NUMBER = re.compile(r"question (\d+)")
# Not a part of an identifier, which are in hexadecimal.
_MARK = re.compile(r"(?<![0-9a-f])7\d{6}(?![0-9a-f])")
# (calls of a step, how many of them give several rows and so a file)
BATCHES = ((4, 1), (2, 1))
CALLS = sum(calls for calls, _ in BATCHES)
FILES = sum(files for _, files in BATCHES)
PARTS = 2 + FILES  # the answer, its evidence, and the files
LAST_STEP = len(BATCHES)
ROWS = 60  # of the workspace's table, whose ids are 1 to 60


def mark_of(number: int, call: int) -> int:
    """The constant that names a call among all calls of all questions. Large, so that nothing else looks like it."""
    return 7_000_000 + number * 100 + call


def marks_in(text: str) -> set[str]:
    """Every mark, and every figure made of one, in a text."""
    return set(_MARK.findall(text))


def top_of(mark: int) -> int:
    """What the call with this mark finds in the table."""
    return mark + ROWS


def sql_of(number: int, call: int, *, rows: bool) -> str:
    """The query of one call: its mark, and a figure from the table; some are slow, so that calls end out of order."""
    mark = mark_of(number, call)
    tables = range(2 + mark % 3)
    product = ", ".join(f"orders t{n}" for n in tables)
    effort = " + ".join(f"t{n}.id" for n in tables)
    grouping = ", t0.region" if rows else ""
    ending = " group by t0.region order by t0.region" if rows else ""
    # Three regions take the ids in turn, so the largest of the whole table is asked for in a query of its own.
    top = f"(select max(id) from orders) + {mark}"
    figures = f"{mark} as mark, {top} as top{grouping}, count(*) as n"
    return f"select {figures} from {product} where {effort} > 90{ending}"


@dataclass(frozen=True, slots=True)
class Step:
    """One model step of one question: `n` counts from 0."""

    question: int
    n: int


def step_of(body: dict[str, Any]) -> Step:
    """Which step of which question a request asks for."""
    number, n = 0, 0
    for message in body["messages"]:
        if message["role"] == "assistant":
            n += 1
            continue
        texts = [block.get("text", "") for block in message["content"] if block["type"] == "text"]
        for found in _NUMBER.finditer(" ".join(texts)):
            number, n = int(found[1]), 0
    return Step(number, n)


def reply_to(body: dict[str, Any]) -> Reply:
    """Two batches of calls side by side, then an answer that cites them all."""
    step = step_of(body)
    first = sum(calls for calls, _ in BATCHES[: step.n])
    if step.n < LAST_STEP:
        calls, files = BATCHES[step.n]
        numbered = enumerate(range(first + 1, first + 1 + calls))
        return Reply("", [("run_sql", {"sql": sql_of(step.question, c, rows=i < files)}) for i, c in numbered])
    figures = (f"{top_of(mark_of(step.question, call))} [E{call}]" for call in range(1, CALLS + 1))
    return Reply(f"Question {step.question} is answered: {', '.join(figures)}.")


@dataclass(slots=True)
class Request:
    """One request that the endpoint got, in which life of the bot, and whether the whole reply went out."""

    step: Step
    life: int
    results: dict[str, str]
    replied: bool = False


@dataclass
class Model(MessagesEndpoint):
    """The endpoint: takes its time, tells what happens, and remembers who asked for what."""

    chance: random.Random
    tell: Callable[..., None]
    life: int = 0
    log: list[Request] = field(default_factory=list)
    # Results that stand under a call that did not ask for them.
    mixed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(reply_to)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        try:
            body = await request.json()
        except ConnectionError:  # the bot died while it was asking
            return web.Response(status=400)
        asked = Request(step_of(body), self.life, _results(body))
        self.log.append(asked)
        self.mixed += _mixed(body)
        self.tell("model", stage="asked", n=asked.step.n)
        await asyncio.sleep(self.chance.random() ** 2 * 0.4)
        try:
            response = await super().handle(request)
        except ConnectionError:  # the bot died while it was being told
            return web.Response(status=500)
        asked.replied = True
        self.tell("model", stage="replied", n=asked.step.n)
        return response

    def repeats(self) -> dict[Step, list[Request]]:
        """Steps that were asked for more than once."""
        by_step: dict[Step, list[Request]] = defaultdict(list)
        for asked in self.log:
            by_step[asked.step].append(asked)
        return {step: asked for step, asked in by_step.items() if len(asked) > 1}

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator[Model]:
        """Serves on loopback; `url` is what ANTHROPIC_BASE_URL takes."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/messages", self.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            yield self
        finally:
            await runner.cleanup()


def _results(body: dict[str, Any]) -> dict[str, str]:
    """Tool results by the id of their call."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    return {b["tool_use_id"]: json.dumps(b["content"]) for b in blocks if b["type"] == "tool_result"}


def _mixed(body: dict[str, Any]) -> list[str]:
    """Calls whose result shows another mark than their query, or none."""
    results = _results(body)
    found = list[str]()
    for message in body["messages"]:
        for block in message["content"]:
            if block["type"] == "tool_use":
                (mark,) = marks_in(block["input"]["sql"])
                told = marks_in(results.get(block["id"], ""))
                if told != {mark, str(top_of(int(mark)))}:
                    found.append(f"{block['id']} asked for {mark} and got {results.get(block['id'])}")
    return found
