"""Opens the shelf of shared files of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from slack_sdk.web.async_client import AsyncWebClient

from bot.assembly import Analyst
from bot.shared_files.fetching import Fetcher
from bot.shared_files.shelf import Shelf
from runtime.engines.workspace.byte_store import DirectoryBytes
from runtime.engines.workspace.conversation_files import ConversationFiles


async def open_shelf(
    analyst: Analyst, client: AsyncWebClient, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> Shelf:
    """The shelf in the data folder, swept. Closing its `rooms` closes it. Raises StateUnavailable."""
    assert client.session is not None, "the one client has the one session"
    folder, limits = analyst.settings.data_dir / "shared", analyst.limits
    store = DirectoryBytes(folder / "bytes")
    await asyncio.to_thread(store.drop_unfinished)
    shelf = Shelf(
        state=analyst.state,
        store=store,
        rooms=ConversationFiles(folder / "rooms", store, lambda: analyst.workspace, limits, analyst.clock),
        fetcher=Fetcher(client, client.session, store, limits.shared_file_seconds, sleep),
        limits=limits,
        policy=lambda: analyst.policy.manifest.slack_files,
        clock=analyst.clock,
        sleep=sleep,
    )
    await shelf.sweep()
    return shelf
