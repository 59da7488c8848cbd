"""The one connection to Slack's Web API: a shared HTTP session, bounded retries, no proxy for this machine itself."""

from __future__ import annotations

import asyncio
import ipaddress
from types import TracebackType
from typing import Any, Self, cast

import aiohttp
from aiohttp.client_reqrep import ClientRequest
from aiohttp.typedefs import LooseHeaders
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
)
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse
from yarl import URL

SLACK_API_URL = "https://slack.com/api/"
REQUEST_SECONDS = 30
RATE_LIMIT_RETRIES = 2
RATE_LIMIT_SECONDS = 30
# A lost reply to one of these may hide a success: who called must look before calling again.
_NOT_REPEATABLE = ("chat.postMessage", "files.completeUploadExternal", "chat.postEphemeral")


def body_of(answer: AsyncSlackResponse) -> dict[str, Any]:
    """The JSON of an answer, which the client has found to be `ok`."""
    return cast(dict[str, Any], answer.data)


class OpenSlack:
    """A `client` and the `session` under it, closed together. `async with open_slack_client(token) as slack: …`."""

    def __init__(self, client: AsyncWebClient, session: aiohttp.ClientSession) -> None:
        self.client = client
        self.session = session

    async def close(self) -> None:
        """Closes the session; calling it twice does no harm."""
        await self.session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def open_slack_client(
    token: str | None,
    base_url: str = SLACK_API_URL,
    *,
    timeout_s: float = REQUEST_SECONDS,
    rate_limit_retries: int = RATE_LIMIT_RETRIES,
    rate_limit_seconds: float = RATE_LIMIT_SECONDS,
) -> OpenSlack:
    """A client for the Slack (or Slack-shaped server) at `base_url`, which ends in `/api/`. Needs a running loop.

    Bolt copies session, handlers and base URL into every client it makes, so all of them share this session. After
    HTTP 429 a call waits at most `rate_limit_seconds`, `rate_limit_retries` times; a longer wait is the caller's.
    """
    session = aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=timeout_s), request_class=_Request, trust_env=False
    )
    client = AsyncWebClient(
        token=token,
        base_url=base_url,
        timeout=int(timeout_s),
        session=session,
        retry_handlers=[_Reconnect(), _RateLimit(rate_limit_retries, rate_limit_seconds)],
    )
    if loopback(URL(base_url).host):
        client.proxy = None
    return OpenSlack(client, session)


def loopback(host: str | None) -> bool:
    """Whether `host` is this machine."""
    if host is None or host == "localhost" or host.endswith(".localhost"):
        return host is not None
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Request(ClientRequest):
    """A request that never takes a proxy to this machine: the SDK reads proxies from the environment for every
    client it makes, and Bolt makes one for every event."""

    def update_proxy(
        self, proxy: URL | None, proxy_auth: aiohttp.BasicAuth | None, proxy_headers: LooseHeaders | None
    ) -> None:
        super().update_proxy(None if loopback(self.url.host) else proxy, proxy_auth, proxy_headers)


class _Reconnect(AsyncConnectionErrorRetryHandler):
    """Once more after a broken connection, but never for calls whose repetition could post twice."""

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if request.url is not None and request.url.rstrip("/").endswith(_NOT_REPEATABLE):
            return False
        return await super()._can_retry_async(state=state, request=request, response=response, error=error)


class _RateLimit(AsyncRateLimitErrorRetryHandler):
    """Waits as long as Slack says, if that is short enough to wait inside a call."""

    def __init__(self, retries: int, most_seconds: float) -> None:
        super().__init__(max_retry_count=retries)
        self._most_seconds = most_seconds

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if response is None or response.status_code != 429:
            return False
        asked = retry_after(response.headers)
        return asked is None or asked <= self._most_seconds

    async def prepare_for_next_attempt_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> None:
        asked = retry_after(response.headers) if response is not None else None
        await asyncio.sleep(1.0 if asked is None else asked)
        state.next_attempt_requested = True
        state.increment_current_attempt()


def retry_after(headers: object) -> float | None:
    """Seconds of a `Retry-After` header, whichever way the SDK keeps it; None when absent or unreadable."""
    values = headers if hasattr(headers, "items") else {}
    for name, value in values.items():  # type: ignore[attr-defined]
        if str(name).lower() == "retry-after":
            text = value[0] if isinstance(value, list) and value else value
            try:
                return max(float(str(text)), 0.0)
            except ValueError:
                return None
    return None


__all__ = ["OpenSlack", "loopback", "open_slack_client", "retry_after"]
