"""The run: steps, loading, budgets, endings, and what a resumed run does not do again."""

from __future__ import annotations

import json

import pytest

from runtime.durable import DirectSteps
from runtime.errors import ModelGarbled, ModelRejected, ModelUnavailable
from runtime.limits import Limits
from runtime.models.port import ModelMessage, ResultsMessage, Stop, Usage, UserMessage
from runtime.run import RunRequest, Status, run
from runtime.testing.scripted_model import ScriptedModel, asks, says


async def answer(bench, script, *, steps=None, history=(), question="How many?", **more):
    model = ScriptedModel(script)
    request = RunRequest(bench.scope(), question, "Today.", history)
    return await run(bench.wiring(model, **more), request, steps or DirectSteps()), model


async def test_a_question_is_answered_with_evidence_and_its_figures_are_checked(bench) -> None:
    bench.world.value = 42
    result, model = await answer(bench, [asks(("echo", {"text": "a"})), says("There are 42 [E1] and 43 [E1].")])
    assert result.status is Status.ANSWERED
    assert [item.id for item in result.evidence] == ["E1"]
    assert (result.verification.figures, result.verification.missing) == (2, ("43",))
    assert result.verification.line.startswith("1 of 2 figures found in evidence; queries not re-run.")
    assert result.usage.output_tokens == 10
    assert len(model.requests) == 2


@pytest.mark.parametrize("written", ["w" * 9_000, "Wé9" * 300])
async def test_a_word_without_end_is_not_repeated_whole(bench, written) -> None:
    own = "x" * 300
    said = f"I found no meaning for “{written.lower()}” here, but for {own}."
    result, _ = await answer(bench, [says(said)], question=f"How many {written}?")
    assert result.answer == f"I found no meaning for “{written.lower()[:60]}…” here, but for {own}."


async def test_the_model_sees_what_was_said_before_the_question_and_the_results(bench) -> None:
    history = (UserMessage("Before?"), ModelMessage("Yes."))
    _, model = await answer(bench, [asks(("echo", {"text": "a"})), says("Done.")], history=history)
    assert model.requests[0].messages == (*history, UserMessage("How many?"))
    last = model.requests[1].messages[-1]
    assert isinstance(last, ResultsMessage)
    assert json.loads(last.results[0].text)["evidence"] == "E1"
    assert model.requests[0].instructions == model.requests[1].instructions
    assert model.requests[0].tools == model.requests[1].tools


async def test_a_loaded_tool_can_be_used_from_the_next_step_on(bench) -> None:
    script = [
        asks(("toolbox_load", {"tool_names": ["spare_echo"]}), ("spare_echo", {"text": "too early"})),
        asks(("spare_echo", {"text": "now"}), prefix="d"),
        says("Done."),
    ]
    result, model = await answer(bench, script)
    assert [item.status for item in result.evidence] == ["ok", "error", "ok"]
    assert model.requests[1].loaded == frozenset({"spare_echo"})
    assert bench.world.log == ["read now"]


async def test_loading_is_all_or_nothing_and_names_what_is_wrong(bench) -> None:
    script = [
        asks(("toolbox_load", {"tool_names": ["spare_echo", "spare_eko"]})),
        asks(("toolbox_load", {"tool_names": ["echo", "spare_echo"]}), prefix="d"),
        asks(("spare_echo", {"text": "x"}), prefix="e"),
        says("Done."),
    ]
    result, _ = await answer(bench, script)
    codes = [item.error["code"] for item in result.evidence]
    assert codes == ["toolbox_tool_not_available", "toolbox_already_pinned", "tool_not_available"]
    assert "spare_echo" in result.evidence[0].error["hint"]


async def test_searching_gives_the_exact_name_first_and_honest_misses(bench) -> None:
    script = [
        asks(("toolbox_search", {"query": "spare_echo"}), ("toolbox_search", {"query": "quarterly weather"})),
        says("Done."),
    ]
    result, _ = await answer(bench, script)
    first, second = (json.loads(item.model_text)["data"] for item in result.evidence)
    assert first["hits"][0]["name"] == "spare_echo"
    assert first["hits"][0]["loaded"] is False
    assert (second["match"], second["hits"]) == ("no_match", [])


async def test_a_search_cursor_belongs_to_its_query(bench) -> None:
    script = [asks(("toolbox_search", {"query": "in tests", "limit": 2})), says("Done.")]
    result, _ = await answer(bench, script)
    cursor = json.loads(result.evidence[0].model_text)["data"]["next_cursor"]
    assert cursor
    more = [
        asks(("toolbox_search", {"query": "in tests", "limit": 2, "cursor": cursor}), prefix="d"),
        asks(("toolbox_search", {"query": "other", "cursor": cursor}), prefix="e"),
        says("Done."),
    ]
    bench.journal.entries.clear()
    bench.replies.replies.clear()
    again, _ = await answer(bench, more)
    assert again.evidence[0].status == "ok"
    assert again.evidence[1].error["code"] == "cursor_invalid"


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(run_model_steps=3), "3 model steps"),
        (Limits(run_calls=2), "2 calls"),
        (Limits(run_output_tokens=10), "10 output tokens"),
    ],
)
async def test_a_used_up_budget_ends_in_words_that_say_so(bench, limits, said) -> None:
    bench.limits = limits
    seen = []

    def script(request):
        seen.append(request)
        if not request.tools_allowed:
            return says("Here is what I found.")
        return asks(("echo", {"text": str(len(seen))}), prefix=f"p{len(seen)}")

    result, _ = await answer(bench, script)
    assert result.status is Status.BUDGET
    assert "Here is what I found." in result.answer
    assert said in result.answer
    assert said in seen[-1].messages[-1].text
    assert all(request.tools_allowed for request in seen[:-1])


async def test_money_and_time_are_budgets_too(bench) -> None:
    dear = Usage(10, 5, usd=0.6)

    def script(request):
        bench.clock.advance(1)
        return says("Enough.") if not request.tools_allowed else asks(("echo", {"text": "a"}), usage=dear)

    result, _ = await answer(bench, script, run_usd=0.5)
    assert "0.50 USD" in result.answer

    def slow(request):
        bench.clock.advance(200)
        return says("Enough.") if not request.tools_allowed else asks(("echo", {"text": "b"}), prefix="t")

    bench.replies.replies.clear()
    result, _ = await answer(bench, slow)
    assert "300 s of working time" in result.answer


async def test_more_calls_than_a_step_may_have_are_refused_not_lost(bench) -> None:
    calls = [("echo", {"text": str(n)}) for n in range(18)]
    result, _ = await answer(bench, [asks(*calls), says("Done.")])
    assert len(result.evidence) == 18
    assert [item.status for item in result.evidence].count("error") == 2
    error = result.evidence[-1].error
    assert (error["code"], error["message"]) == ("budget_exceeded", "One step makes at most 16 calls.")
    assert error["retryable"] and "next step" in error["hint"]


@pytest.mark.parametrize(
    "error", [ModelUnavailable("It is down."), ModelGarbled("Nonsense."), ModelRejected("No key.")]
)
async def test_a_model_that_fails_in_mid_run_leaves_the_evidence_and_a_sentence(bench, error) -> None:
    result, _ = await answer(bench, [asks(("echo", {"text": "a"}), text="Looking."), error])
    assert result.status is Status.MODEL_FAILED
    assert str(error) in result.answer
    assert [item.id for item in result.evidence] == ["E1"]


@pytest.mark.parametrize(
    ("stop", "text", "status", "said"),
    [
        (Stop.REFUSAL, "", Status.REFUSED, "declined"),
        (Stop.MAX_TOKENS, "Half an ans", Status.ANSWERED, "cut at the model's output limit"),
        (Stop.CONTEXT_FULL, "", Status.ANSWERED, "new thread"),
        (Stop.END, "", Status.ANSWERED, "no answer in words"),
        (Stop.END, " \u200b\n\ufeff\u2060", Status.ANSWERED, "no answer in words"),
        (Stop.END, "word " * 10_000, Status.ANSWERED, "50,000 characters; only its beginning is shown"),
    ],
)
async def test_every_ending_has_words(bench, stop, text, status, said) -> None:
    result, _ = await answer(bench, [says(text, stop=stop)])
    assert result.status is status
    assert said in result.answer


async def test_a_pause_goes_on(bench) -> None:
    result, model = await answer(bench, [says("Thinking…", stop=Stop.PAUSE), says("42.")])
    assert result.answer == "42."
    assert model.requests[1].messages[-1] == ModelMessage("Thinking…")


class Interrupted(Exception):
    """The process dies here."""


class DyingSteps(DirectSteps):
    """Dies after `alive` steps have been recorded; a second life replays the recorded ones."""

    def __init__(self, recorded, alive) -> None:
        super().__init__()
        self.recorded = recorded
        self.alive = alive

    async def step(self, name, work):
        if name in self.recorded:
            return self.recorded[name]
        value = await work()
        if len(self.recorded) >= self.alive:
            raise Interrupted
        self.recorded[name] = value
        return value


@pytest.mark.parametrize("alive", [0, 1, 2])
async def test_a_resumed_run_asks_the_model_and_the_data_nothing_twice(bench, alive) -> None:
    bench.world.value = 7
    script = [
        asks(("echo", {"text": "a"}), ("echo", {"text": "b"})),
        asks(("echo", {"text": "c"}), prefix="d"),
        says("7 [E1]"),
    ]
    recorded: dict = {}
    with pytest.raises(Interrupted):
        await answer(bench, script, steps=DyingSteps(recorded, alive))
    asked_before = len(bench.replies.replies)
    result, model = await answer(bench, script[asked_before:], steps=DyingSteps(recorded, 99))
    assert result.answer == "7 [E1]"
    assert [item.id for item in result.evidence] == ["E1", "E2", "E3"]
    assert sorted(bench.world.log) == ["read a", "read b", "read c"]
    assert len(model.requests) == 3 - asked_before


async def test_a_machines_run_sees_no_effect(bench) -> None:
    bench.origin = "machine"
    _, model = await answer(bench, [says("Done.")])
    assert "set_value" not in [tool.name for tool in model.requests[0].tools]
