"""A Messages-API-shaped endpoint over a real socket, answering from a script, with faults to order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

Fault = Literal["half_stream", "nonsense", "html", "hang", "overloaded_in_stream", "bad_arguments"]


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted reply: words, then calls. A `status` other than 200 answers with an error; a `fault` spoils it."""

    text: str = ""
    calls: Sequence[tuple[str, dict[str, Any]]] = ()
    stop: str | None = None
    status: int = 200
    retry_after: str | None = None
    fault: Fault | None = None
    usage: dict[str, int] = field(default_factory=lambda: {"input_tokens": 100, "output_tokens": 20})


Script = Sequence[Reply] | Callable[[dict[str, Any]], Reply | Awaitable[Reply]]


class MessagesEndpoint:
    """What the endpoint saw and will say. A list of replies is used up in order; a function sees each request."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.url = ""
        self.released = asyncio.Event()
        self.raw: Callable[[str], str] = str  # spoils the text of an event's data

    async def next_reply(self, request: dict[str, Any]) -> Reply:
        """The reply to the newest request."""
        if callable(self._script):
            said = self._script(request)
            return said if isinstance(said, Reply) else await said
        index = len(self.requests) - 1
        if index >= len(self._script):
            return Reply(status=400)
        return self._script[index]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/messages`."""
        body = await request.json()
        self.requests.append(body)
        self.headers.append({key.lower(): value for key, value in request.headers.items()})
        reply = await self.next_reply(body)
        if reply.status != 200:
            return _error(reply)
        if reply.fault == "html":
            return web.Response(text="<html>gateway</html>", content_type="text/html")
        if reply.fault == "hang":
            await self.released.wait()
        return await self._stream(request, reply, str(body.get("model", "")))

    async def _stream(self, request: web.Request, reply: Reply, model: str) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for number, event in enumerate(_events(reply, model, len(self.requests))):
            if reply.fault == "half_stream" and event["type"] == "message_delta":
                break
            if reply.fault == "nonsense" and number == 1:
                await response.write(b"event: content_block_start\ndata: {not json\n\n")
                break
            if reply.fault == "overloaded_in_stream" and number == 2:
                event = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
            data = self.raw(json.dumps(event))
            await response.write(f"event: {event['type']}\ndata: {data}\n\n".encode())
        return response


def _error(reply: Reply) -> web.Response:
    kind = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}.get(
        reply.status, "api_error"
    )
    headers = {"retry-after": reply.retry_after} if reply.retry_after else {}
    body = {"type": "error", "error": {"type": kind, "message": "scripted"}}
    return web.json_response(body, status=reply.status, headers=headers)


def _events(reply: Reply, model: str, number: int) -> list[dict[str, Any]]:
    usage = {**reply.usage, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list[Any](),
        "usage": usage,
    }
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}}
    ]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if reply.text:
        halves = [reply.text[: len(reply.text) // 2], reply.text[len(reply.text) // 2 :]]
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": half} for half in halves if half]))
    for index, (tool, arguments) in enumerate(reply.calls):
        text = "{broken" if reply.fault == "bad_arguments" else json.dumps(arguments)
        block: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{number}_{index}", "name": tool, "input": {}}
        blocks.append((block, [{"type": "input_json_delta", "partial_json": part} for part in ("", text)]))
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    stop = reply.stop or ("tool_use" if reply.calls else "end_turn")
    delta = {"stop_reason": stop, "stop_sequence": None}
    spent = {"output_tokens": reply.usage.get("output_tokens", 0)}
    return [*events, {"type": "message_delta", "delta": delta, "usage": spent}, {"type": "message_stop"}]


@asynccontextmanager
async def messages_endpoint(script: Script, *, port: int = 0) -> AsyncGenerator[MessagesEndpoint]:
    """Serves the script on loopback; `endpoint.url` is what ANTHROPIC_BASE_URL takes."""
    endpoint = MessagesEndpoint(script)
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/v1/messages", endpoint.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    endpoint.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield endpoint
    finally:
        endpoint.released.set()
        await runner.cleanup()
