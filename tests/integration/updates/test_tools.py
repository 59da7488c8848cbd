"""The two update tools through the boundary: preview, a person's yes, and exactly that change, once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.boundary.approval import Earlier
from runtime.capability import Scope, Services, SourceKind, SourceTerms
from runtime.engines.port import ReadEngines
from runtime.projection import project
from runtime.registry import Registry
from runtime.run import boundary_of
from tests.integration.updates.conftest import World
from tests.integration.updates.tools_bench import PREVIEW, UPDATE, Bench


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
