"""A run over a source whose rows may be changed, and people who answer at once: calls go through the whole boundary."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from runtime.admission import AdmissionByPolicy, Asker, Conversation, Manifest, Policy
from runtime.boundary import Approved, Call, CallResult, NotApproved
from runtime.boundary.approval import Earlier, FrozenCall, Outcome
from runtime.capability import ModelRows, Scope, Services, SourceKind, SourceTerms
from runtime.clock import SystemClock
from runtime.engines.port import ReadEngines
from runtime.engines.update_port import UpdateEngines
from runtime.projection import project
from runtime.registry import STARTED_BY_PEOPLE, Registry
from runtime.run import boundary_of
from runtime.testing.wiring import wiring_over
from tests.integration.updates.conftest import World

PREVIEW, UPDATE, UNDO = "data_preview_postgresql_update", "data_update_postgresql", "data_undo_postgresql"
CHANGE: dict[str, Any] = {
    "source_id": "crm",
    "table": "public.customers",
    "set": [{"column": "tier", "value": "gold"}],
    "where": [{"column": "id", "op": "lte", "value": 7}],
}


class Place:
    async def look(self, scope: Scope) -> tuple[Conversation, Asker | None]:
        return Conversation("channel", "C0SALES"), Asker("U0MIA")


async def nothing() -> None:
    return None


class People:
    """Approvals that are given at once; `meanwhile` happens before the yes."""

    def __init__(self) -> None:
        self.asked: list[FrozenCall] = []
        self.outcomes: list[Outcome] = []
        self.answer = True
        self.meanwhile: Callable[[], Awaitable[None]] = nothing
        self.before: Earlier | None = None

    async def earlier(self, run_id: str, call_id: str) -> Earlier | None:
        return self.before

    async def ask(self, call: FrozenCall) -> Approved | NotApproved:
        self.asked.append(call)
        await self.meanwhile()
        return Approved("a1", call.digest, "U0ANN") if self.answer else NotApproved("Rejected.", rejected=True)

    async def settle(self, approval_id: str, outcome: Outcome) -> None:
        self.outcomes.append(outcome)


class Bench:
    """A run over the world's source; `policy` is the one in force."""

    def __init__(self, world: World, engine: Any, model_rows: ModelRows = "full") -> None:
        self.world, self.people = world, People()
        self.policy = Policy.of(Manifest.model_validate({"version": 1, "sources": [self._source()]}))
        services = Services(
            ReadEngines({"crm": world.opened[-1]}, {"crm": world.opened[-1]}),
            UpdateEngines({"crm": engine}, world.state.effects),
        )

        async def revision(source: str) -> str:
            return (await world.opened[-1].structure()).revision

        self.wiring = wiring_over(
            services, AdmissionByPolicy(lambda: self.policy, Place(), revision), approvals=self.people
        )
        terms = SourceTerms(SourceKind.POSTGRESQL, model_rows, updates=True)
        self.scope = Scope(
            "r1", "T:C0SALES:1", "person", "U0MIA", "UTC", self.policy.revision, frozenset({"crm"}),
            terms={"crm": terms},
        )  # fmt: skip
        self.boundary = boundary_of(self.wiring, self.scope)
        self.made = 0

    def _source(self, **more: Any) -> dict[str, Any]:
        return {
            "id": "crm", "kind": "postgresql", "url": "${CRM_READ_URL}", "audience": {"channels": ["C0SALES"]}, **more,
        }  # fmt: skip

    def forget(self) -> None:
        """Another policy comes into force."""
        self.policy = Policy.of(Manifest.model_validate({"version": 1, "sources": [self._source(label="public")]}))

    async def call(self, tool: str, **arguments: Any) -> CallResult:
        self.made += 1
        return await self.again(self.made, tool, **arguments)

    async def again(self, position: int, tool: str, **arguments: Any) -> CallResult:
        call = Call(f"c{position}", tool, {**CHANGE, **arguments})
        loaded, deadline = frozenset({PREVIEW, UPDATE}), SystemClock().monotonic() + 300
        (result,) = await self.boundary.batch([call], first=position, loaded=loaded, allowed=1, deadline=deadline)
        return result

    async def previewed(self, **arguments: Any) -> dict[str, Any]:
        """The data of a preview."""
        body = json.loads((await self.call(PREVIEW, **arguments)).text)
        assert body["ok"], body
        return body["data"]

    async def update(self, seen: dict[str, Any], **arguments: Any) -> dict[str, Any]:
        """The envelope of the update that belongs to a preview."""
        given = {"expected_rows": seen["row_count"], "preview_fingerprint": seen["preview_fingerprint"], **arguments}
        return json.loads((await self.call(UPDATE, **given)).text)

    @property
    def gold(self) -> int:
        return self.world.run("SELECT count(*) FROM customers WHERE tier = 'gold'")[0][0]

    async def undo(self, receipt: str) -> dict[str, Any]:
        """The envelope of undoing, as a person's click starts it."""
        self.made += 1
        catalog = project(Registry.of(STARTED_BY_PEOPLE).served(self.wiring.services), self.scope)
        call = Call(f"c{self.made}", UNDO, {"source_id": "crm", "receipt": receipt})
        boundary = boundary_of(self.wiring, self.scope, catalog)
        loaded, deadline = frozenset({UNDO}), SystemClock().monotonic() + 300
        (result,) = await boundary.batch([call], first=self.made, loaded=loaded, allowed=1, deadline=deadline)
        return json.loads(result.text)
