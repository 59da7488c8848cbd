"""The two update tools through the boundary: preview, a person's yes, and exactly that change, once."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from runtime.admission import AdmissionByPolicy, Asker, Conversation, Manifest, Policy
from runtime.boundary import Approved, Call, CallResult, NotApproved
from runtime.boundary.approval import Earlier, FrozenCall, Outcome
from runtime.capability import ModelRows, Scope, Services, SourceKind, SourceTerms
from runtime.clock import SystemClock
from runtime.engines.port import ReadEngines
from runtime.engines.update_port import UpdateEngines
from runtime.projection import project
from runtime.registry import Registry
from runtime.run import boundary_of
from runtime.testing.wiring import wiring_over
from tests.integration.updates.conftest import World

PREVIEW, UPDATE = "data_preview_postgresql_update", "data_update_postgresql"
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


@pytest.fixture
async def bench(world: World) -> Bench:
    return Bench(world, await world.engine())


async def test_the_whole_way_from_preview_to_receipt(bench: Bench):
    seen = await bench.previewed()
    assert (seen["row_count"], seen["columns"]) == (7, ["id", "tier"])
    assert seen["before"] == [[n, "silver"] for n in range(1, 6)]
    assert seen["after"][0] == [1, "gold"]
    done = await bench.update(seen)
    assert done["data"]["affected_rows"] == 7
    (asked,) = bench.people.asked
    assert asked.preflight.summary == "Set tier to 'gold' in 7 rows of public.customers (crm)"
    assert asked.preflight.target == "crm:public.customers"
    assert asked.rule.users == ("U0ANN",)
    assert asked.rule.expires_s == 600
    (file,) = asked.preflight.attachments
    assert file.text.splitlines()[:2] == ["id,tier before,tier after", "1,silver,gold"]
    assert len(file.text.splitlines()) == 8
    details = asked.preflight.details
    assert (details["row_count"], details["keys"], len(details["before"])) == (7, ["id"], 5)  # type: ignore[arg-type]
    (outcome,) = bench.people.outcomes
    assert (outcome.state, outcome.receipt) == ("done", done["data"]["receipt"])
    assert bench.gold == 7


async def test_nobody_is_asked_for_a_change_that_changes_nothing(bench: Bench):
    same = {"set": [{"column": "tier", "value": "silver"}]}
    seen = await bench.previewed(**same)
    assert (seen["row_count"], seen["unchanged"]) == (7, 7)
    refused = await bench.update(seen, **same)
    assert refused["error"]["code"] == "update_refused" and "nothing would change" in refused["error"]["message"]
    assert bench.people.asked == []
    bench.world.run("UPDATE customers SET tier = 'gold' WHERE id = 1")
    assert (await bench.previewed())["unchanged"] == 1  # the others would change, so people are asked
    assert (await bench.update(await bench.previewed()))["ok"]


async def test_without_a_yes_nothing_is_written(bench: Bench):
    bench.people.answer = False
    refused = await bench.update(await bench.previewed())
    assert refused["error"]["code"] == "not_approved"
    assert bench.gold == 0
    assert await bench.world.state.effects.newest(1) == []


async def test_drift_while_people_decide_is_said_to_them(bench: Bench):
    async def touched() -> None:
        bench.world.run("UPDATE customers SET name = 'x' WHERE id = 2")

    bench.people.meanwhile = touched
    failed = await bench.update(await bench.previewed())
    assert failed["error"]["code"] == "state_changed"
    assert "1 row (id 2) changed its value (name)" in failed["error"]["message"]
    (outcome,) = bench.people.outcomes
    assert outcome.state == "drift"
    assert "id 2" in outcome.sentence
    assert bench.gold == 0


async def test_after_drift_the_same_preview_looks_anew(bench: Bench):
    seen = await bench.previewed()
    bench.world.run("UPDATE customers SET name = 'x' WHERE id = 2")
    assert (await bench.update(seen))["error"]["code"] == "state_changed"
    anew = await bench.previewed()
    assert anew["preview_fingerprint"] != seen["preview_fingerprint"]
    assert (await bench.update(anew))["ok"]


async def test_another_policy_writes_nothing(bench: Bench):
    async def reloaded() -> None:
        bench.forget()

    bench.people.meanwhile = reloaded
    failed = await bench.update(await bench.previewed())
    assert failed["error"]["code"] == "admission_changed"
    assert bench.gold == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"expected_rows": 3}, "state_changed"),
        ({"expected_rows": 0}, "invalid_arguments"),
        ({"preview_fingerprint": "sha256:" + "0" * 64}, "state_changed"),
        ({"preview_fingerprint": "approved"}, "invalid_arguments"),
        ({"set": [{"column": "tier", "value": "platinum"}]}, "state_changed"),
        ({"where": []}, "invalid_arguments"),
        ({"where": [{"column": "id", "op": "in", "value": 1}]}, "invalid_arguments"),
        ({"where": [{"column": "id", "op": "is_null", "value": 1}]}, "invalid_arguments"),
        ({"where": [{"column": "id", "op": "eq; DROP TABLE customers", "value": 1}]}, "invalid_arguments"),
        ({"approved_by": "U0ANN"}, "invalid_arguments"),
    ],
)
async def test_what_is_not_the_preview_is_never_put_before_people(bench: Bench, arguments, code):
    refused = await bench.update(await bench.previewed(), **arguments)
    assert refused["error"]["code"] == code
    assert bench.people.asked == []
    assert bench.gold == 0


async def test_a_resumed_run_finds_out_and_never_runs_again(bench: Bench):
    done = await bench.update(await bench.previewed())
    bench.people.before = Earlier("a1", "running", "", "")
    bench.boundary = boundary_of(bench.wiring, bench.scope)
    seen = {"row_count": 7, "preview_fingerprint": "sha256:" + "0" * 64}
    bench.wiring.journal.__init__()  # the crash came before the call's result was written down
    bench.made -= 1
    again = await bench.update(seen)
    assert again["data"] == done["data"]
    assert len(bench.people.asked) == 1
    assert len(await bench.world.state.effects.newest(9)) == 1


async def test_a_resumed_run_whose_call_never_began_is_told_so(bench: Bench):
    bench.people.before = Earlier("a1", "running", "", "")
    told = await bench.update({"row_count": 7, "preview_fingerprint": "sha256:" + "0" * 64})
    assert told["error"]["code"] == "not_approved"
    (outcome,) = bench.people.outcomes
    assert outcome.state == "void"
    assert bench.gold == 0


async def test_masked_values_reach_people_and_never_the_model(world: World):
    world.declared = {"columns": {"mask": ["public.customers.email"]}}
    bench = Bench(world, await world.engine())
    result = await bench.call(PREVIEW, set=[{"column": "email", "value": "n@x.com"}])
    assert "c1@x.com" not in result.text
    assert json.loads(result.text)["data"]["before"][0] == [1, "[masked]"]
    assert "c1@x.com" in str(result.evidence.rows)


async def test_whether_a_guess_stands_in_a_masked_column_is_not_told(world: World):
    world.declared = {"columns": {"mask": ["public.customers.email"]}}
    bench = Bench(world, await world.engine())
    one = {"where": [{"column": "id", "op": "eq", "value": 1}]}

    def told(seen: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in seen.items() if name != "preview_fingerprint"}

    right, wrong = ({**one, "set": [{"column": "email", "value": f"{name}@x.com"}]} for name in ("c1", "zz"))
    seen = await bench.previewed(**right)
    assert told(seen) == told(await bench.previewed(**wrong))
    assert (await bench.update(seen, **right))["ok"]  # people see it on the card


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
async def test_a_number_that_no_json_holds_is_no_value(bench: Bench, value: float):
    refused = json.loads((await bench.call(PREVIEW, set=[{"column": "score", "value": value}])).text)
    assert refused["error"]["code"] == "invalid_arguments"


async def test_a_type_that_does_not_compare_is_said(world: World):
    world.run("ALTER TABLE customers ADD raw json; GRANT SELECT ON customers TO {writer}, {reader}")
    bench = Bench(world, await world.engine())
    refused = await bench.call(PREVIEW, where=[{"column": "raw", "op": "eq", "value": "{}"}])
    assert "The condition on raw does not fit: json can't be compared so" in refused.text


async def test_no_value_reaches_the_model_where_the_source_says_none(world: World):
    bench = Bench(world, await world.engine(), model_rows="none")
    seen = await bench.previewed()
    assert (seen["row_count"], seen["before"], seen["after"]) == (7, [], [])
    assert (await bench.update(seen))["ok"]


async def test_the_tools_are_offered_only_where_a_source_is_open_to_updates(bench: Bench):
    def offered(**terms: Any) -> set[str]:
        scope = Scope(
            "r1", "T:C:1", "person", "U", "UTC", "p", frozenset({"crm"}),
            terms={"crm": SourceTerms(SourceKind.POSTGRESQL, **terms)},
        )  # fmt: skip
        return {PREVIEW, UPDATE} & set(project(bench.wiring.registry, scope).by_tool)

    assert offered(updates=True) == {PREVIEW, UPDATE}
    assert offered() == set()
    unserved = Registry.of().served(Services(ReadEngines({}, {})))
    assert not {PREVIEW, UPDATE} & set(unserved.by_tool)
