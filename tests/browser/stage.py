"""The demo on a stage: the real bot against the local workspace with the shop's data, and Debian's Chromium."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright
from slack_sdk.web.async_client import AsyncWebClient

from bot.local import LocalSlack
from bot.local.demo import TOUR
from bot.local.world import demo_world
from bot.pacing import Unpaced
from bot.service import running_bot
from bot.settings import load_settings
from runtime.testing.messages_api import Script, messages_endpoint
from tests.patient_slack import patient_slack
from tests.shop_files import write_shop_files

MANIFEST = 'version: 1\ntimezone: Europe/Berlin\nworkspace: {root: ./data, audience: {channels: ["*"], im: true}}\n'
#: A loaded machine is given time; nothing waits this long when it works.
PATIENCE_MS = 60_000


@dataclass
class Theatre:
    """The running workspace, a client with the bot's token, and a browser to open pages in."""

    slack: LocalSlack
    client: AsyncWebClient
    browser: Browser
    #: What any page complained about: script errors, console errors, refused loads.
    complaints: list[str] = field(default_factory=list)

    @contextlib.asynccontextmanager
    async def page(
        self, at: str = "", *, width: int = 1280, height: int = 860, theme: str = "light", tour: bool = True
    ) -> AsyncGenerator[Page]:
        """A fresh visitor's page. `at`: what stands behind `#`, as `U0MIA/C0SALES`."""
        context = await self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if theme == "dark" else "light"
        )
        context.set_default_timeout(PATIENCE_MS)
        await context.add_init_script(f"localStorage.setItem('footnote.theme', '{theme}')")
        if not tour:
            await context.add_init_script("localStorage.setItem('footnote.tour.dismissed', 'yes')")
        page = await context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(f"script error: {error}"))
        page.on("console", lambda said: said.type == "error" and self.complaints.append(f"console: {said.text}"))
        try:
            await page.goto(f"{self.slack.url}/#{at}")
            await page.locator("nav button[aria-current]").first.wait_for(state="attached")
            yield page
        finally:
            await context.close()

    async def post(self, channel: str, text: str, blocks: list[dict[str, Any]], **more: Any) -> str:
        """A message of the app, straight through the Web API with all its limits; its timestamp."""
        return str((await self.client.chat_postMessage(channel=channel, text=text, blocks=blocks, **more))["ts"])

    async def open_view(self, user: str, channel: str, view: dict[str, Any]) -> None:
        """Opens a modal before a person, as the app may after they typed a command."""
        before = len(self.slack.deliveries)
        command = asyncio.create_task(self.slack.command(user, channel, "/footnote", "help"))
        payload = await self.slack.wait_for(
            lambda: next((one.payload for one in self.slack.deliveries[before:] if one.kind == "slash_commands"), None)
        )
        await self.client.views_open(trigger_id=payload["trigger_id"], view=view)
        await command


@contextlib.asynccontextmanager
async def theatre(folder: Path, script: Script | None = None) -> AsyncGenerator[Theatre]:
    """Everything up and connected. Without a `script` the offline analyst answers, with one a Messages endpoint."""
    write_shop_files(folder / "data")
    (folder / "manifest.yaml").write_text(MANIFEST)
    world = demo_world()
    world.tour = TOUR
    async with contextlib.AsyncExitStack() as stack:
        slack = await stack.enter_async_context(patient_slack(world))
        model = {"FOOTNOTE_MODEL": "offline"}
        if script is not None:
            endpoint = await stack.enter_async_context(messages_endpoint(script))
            model = {"FOOTNOTE_MODEL": "scripted", "ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": endpoint.url}
        settings = load_settings(
            SLACK_BOT_TOKEN=slack.bot_token,
            SLACK_APP_TOKEN=slack.app_token,
            SLACK_API_URL=slack.api_url,
            FOOTNOTE_MANIFEST=folder / "manifest.yaml",
            FOOTNOTE_STATE=f"sqlite:///{folder / 'state.db'}",
            FOOTNOTE_DATA_DIR=folder / "cache",
            **model,
        )
        await stack.enter_async_context(running_bot(settings, pacer=Unpaced()))
        client = AsyncWebClient(slack.bot_token, base_url=slack.api_url)
        playwright = await stack.enter_async_context(async_playwright())
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium") or "/usr/bin/chromium",
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--font-render-hinting=none"],
        )
        stack.push_async_callback(browser.close)
        yield Theatre(slack, client, browser)
