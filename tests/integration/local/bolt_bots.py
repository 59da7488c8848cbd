"""Real Bolt apps, unchanged, against the local workspace."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import aiohttp
from aiohttp import web
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.local import LocalSlack

Register = Callable[[AsyncApp], None]


@contextlib.asynccontextmanager
async def web_client(slack: LocalSlack, token: str | None = None) -> AsyncIterator[AsyncWebClient]:
    async with aiohttp.ClientSession() as session:
        yield AsyncWebClient(token or slack.bot_token, base_url=slack.api_url, session=session)


@contextlib.asynccontextmanager
async def socket_bot(slack: LocalSlack, register: Register, sockets: int = 1) -> AsyncIterator[AsyncApp]:
    async with web_client(slack) as client:
        app = AsyncApp(client=client)
        register(app)
        handlers = [AsyncSocketModeHandler(app, slack.app_token, ping_interval=1) for _ in range(sockets)]
        await asyncio.gather(*(handler.connect_async() for handler in handlers))
        await slack.wait_for_socket(sockets)
        try:
            yield app
        finally:
            await asyncio.gather(*(handler.close_async() for handler in handlers))


@contextlib.asynccontextmanager
async def http_bot(slack: LocalSlack, register: Register) -> AsyncIterator[AsyncApp]:
    async with web_client(slack) as client:
        app = AsyncApp(client=client, signing_secret=slack.signing_secret)
        register(app)
        runner = web.AppRunner(app.web_app(path="/slack/events"), shutdown_timeout=0.5)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        assert await slack.use_http(f"http://{host}:{port}/slack/events")
        try:
            yield app
        finally:
            await runner.cleanup()
