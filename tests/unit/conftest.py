"""A boundary and runs over capabilities made for the test: an echo, an effect, a slow one, a crashing one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from pydantic import Field

from runtime.boundary import Boundary, Call, NoApprovals
from runtime.capability import (
    WORKSPACE_TERMS,
    Access,
    Arguments,
    Capability,
    Closed,
    EffectKind,
    EffectSpec,
    Fate,
    Open,
    Output,
    Preflight,
    Scope,
    Services,
    Toolbox,
)
from runtime.errors import CallError
from runtime.evidence import Column
from runtime.limits import Limits
from runtime.registry import Registry
from runtime.run import Wiring, boundary_of
from runtime.testing.clock import ManualClock
from runtime.testing.journal import MemoryJournal, MemoryReplies
from runtime.testing.wiring import wiring_over
from runtime.toolboxes.controls import load, search


class EchoArguments(Arguments):
    """What the echo says."""

    text: Annotated[str, Field(description="What to say.", max_length=100)]
    limit: Annotated[int, Field(description="How many.", ge=1, le=50)] = 5


class SetArguments(Arguments):
    """What the effect writes."""

    value: Annotated[int, Field(description="The new value.")]


ANY: dict[str, Any] = {"type": "object"}
SAID = {"type": "object", "properties": {"said": {"type": "string"}}}


@dataclass
class World:
    """What the test capabilities read and write, the order in which they did, and their executors."""

    value: int = 0
    drift: int = 0
    open: bool = True
    revision: str = "r1"
    log: list[str] = field(default_factory=list)
    running: int = 0
    most: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    entered: asyncio.Event = field(default_factory=asyncio.Event)
    hangs: bool = False
    breaks: Exception | None = None
    fate: Any = None

    async def source(self, scope: Scope, source_id: str) -> Open | Closed:
        return Open(self.revision) if self.open else Closed("Closed now.", "Ask an operator.")

    async def echo(self, arguments: EchoArguments, context) -> Output:
        self.log.append(f"read {arguments.text}")
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        rows = ((arguments.text, self.value),)
        return Output(
            "1 row",
            "Echoed.",
            {"said": arguments.text, "limit": arguments.limit},
            columns=(Column("text", "VARCHAR"), Column("value", "BIGINT")),
            rows=rows,
            row_count=1,
        )

    async def crash(self, arguments: EchoArguments, context) -> Output:
        raise RuntimeError("secret inside: hunter2")

    async def refuse(self, arguments: EchoArguments, context) -> Output:
        raise CallError("not_found", "No such thing.", hint="Try orders.", retryable=True)

    async def hang(self, arguments: EchoArguments, context) -> Output:
        await self.gate.wait()
        return Output("late", "Late.", {})

    async def wrong(self, arguments: EchoArguments, context) -> Output:
        return Output("odd", "Odd.", {"said": 7})

    async def flood(self, arguments: EchoArguments, context) -> Output:
        items = [{"n": n, "text": "é" * 50} for n in range(2_000)]
        return Output("many", "Many.", {"items": items, "shown": len(items)}, listing="items")

    async def brim(self, arguments: EchoArguments, context) -> Output:
        """As much as is sent, to the last few bytes."""
        return Output("many", "Many.", {"items": ["x"] * 20_000}, listing="items")

    async def preflight(self, arguments: SetArguments, context) -> Preflight:
        self.value += self.drift
        return Preflight(f"value was {self.value}", "the value", f"Set to {arguments.value}")

    async def write(self, arguments: SetArguments, context) -> Output:
        self.log.append(f"write {arguments.value}")
        self.entered.set()
        if self.hangs:
            await self.gate.wait()
        if self.breaks is not None:
            raise self.breaks
        self.value = arguments.value
        return Output("done", "Written.", {"value": self.value}, receipt="R1")

    async def resolve(self, arguments: SetArguments, context) -> Output | Fate:
        self.log.append(f"resolve {context.scope.run_id} {context.call_id}")
        return self.fate


def read(tool: str, execute, output: dict[str, Any] = ANY, *, pinned: bool = True, deadline_s: int = 60):
    return Capability(
        id=f"test.{tool}",
        tool=tool,
        toolbox=Toolbox.FILES,
        pinned=pinned,
        summary=f"{tool} something",
        when="In tests.",
        description=f"{tool} in tests.",
        arguments=EchoArguments,
        example={"text": "hi"},
        output_schema=output,
        execute=execute,
        source=lambda _: "workspace",
        caps={"limit": 50},
        deadline_s=deadline_s,
    )


def set_value(world: World):
    return Capability(
        id="test.set_value",
        tool="set_value",
        toolbox=Toolbox.SOURCES,
        pinned=True,
        summary="Set the value",
        when="In tests.",
        description="Sets the value.",
        arguments=SetArguments,
        example={"value": 1},
        output_schema=ANY,
        execute=world.write,
        access=Access.WRITE,
        source=lambda _: "workspace",
        effect=EffectSpec(
            EffectKind.MUTATE_DATA, needs_approval=True, preflight=world.preflight, resolve=world.resolve
        ),
    )


def capabilities(world: World) -> tuple[Capability[Any], ...]:
    return (
        search.CAPABILITY,
        load.CAPABILITY,
        read("echo", world.echo, SAID),
        read("crash", world.crash),
        read("refuse", world.refuse),
        read("hang", world.hang, deadline_s=1),
        read("wrong", world.wrong, SAID),
        read("flood", world.flood),
        read("brim", world.brim),
        read("spare_echo", world.echo, SAID, pinned=False),
        set_value(world),
    )


class Bench:
    """A boundary and what it stands on."""

    def __init__(self) -> None:
        self.world = World()
        self.clock = ManualClock()
        self.journal = MemoryJournal()
        self.replies = MemoryReplies()
        self.approvals: Any = NoApprovals()
        self.limits = Limits()
        self.origin = "person"

    def scope(self) -> Scope:
        sources = frozenset({"workspace"})
        return Scope("run-1", "T:C:1", self.origin, "U0ANN", "UTC", "p1", sources, terms=WORKSPACE_TERMS)

    def wiring(self, model: Any, **more: Any) -> Wiring:
        return wiring_over(
            Services(),
            self.world,
            registry=Registry.of(capabilities(self.world)),
            model=model,
            instructions="Be good.",
            journal=self.journal,
            replies=self.replies,
            limits=self.limits,
            clock=self.clock,
            approvals=self.approvals,
            **more,
        )

    def boundary(self) -> Boundary:
        return boundary_of(self.wiring(None), self.scope())

    async def run(
        self,
        *calls: tuple[str, Any],
        boundary: Boundary | None = None,
        allowed: int = 64,
        first: int = 1,
        loaded: frozenset[str] = frozenset(),
        prefix: str = "c",
    ):
        made = [Call(f"{prefix}{index}", tool, arguments) for index, (tool, arguments) in enumerate(calls)]
        deadline = self.clock.monotonic() + 300
        return await (boundary or self.boundary()).batch(
            made, first=first, loaded=loaded, allowed=allowed, deadline=deadline
        )


@pytest.fixture
def bench() -> Bench:
    return Bench()
