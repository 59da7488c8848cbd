"""A model request in the Messages API's words, with a byte-stable prefix marked for the cache."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from runtime.models.port import Message, ModelMessage, ModelRequest, ResultsMessage, ToolDefinition, ToolResult

ToolLoading = Literal["deferred", "plain"]
_CACHE: Mapping[str, str] = {"type": "ephemeral"}


def messages_parameters(request: ModelRequest, *, model: str, loading: ToolLoading) -> dict[str, Any]:
    """The keyword arguments of `messages.create`. Tools and instructions come first and never change within a run, so
    the cache mark stands behind the instructions; a second mark behind the last message lets each step reuse the one
    before. With `deferred` loading, on-demand tools travel as `defer_loading` and a load answers with `tool_reference`
    blocks; with `plain` loading, loaded tools are appended to the list (and the cached prefix changes)."""
    system: list[dict[str, Any]] = [{"type": "text", "text": request.instructions, "cache_control": dict(_CACHE)}]
    if request.context:
        system.append({"type": "text", "text": request.context})
    parameters: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_output_tokens,
        "system": system,
        "messages": _messages(request.messages, loading),
    }
    tools = _tools(request.tools, request.loaded, loading)
    if tools:
        parameters["tools"] = tools
        parameters["tool_choice"] = {"type": "auto" if request.tools_allowed else "none"}
    return parameters


def _tools(definitions: Sequence[ToolDefinition], loaded: frozenset[str], loading: ToolLoading) -> list[dict[str, Any]]:
    tools = [_tool(item) for item in definitions if not item.deferred]
    on_demand = [item for item in definitions if item.deferred]
    if loading == "deferred":
        return tools + [{**_tool(item), "defer_loading": True} for item in on_demand]
    return tools + [_tool(item) for item in on_demand if item.name in loaded]


def _tool(definition: ToolDefinition) -> dict[str, Any]:
    schema = {key: value for key, value in definition.input_schema.items() if key != "examples"}
    examples = definition.input_schema.get("examples", [])
    description = definition.description + "".join(f"\nExample: {json.dumps(item)}" for item in examples)
    return {"name": definition.name, "description": description, "input_schema": schema}


def _messages(messages: Sequence[Message], loading: ToolLoading) -> list[dict[str, Any]]:
    wire = [_message(message, loading) for message in messages]
    joined = list[dict[str, Any]]()
    for message in wire:  # the API wants speakers to alternate: neighbours of one role become one message
        if joined and joined[-1]["role"] == message["role"]:
            joined[-1]["content"] = joined[-1]["content"] + message["content"]
        else:
            joined.append(message)
    if joined and joined[-1]["content"]:
        last = joined[-1]["content"][-1]
        joined[-1]["content"][-1] = {**last, "cache_control": dict(_CACHE)}
    return joined


def _message(message: Message, loading: ToolLoading) -> dict[str, Any]:
    if isinstance(message, ModelMessage):
        return {"role": "assistant", "content": _said(message)}
    if isinstance(message, ResultsMessage):
        content = [_result(result, loading) for result in message.results]
        if message.text:
            content.append({"type": "text", "text": message.text})
        return {"role": "user", "content": content}
    return {"role": "user", "content": [{"type": "text", "text": message.text or "(empty message)"}]}


def _said(message: ModelMessage) -> list[dict[str, Any]]:
    if message.opaque:
        return [dict(block) for block in message.opaque]
    content: list[dict[str, Any]] = [{"type": "text", "text": message.text}] if message.text.strip() else []
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.input)} for call in message.calls
    ]
    return content or [{"type": "text", "text": "(no words)"}]


def _result(result: ToolResult, loading: ToolLoading) -> dict[str, Any]:
    if result.loaded and not result.is_error and loading == "deferred":
        # References stand alone: a result that mixes them with text is not expanded.
        content: Any = [{"type": "tool_reference", "tool_name": name} for name in result.loaded]
    else:
        content = [{"type": "text", "text": result.text}]
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.call_id, "content": content}
    if result.is_error:
        block["is_error"] = True
    return block
