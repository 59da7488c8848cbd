"""The model behind an Anthropic-shaped endpoint: one streamed request a step, retried where that is safe."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from types import ModuleType
from typing import Any, cast

import stamina
import structlog

from runtime.errors import ModelError, ModelGarbled, ModelRejected, ModelUnavailable
from runtime.models.anthropic.request import ToolLoading, messages_parameters
from runtime.models.anthropic.stream import Assembler
from runtime.models.port import ModelRequest, ModelStep

log = structlog.get_logger(__name__)

ATTEMPTS = 4
_RETRY_AFTER_MOST_S = 60.0
_RETRIED_STATUS = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
_PASSING = frozenset({"overloaded_error", "api_error", "rate_limit_error", "timeout_error"})
_REJECTED: Mapping[int, str] = {
    400: "The model's endpoint refused the request as invalid.",
    401: "The model's endpoint refused the API key.",
    402: "The model account has no credit left.",
    403: "The API key may not use this model.",
    404: "The model's endpoint does not know this model.",
    413: "The conversation is too large for the model's endpoint.",
}


class AnthropicModel:
    """The model port over `POST /v1/messages` with `stream: true`. `base_url` None is Anthropic's own; `loading` as in
    `messages_parameters`; a request that is silent for `seconds` is given up. The client library is imported on first
    use, since that alone takes more than a second."""

    def __init__(
        self,
        *,
        name: str,
        api_key: str,
        base_url: str | None = None,
        loading: ToolLoading = "deferred",
        seconds: float = 120.0,
    ) -> None:
        self._name = name
        self._api_key = api_key
        self._base_url = base_url
        self._loading: ToolLoading = loading
        self._seconds = seconds
        self._client: Any = None
        self._library: ModuleType | None = None
        self._foreign: tuple[type[Exception], ...] = ()

    @property
    def name(self) -> str:
        return self._name

    async def warm_up(self) -> None:
        """Imports the client library in a thread, so that the first question doesn't wait for it."""
        stamina.instrumentation.set_on_retry_hooks(())  # each try that fails is logged here, once and in our words
        if self._library is None:
            self._library = await asyncio.to_thread(importlib.import_module, "anthropic")
            transport = importlib.import_module("httpx2")  # the client's own transport; it breaks in its own words
            self._foreign = (
                self._library.AnthropicError,
                transport.HTTPError,
                OSError,
                ValueError,
                TypeError,
                RuntimeError,
            )
        if self._client is None:
            self._client = self._library.AsyncAnthropic(
                api_key=self._api_key, base_url=self._base_url, max_retries=0, timeout=self._seconds
            )

    async def step(self, request: ModelRequest) -> ModelStep:
        """One step. Overload, rate limits, time-outs and broken streams are tried again with jitter, or after what
        `retry-after` says. Raises ModelUnavailable, ModelRejected or ModelGarbled."""
        await self.warm_up()
        parameters = messages_parameters(request, model=self._name, loading=self._loading)
        async for attempt in stamina.retry_context(
            on=_wait, attempts=ATTEMPTS, timeout=None, wait_initial=0.5, wait_max=20.0, wait_jitter=1.0
        ):
            with attempt:
                return await self._attempt(parameters)
        raise AssertionError("a retry context ends with a result or an error")

    async def close(self) -> None:
        """Closes the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _attempt(self, parameters: dict[str, Any]) -> ModelStep:
        assembler = Assembler(self._name)
        try:
            async for event in self._events(parameters):
                assembler.take(event)
            return assembler.finish()
        except ModelError:
            raise
        except self._foreign as error:
            raise _ours(cast(ModuleType, self._library), error) from error

    async def _events(self, parameters: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        stream = await self._client.messages.create(stream=True, **parameters)
        async with stream:
            async for event in stream:
                yield event.to_dict(mode="json")


class _Retried(ModelUnavailable):
    """An error that may pass; `after` is what the endpoint asked us to wait, in seconds."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


def _wait(error: Exception) -> bool | timedelta:
    """Whether to try again, and after how long."""
    if isinstance(error, _Retried):
        return timedelta(seconds=min(error.after, _RETRY_AFTER_MOST_S)) if error.after is not None else True
    return isinstance(error, ModelGarbled)


def _ours(library: ModuleType, error: Exception) -> ModelError:
    """A foreign error in our words; never with a body or a key in it."""
    log.warning("model endpoint failed", error=type(error).__name__, status=getattr(error, "status_code", None))
    if isinstance(error, library.APIStatusError):
        return _of_status(int(getattr(error, "status_code", 0)), _kind(error), _after(error))
    if isinstance(error, library.APITimeoutError):
        return _Retried("The model's endpoint did not answer in time.")
    if isinstance(error, library.APIConnectionError):
        return _Retried("The model's endpoint cannot be reached.")
    if isinstance(error, library.APIError):
        if _kind(error) in _PASSING:
            return _Retried("The model's endpoint is overloaded.")
        return ModelGarbled("The model's answer broke off.")
    if isinstance(error, OSError) or type(error).__module__.startswith("httpx"):
        return _Retried("The connection to the model's endpoint broke.")
    return ModelGarbled("The model's endpoint sent something that is not the Messages protocol.")


def _of_status(status: int, kind: str, after: float | None) -> ModelError:
    # An error inside a stream carries the stream's own status 200: its kind tells more.
    if status in _RETRIED_STATUS or status >= 500 or (status < 400 and kind in _PASSING):
        busy = status in (429, 529) or kind in ("overloaded_error", "rate_limit_error")
        return _Retried(
            "The model's endpoint is overloaded." if busy else f"The model's endpoint failed with status {status}.",
            after,
        )
    return ModelRejected(_REJECTED.get(status, f"The model's endpoint refused the request with status {status}."))


def _kind(error: Exception) -> str:
    body = getattr(error, "body", None)
    inner = cast(dict[str, Any], body).get("error") if isinstance(body, dict) else None
    return str(cast(dict[str, Any], inner).get("type", "")) if isinstance(inner, dict) else ""


def _after(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", {})
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None
