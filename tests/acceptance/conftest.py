"""The real bot over real sockets: against the Slack-shaped server and, where asked for, a Messages endpoint."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.local import LocalSlack
from bot.pacing import Unpaced
from bot.service import Running, running_bot
from bot.settings import Settings, load_settings
from runtime.testing.messages_api import MessagesEndpoint, Script, messages_endpoint
from tests.patient_slack import patient_slack

ROOT = Path(__file__).parents[2]

ORDERS = "id,region,amount,placed\n" + "".join(
    f"{n},{['north', 'south', 'east'][n % 3]},{n * 10}.50,2026-0{1 + n % 6}-1{n % 9}\n" for n in range(1, 61)
)


def write_workspace(folder: Path, files: dict[str, str] | None = None, *, extra: str = "") -> Path:
    """A workspace with one table, and its manifest; the manifest's path."""
    data = folder / "data"
    data.mkdir(parents=True, exist_ok=True)
    for name, text in (files or {"orders.csv": ORDERS}).items():
        (data / name).write_text(text)
    manifest = folder / "manifest.yaml"
    manifest.write_text(
        "version: 1\ntimezone: Europe/Berlin\noperators: {users: [U0ANN]}\n"
        'workspace: {root: ./data, audience: {channels: ["*"], im: true}}\n' + extra
    )
    return manifest


@dataclass
class Stage:
    """A local Slack and the settings of a bot against it."""

    slack: LocalSlack
    folder: Path
    manifest: Path
    endpoint: MessagesEndpoint | None = None
    overrides: dict[str, Any] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """The variables that a bot is started with."""
        values = {
            "SLACK_BOT_TOKEN": self.slack.bot_token,
            "SLACK_APP_TOKEN": self.slack.app_token,
            "SLACK_API_URL": self.slack.api_url,
            "FOOTNOTE_MANIFEST": str(self.manifest),
            "FOOTNOTE_STATE": f"sqlite:///{self.folder / 'state.db'}",
            "FOOTNOTE_DATA_DIR": str(self.folder / "cache"),
            "FOOTNOTE_MODEL": "offline",
        }
        if self.endpoint is not None:
            values |= {
                "FOOTNOTE_MODEL": "claude-sonnet-5-5",
                "ANTHROPIC_API_KEY": "test-key",
                "ANTHROPIC_BASE_URL": self.endpoint.url,
            }
        values |= self.overrides
        return {name: value for name, value in values.items() if value is not None}

    def over_http(self, *, secret: str = "", port: int = 0) -> None:
        """Bots are reached by signed HTTP from now on, with the local Slack's own secret unless another is given."""
        self.overrides |= {
            "SLACK_APP_TOKEN": None,
            "SLACK_SIGNING_SECRET": secret or self.slack.signing_secret,
            "FOOTNOTE_HTTP_PORT": str(port),
        }

    def settings(self) -> Settings:
        """The settings of a bot in this process."""
        return load_settings(**self.environment())

    @contextlib.asynccontextmanager
    async def bot(self, **options: Any) -> AsyncGenerator[Running]:
        """A bot in this process."""
        async with running_bot(self.settings(), pacer=Unpaced(), **options) as running:
            yield running

    @contextlib.asynccontextmanager
    async def process(self) -> AsyncGenerator[asyncio.subprocess.Process]:
        """A bot in a process of its own: `footnote serve`, ready."""
        process = await self.start()
        try:
            yield process
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(process.wait(), 180)

    async def start(self, **more: str) -> asyncio.subprocess.Process:
        """Starts `footnote serve` and waits until it says that it is ready."""
        process = await self.spawn(**more)
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), 180)).decode()
        if "ready" not in line:
            _, errors = await process.communicate()
            raise AssertionError(f"footnote serve did not start: {line}{errors.decode()}")
        return process

    async def spawn(self, **more: str) -> asyncio.subprocess.Process:
        """Starts `footnote serve` without waiting."""
        keep = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ}
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            "serve",
            cwd=ROOT,
            env={**keep, **self.environment(), **more},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )


async def ended(running: Running) -> None:
    """Waits until no message is being worked on."""
    while running.durable.running or await running.analyst.state.inbox.pending():
        await running.analyst.state.probe()


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncGenerator[Stage]:
    """A local Slack, a workspace with `orders.csv`, and the offline model."""
    async with patient_slack() as slack:
        yield Stage(slack, tmp_path, write_workspace(tmp_path))


@pytest.fixture
def scripted(stage: Stage):
    """`async with scripted(script):` puts a Messages endpoint behind the stage."""

    @contextlib.asynccontextmanager
    async def use(script: Script) -> AsyncGenerator[MessagesEndpoint]:
        async with messages_endpoint(script) as endpoint:
            stage.endpoint = endpoint
            yield endpoint

    return use
