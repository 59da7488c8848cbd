"""Each of the seven stages, seen from outside: what a call becomes when it fails there."""

from __future__ import annotations

import json

import pytest

from runtime.errors import CALL_CODES, CallError


async def error_of(bench, tool, arguments, **options):
    (result,) = await bench.run((tool, arguments), **options)
    assert result.is_error
    body = json.loads(result.text)
    assert body["ok"] is False
    assert body["evidence"] == result.evidence.id == "E1"
    assert result.evidence.status == "error"
    return body["error"]


async def test_a_success_is_one_envelope_and_one_evidence_record(bench) -> None:
    (result,) = await bench.run(("echo", {"text": "hi"}))
    assert json.loads(result.text) == {"ok": True, "evidence": "E1", "data": {"said": "hi", "limit": 5}, "notes": []}
    assert result.evidence.rows == (("hi", 0),)
    assert result.evidence.result_digest.startswith("sha256:")


async def test_an_unknown_tool_names_the_nearest(bench) -> None:
    error = await error_of(bench, "ecko", {"text": "hi"})
    assert error["code"] == "tool_not_available"
    assert "echo" in error["hint"]


async def test_an_on_demand_tool_must_be_loaded_first(bench) -> None:
    error = await error_of(bench, "spare_echo", {"text": "hi"})
    assert error["code"] == "tool_not_available"
    assert "toolbox_load" in error["hint"]
    (result,) = await bench.run(("spare_echo", {"text": "hi"}), loaded=frozenset({"spare_echo"}), prefix="d")
    assert not result.is_error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "text"),
        ({"text": 7}, "text"),
        ({"text": "x" * 101}, "100"),
        ({"text": "hi", "limit": 0}, "minimum 1"),
        ({"text": "hi", "limit": "5"}, "limit"),
        ({"text": "hi", "limit": 4.5}, "limit: 4.5 is not of type integer"),
        ({"text": "hi", "limt": 5}, "did you mean limit"),
        ({"text": "hi", "note": "n" * 61}, "60"),
        ({"text": "hi", "note": True}, "note: true is not of type string or null"),
        ({"text": None}, "text: null is not of type string"),
    ],
)
async def test_wrong_arguments_name_the_argument_and_its_bound(bench, arguments, said) -> None:
    error = await error_of(bench, "echo", arguments)
    assert error["code"] == "invalid_arguments"
    assert said in error["message"]
    assert error["retryable"] is True


async def test_capped_arguments_are_cut_and_it_is_said(bench) -> None:
    (result,) = await bench.run(("echo", {"text": "hi", "limit": 900}))
    body = json.loads(result.text)
    assert body["data"]["limit"] == 50
    assert "900" in body["notes"][0]
    assert result.evidence.notes == tuple(body["notes"])


async def test_a_whole_number_may_be_written_as_a_fraction_of_nothing(bench) -> None:
    (few, many) = await bench.run(("echo", {"text": "hi", "limit": 4.0}), ("echo", {"text": "hi", "limit": 900.0}))
    assert json.loads(few.text)["data"]["limit"] == 4
    assert json.loads(many.text)["data"]["limit"] == 50


async def test_a_source_that_closed_stops_the_next_call(bench) -> None:
    bench.world.open = False
    error = await error_of(bench, "echo", {"text": "hi"})
    assert (error["code"], error["message"]) == ("admission_changed", "Closed now.")
    assert bench.world.log == []


async def test_a_typed_error_reaches_the_model_whole(bench) -> None:
    error = await error_of(bench, "refuse", {"text": "hi"})
    assert error == {"code": "not_found", "message": "No such thing.", "hint": "Try orders.", "retryable": True}


@pytest.mark.parametrize("code", CALL_CODES)
def test_every_error_says_what_to_try_next(code) -> None:
    assert CallError(code, "It went wrong.").hint.endswith(".")
    assert CallError(code, "It went wrong.", hint="Try orders.").as_json()["hint"] == "Try orders."


async def test_a_crash_is_redacted_and_carries_a_correlation_id(bench) -> None:
    error = await error_of(bench, "crash", {"text": "hi"})
    assert error["code"] == "internal_error"
    assert error["details"]["correlation_id"] == "id-1"
    assert "hunter2" not in json.dumps(error)


async def test_a_call_past_its_deadline_is_a_timeout(bench) -> None:
    boundary = bench.boundary()
    (result,) = await boundary.batch(
        [_call("hang", {"text": "hi"})], first=1, loaded=frozenset(), allowed=1, deadline=bench.clock.monotonic()
    )
    assert json.loads(result.text)["error"]["code"] == "timeout"


async def test_an_output_against_its_own_contract_is_refused(bench) -> None:
    assert (await error_of(bench, "wrong", {"text": "hi"}))["code"] == "output_invalid"


async def test_a_long_result_is_cut_at_its_list_within_the_bound_and_says_so(bench) -> None:
    (result,) = await bench.run(("flood", {"text": "hi"}))
    body = json.loads(result.text)
    assert len(result.text.encode()) <= 16 * 1024
    assert body["truncated"] == {"reason": "text_limit", "shown": len(body["data"]["items"]), "total": 2_000}
    assert body["data"]["shown"] == len(body["data"]["items"]) > 50


def _call(tool, arguments):
    from runtime.boundary import Call

    return Call("c0", tool, arguments)
