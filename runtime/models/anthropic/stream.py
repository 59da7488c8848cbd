"""A stream of Messages events put together into one step; anything that is not the protocol is said so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from runtime.errors import ModelGarbled
from runtime.models.anthropic.prices import price
from runtime.models.anthropic.sendable import parsed, sendable
from runtime.models.port import ModelStep, Stop, ToolCall, Usage

_STOPS: Mapping[str, Stop] = {
    "end_turn": Stop.END,
    "stop_sequence": Stop.END,
    "tool_use": Stop.TOOL_USE,
    "max_tokens": Stop.MAX_TOKENS,
    "pause_turn": Stop.PAUSE,
    "refusal": Stop.REFUSAL,
    "model_context_window_exceeded": Stop.CONTEXT_FULL,
}
_TEXT_DELTAS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


class Assembler:
    """Takes events one by one; `finish` gives the step. Blocks that were cut off in the middle are dropped."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._usage: dict[str, int] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._input: dict[int, str] = {}
        self._closed: set[int] = set()
        self._stop: str | None = None
        self._started = False
        self._ended = False

    def take(self, event: Mapping[str, Any]) -> None:
        """One event. Raises ModelGarbled when it does not fit what came before."""
        try:
            self._take(event)
        except (KeyError, TypeError, AttributeError) as error:
            raise ModelGarbled("The model's endpoint sent something that is not the Messages protocol.") from error

    def _take(self, event: Mapping[str, Any]) -> None:
        kind = event["type"]
        if kind == "message_start":
            self._started = True
            self._model = event["message"].get("model") or self._model
            self._count(event["message"].get("usage"))
        elif kind == "content_block_start":
            self._blocks[event["index"]] = dict(event["content_block"])
        elif kind == "content_block_delta":
            self._grow(event["index"], event["delta"])
        elif kind == "content_block_stop":
            self._close(event["index"])
        elif kind == "message_delta":
            self._stop = event["delta"].get("stop_reason") or self._stop
            self._count(event.get("usage"))
        elif kind == "message_stop":
            self._ended = True

    def finish(self) -> ModelStep:
        """The step. Raises ModelGarbled when the stream broke off or calls are not what was announced."""
        if not self._started or not self._ended or self._stop is None:
            raise ModelGarbled("The model's answer broke off before its end.")
        blocks = [self._blocks[index] for index in sorted(self._closed)]
        calls = tuple(
            ToolCall(str(block["id"]), str(block["name"]), block["input"])
            for block in blocks
            if block.get("type") == "tool_use"
        )
        stop = _STOPS.get(self._stop, Stop.END)
        if stop is Stop.END and calls:
            stop = Stop.TOOL_USE  # some endpoints end every message the same way; a whole call is a call
        if stop is Stop.TOOL_USE and not calls:
            raise ModelGarbled("The model announced a call and sent none that can be read.")
        text = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
        return ModelStep(
            text=text,
            stop=stop,
            calls=calls if stop is Stop.TOOL_USE else (),
            usage=self._spent(),
            opaque=tuple(block for block in blocks if _echoed(block, stop)),
            model=self._model,
        )

    def _grow(self, index: int, delta: Mapping[str, Any]) -> None:
        block = self._blocks[index]
        kind = delta["type"]
        if kind in _TEXT_DELTAS:
            name = _TEXT_DELTAS[kind]
            block[name] = block.get(name, "") + delta[name]
        elif kind == "input_json_delta":
            self._input[index] = self._input.get(index, "") + delta["partial_json"]
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or []), delta["citation"]]

    def _close(self, index: int) -> None:
        block = self._blocks[index]
        if index in self._input and self._input[index].strip():
            try:
                value = parsed(self._input[index])
            except (ValueError, RecursionError):
                return  # cut by the output limit, or nonsense: left out, and `finish` judges by the stop reason
            if not isinstance(value, dict):
                raise ModelGarbled("The model sent a call whose arguments are not an object.")
            block["input"] = cast(dict[str, Any], value)
        self._blocks[index] = sendable(block)
        self._closed.add(index)

    def _count(self, usage: Any) -> None:
        for name, value in cast(Mapping[str, Any], usage or {}).items():
            if isinstance(value, int):
                self._usage[name] = value

    def _spent(self) -> Usage:
        usage = Usage(
            input_tokens=self._usage.get("input_tokens", 0),
            output_tokens=self._usage.get("output_tokens", 0),
            cache_read_tokens=self._usage.get("cache_read_input_tokens", 0),
            cache_write_tokens=self._usage.get("cache_creation_input_tokens", 0),
        )
        return price(self._model, usage)


def _echoed(block: Mapping[str, Any], stop: Stop) -> bool:
    """Whether a block goes back in the next request: the endpoint refuses texts with nothing in them, and calls without
    results."""
    kind = block.get("type")
    if kind == "text":
        return bool(str(block.get("text", "")).strip())
    return kind != "tool_use" or stop is Stop.TOOL_USE
