"""The Anthropic adapter over a real socket: what it sends, what it makes of answers, and how it fails."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import stamina
import structlog

from runtime.errors import ModelError, ModelGarbled, ModelRejected, ModelUnavailable
from runtime.models.anthropic import AnthropicModel
from runtime.models.port import (
    ModelMessage,
    ModelRequest,
    ModelStep,
    ResultsMessage,
    Stop,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from runtime.testing.messages_api import Reply, messages_endpoint

MODEL = "claude-sonnet-5-5"
TOOLS = (
    ToolDefinition("run_sql", "Runs SQL.", {"type": "object", "properties": {}, "examples": [{"sql": "select 1"}]}),
    ToolDefinition("file_query", "Queries files.", {"type": "object", "properties": {}}, deferred=True),
)


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=4, cap=True):
        yield


def request(*messages, **more) -> ModelRequest:
    return ModelRequest("Be good.", "Today.", TOOLS, messages or (UserMessage("How many?"),), **more)


async def ask(script, asked=None, **options):
    async with messages_endpoint(script) as endpoint:
        model = AnthropicModel(name=MODEL, api_key="key-of-test", base_url=endpoint.url, **options)
        try:
            return await model.step(asked or request()), endpoint
        finally:
            await model.close()


async def test_a_step_carries_words_parallel_calls_and_what_it_cost() -> None:
    usage = {"input_tokens": 1_000, "output_tokens": 100, "cache_read_input_tokens": 2_000}
    calls = [("run_sql", {"sql": "select 'é'"}), ("run_sql", {"sql": "select 2"})]
    step, endpoint = await ask([Reply("Let me look.", calls, usage=usage)])
    assert step.text == "Let me look."
    assert step.stop is Stop.TOOL_USE
    assert [call.input for call in step.calls] == [{"sql": "select 'é'"}, {"sql": "select 2"}]
    assert len({call.id for call in step.calls}) == 2
    assert (step.usage.input_tokens, step.usage.output_tokens, step.usage.cache_read_tokens) == (1_000, 100, 2_000)
    assert step.usage.usd == pytest.approx((1_000 * 2 + 100 * 10 + 2_000 * 0.10) / 1e6)
    assert endpoint.requests[0]["stream"] is True
    assert any("key-of-test" in value for value in endpoint.headers[0].values())


async def test_the_stable_prefix_is_marked_for_the_cache_and_the_context_stands_behind_it() -> None:
    _, endpoint = await ask([Reply("Hi.")])
    system = endpoint.requests[0]["system"]
    assert system[0] == {"type": "text", "text": "Be good.", "cache_control": {"type": "ephemeral"}}
    assert system[1] == {"type": "text", "text": "Today."}


async def test_on_demand_tools_travel_deferred_and_a_load_answers_with_references() -> None:
    loading = ModelMessage("", (ToolCall("t1", "toolbox_load", {"tool_names": ["file_query"]}),))
    loaded = ResultsMessage((ToolResult("t1", '{"ok":true}', loaded=("file_query",)),))
    asked = request(UserMessage("?"), loading, loaded, loaded=frozenset({"file_query"}))
    _, deferred = await ask([Reply("Hi.")], asked)
    body = deferred.requests[0]
    assert [tool.get("defer_loading") for tool in body["tools"]] == [None, True]
    assert body["messages"][-1]["content"][0]["content"] == [{"type": "tool_reference", "tool_name": "file_query"}]
    _, plain = await ask([Reply("Hi.")], asked, loading="plain")
    body = plain.requests[0]
    assert [tool["name"] for tool in body["tools"]] == ["run_sql", "file_query"]
    assert not any("defer_loading" in tool for tool in body["tools"])
    assert body["messages"][-1]["content"][0]["content"] == [{"type": "text", "text": '{"ok":true}'}]


async def test_plain_loading_shows_no_tool_before_it_is_loaded() -> None:
    _, endpoint = await ask([Reply("Hi.")], loading="plain")
    assert [tool["name"] for tool in endpoint.requests[0]["tools"]] == ["run_sql"]


async def test_without_tools_the_model_is_told_to_use_words() -> None:
    _, endpoint = await ask([Reply("Hi.")], request(tools_allowed=False))
    assert endpoint.requests[0]["tool_choice"] == {"type": "none"}


async def test_speakers_alternate_whatever_the_transcript_holds() -> None:
    _, endpoint = await ask(
        [Reply("Hi.")], request(UserMessage("a"), UserMessage("b"), ModelMessage("c"), UserMessage(""))
    )
    assert [message["role"] for message in endpoint.requests[0]["messages"]] == ["user", "assistant", "user"]


@pytest.mark.parametrize(
    ("wire", "stop"),
    [
        ("end_turn", Stop.END),
        ("stop_sequence", Stop.END),
        ("max_tokens", Stop.MAX_TOKENS),
        ("pause_turn", Stop.PAUSE),
        ("refusal", Stop.REFUSAL),
        ("model_context_window_exceeded", Stop.CONTEXT_FULL),
        ("a_reason_of_tomorrow", Stop.END),
    ],
)
async def test_every_stop_reason_is_understood(wire: str, stop: Stop) -> None:
    step, _ = await ask([Reply("Words.", stop=wire)])
    assert (step.text, step.stop) == ("Words.", stop)


async def test_a_call_cut_by_the_output_limit_is_not_made() -> None:
    step, _ = await ask([Reply("Hm.", [("run_sql", {"sql": "select 1"})], stop="max_tokens", fault="bad_arguments")])
    assert (step.calls, step.stop) == ((), Stop.MAX_TOKENS)
    assert all(block["type"] != "tool_use" for block in step.opaque)


@pytest.mark.parametrize("wire", ["end_turn", "stop_sequence", "a_reason_of_tomorrow"])
async def test_a_whole_call_is_a_call_whatever_reason_the_endpoint_gives(wire: str) -> None:
    step, _ = await ask([Reply("Hm.", [("run_sql", {"sql": "select 1"})], stop=wire)])
    assert ([call.name for call in step.calls], step.stop) == (["run_sql"], Stop.TOOL_USE)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e400", "[1, Infinity]", "9" * 4_000, '"\\ud800"', "true"])
async def test_what_a_model_sends_can_always_be_sent_back(number: str) -> None:
    """A second request echoes the step; were it no JSON, the run would end there and not at the call."""

    def script(body) -> Reply:
        if len(body["messages"]) == 1:
            return Reply("\ud83d x", [("run_\udc00", {}), ("run_sql", {"sql": "PLACE"})])
        return Reply("Done.")

    async with messages_endpoint(script) as endpoint:
        endpoint.raw = lambda data: data.replace('\\"PLACE\\"', number.replace("\\", "\\\\").replace('"', '\\"'))
        model = AnthropicModel(name=MODEL, api_key="k", base_url=endpoint.url)
        first = await model.step(request())
        assert ModelStep.from_json(json.loads(json.dumps(first.as_json(), allow_nan=False))) == first
        results = ResultsMessage(tuple(ToolResult(call.id, "{}") for call in first.calls))
        asked = request(UserMessage("?"), ModelMessage(first.text, first.calls, first.opaque), results)
        assert (await model.step(asked)).text == "Done."
        await model.close()
    assert len(endpoint.requests) == 2


async def test_a_call_nested_without_end_is_no_answer() -> None:
    nested: list[object] = []
    for _ in range(200):
        nested = [nested]
    step, endpoint = await ask([Reply("x", [("run_sql", {"sql": nested})]), Reply("There.")])
    assert (step.text, len(endpoint.requests)) == ("There.", 2)


async def test_texts_with_nothing_in_them_are_not_sent_back() -> None:
    step, _ = await ask([Reply(" ", [("run_sql", {"sql": "select 1"})])])
    assert [block["type"] for block in step.opaque] == ["tool_use"]


@pytest.mark.parametrize("status", [429, 529, 500, 503, 408])
async def test_what_may_pass_is_tried_again(status: int) -> None:
    step, endpoint = await ask([Reply(status=status, retry_after="1"), Reply(status=status), Reply("There.")])
    assert step.text == "There."
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize("fault", ["half_stream", "nonsense", "html", "overloaded_in_stream", "bad_arguments"])
async def test_a_broken_stream_is_tried_again(fault) -> None:
    step, endpoint = await ask([Reply("x", [("run_sql", {})], fault=fault), Reply("There.")])
    assert step.text == "There."
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(status=529), ModelUnavailable),
        (Reply("x", fault="half_stream"), ModelGarbled),
        (Reply("x", fault="html"), ModelGarbled),
        (Reply(status=401), ModelRejected),
        (Reply(status=404), ModelRejected),
    ],
)
async def test_what_does_not_pass_ends_in_our_own_error_without_key_or_body(
    reply: Reply, kind: type[ModelError]
) -> None:
    with pytest.raises(kind) as caught:
        await ask(lambda _: reply)
    assert "key-of-test" not in str(caught.value)
    assert "scripted" not in str(caught.value)


async def test_a_refused_key_is_not_tried_again() -> None:
    seen = []

    def script(body):
        seen.append(body)
        return Reply(status=401)

    with pytest.raises(ModelRejected):
        await ask(script)
    assert len(seen) == 1


async def test_an_endpoint_that_is_down_says_so_and_each_try_is_logged_once() -> None:
    model = AnthropicModel(name=MODEL, api_key="k", base_url="http://127.0.0.1:1")
    with structlog.testing.capture_logs() as logged, pytest.raises(ModelUnavailable, match="cannot be reached"):
        await model.step(request())
    await model.close()
    assert [line["event"] for line in logged] == ["model endpoint failed"] * 4
