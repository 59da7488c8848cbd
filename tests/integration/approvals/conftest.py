"""A desk over a real state, with a face that only keeps notes; `moved` shifts requests into the past."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
import sqlalchemy as sa

from runtime.approvals import Desk
from runtime.boundary import Approved, FrozenCall, NotApproved
from runtime.capability import ApproverRule, Preflight
from runtime.state import NewDelivery, State, open_state
from runtime.state.tables import approvals
from runtime.testing.clock import ManualClock, counted_ids


class NotingFace:
    """Writes each posting as the state it tells of, and remembers who waited."""

    def __init__(self) -> None:
        self.tokens: dict[str, str] = {}
        self.told: list[str] = []
        self.parked: list[str] = []
        self.closed = ""
        self.posted = True
        self.heard = asyncio.Event()
        self.loop = asyncio.get_running_loop()

    async def says(self, word: str) -> None:
        while word not in self.told:
            self.heard.clear()
            await asyncio.wait_for(self.heard.wait(), 60)

    def asking(self, approval, token, attachments):
        self.tokens[approval.id] = token
        return self._note(approval, "asked")

    def changed(self, before, after, token=None):
        if before.remind_at and not after.remind_at and after.state == "pending" == before.state:
            return self._note(after, "reminded")
        return self._note(after, after.state)

    def _note(self, approval, word):
        self.told.append(word)
        self.loop.call_soon_threadsafe(self.heard.set)
        return [NewDelivery(f"approval:{approval.id}", "C", approval.revision + 1, "message", {"said": word})]

    def deliver(self, approval_id):
        pass

    async def brought_out(self, approval_id, seconds):
        return self.posted

    async def refusal(self, approval):
        return self.closed

    @contextlib.asynccontextmanager
    async def waiting(self, conversation):
        self.parked.append(f"waits {conversation}")
        yield
        self.parked.append(f"works {conversation}")


class Office:
    """One state and the desks of its replicas."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.clock = ManualClock()
        self.state: State = open_state(url, clock=self.clock, new_id=counted_ids())
        self.face = NotingFace()
        self.desk = self.replica("A")
        self.asking: asyncio.Task[Approved | NotApproved] | None = None

    def replica(self, name: str, **options) -> Desk:
        self.slots: list[str] = []

        @contextlib.contextmanager
        def parked(run_id):
            self.slots.append(f"gives {run_id}")
            yield
            self.slots.append(f"takes {run_id}")

        return Desk(
            self.state.approvals,
            self.face,
            owner=name,
            clock=self.clock,
            new_id=counted_ids(f"{name}-approval"),
            new_token=counted_ids(f"{name}-token"),
            alone=self.url.startswith("sqlite"),
            open_s=86_400.0,
            parked=parked,
            sleep=self.clock.sleep,
            **options,
        )

    def call(self, call_id: str = "1:c", run_id: str = "run-1", **more) -> FrozenCall:
        rule = {"users": ("U2", "U4"), **more}
        preflight = Preflight("f1", "crm:customers", "Set tier to gold in 3 rows", approvers=ApproverRule(**rule))
        return FrozenCall(run_id, call_id, "update", {"a": 1}, preflight, "p1", "T:C:1", "U1", "mutate_data", "crm")

    async def ask(self, call: FrozenCall | None = None, desk: Desk | None = None):
        """Begins to ask, and returns the request once the run waits for it."""
        call = call or self.call()
        self.asking = asyncio.create_task((desk or self.desk).ask(call))
        await asyncio.wait_for(self.clock.slept_by(), 60)
        return await self.state.approvals.of_call(call.run_id, call.call_id)

    async def answer(self) -> Approved | NotApproved:
        assert self.asking is not None
        return await asyncio.wait_for(self.asking, 60)

    async def pass_time(self, approval, seconds: float) -> None:
        """Time goes by: on SQLite the clock moves; with PostgreSQL, whose clock nobody moves, the request does."""
        if not self.url.startswith("sqlite"):
            await self.age(approval, seconds)
        self.clock.advance(seconds)

    async def age(self, approval, seconds: float) -> None:
        """The request alone becomes older: nobody wakes up."""
        ago, of_it = timedelta(seconds=seconds), approvals.c.id == approval.id

        def work(connection):
            found = connection.execute(sa.select(approvals).where(of_it)).mappings().one()
            moments = ("asked_at", "expires_at", "changed_at", "remind_at")
            values = {name: found[name] - ago for name in moments if found[name] is not None}
            connection.execute(sa.update(approvals).where(of_it).values(**values))

        await self.state._connector.run(work)

    async def state_of(self, approval) -> str:
        return (await self.state.approvals.get(approval.id)).state


@pytest.fixture
async def office(state_url: str) -> AsyncIterator[Office]:
    made = Office(state_url)
    yield made
    if made.asking is not None and not made.asking.done():
        made.asking.cancel()
        await asyncio.gather(made.asking, return_exceptions=True)
    made.state.close()
