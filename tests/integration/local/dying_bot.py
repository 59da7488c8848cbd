"""A Bolt app in a process of its own: with `hang` it never acknowledges, otherwise it answers mentions."""

from __future__ import annotations

import asyncio
import sys

from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient


async def main(api_url: str, bot_token: str, app_token: str, behaviour: str) -> None:
    app = AsyncApp(client=AsyncWebClient(bot_token, base_url=api_url))

    @app.middleware
    async def gate(next_):
        if behaviour == "hang":
            await asyncio.Event().wait()
        await next_()

    @app.event("app_mention")
    async def mention(event, say):
        await say(text="alive", thread_ts=event["ts"])

    @app.event("message")
    async def message():
        pass

    await AsyncSocketModeHandler(app, app_token).start_async()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
