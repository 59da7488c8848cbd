"""Socket Mode: two connections, so that one is there while the other is renewed."""

from __future__ import annotations

import asyncio

import structlog
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from yarl import URL

from bot.identity import CONNECTION_ERRORS, SlackUnavailable, refusal
from bot.slack_client import loopback
from runtime.errors import ConfigurationError

log = structlog.get_logger(__name__)

CONNECTIONS = 2  # facts/SLACK.md 1.3: a refresh closes a socket before it opens the next one

_TOKEN_ERRORS = frozenset(
    {"invalid_auth", "not_authed", "token_revoked", "account_inactive", "not_allowed_token_type", "missing_scope"}
)


class Sockets:
    """The connections of one app token."""

    def __init__(self, app: AsyncApp, app_token: str, *, connections: int = CONNECTIONS) -> None:
        self._app = app
        self._handlers = [AsyncSocketModeHandler(app, app_token) for _ in range(connections)]
        self._app_token = app_token

    async def start(self) -> None:
        """Connects. Raises ConfigurationError when Slack refuses the app token, for which the client would try for
        ever, and SlackUnavailable when Slack is away."""
        for handler in self._handlers:
            try:
                address = await self._address()
                if loopback(URL(address).host):
                    handler.client.proxy = None  # the client takes the environment's for every address
                handler.client.wss_uri = address
                await handler.connect_async()
            except CONNECTION_ERRORS as error:
                raise SlackUnavailable(f"Socket Mode cannot be opened: {type(error).__name__}.") from error

    async def close(self) -> None:
        """Closes all connections; no more events arrive."""
        await asyncio.gather(*(handler.close_async() for handler in self._handlers))

    async def _address(self) -> str:
        try:
            answer = await self._app.client.apps_connections_open(app_token=self._app_token)
        except SlackApiError as error:
            code = refusal(error)
            if code in _TOKEN_ERRORS:
                raise ConfigurationError(
                    f"Slack refused SLACK_APP_TOKEN ({code}). It begins with xapp- and needs connections:write."
                ) from error
            raise ConfigurationError(f"Socket Mode cannot be opened: {code}. Is it switched on for the app?") from error
        return str(answer["url"])
