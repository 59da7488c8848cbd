"""`footnote demo`: the real bot, the local workspace and generated data, all on this machine."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import tempfile
from pathlib import Path

from bot.logs import set_up_logs
from bot.settings import Settings, load_settings
from runtime.admission import load_manifest
from runtime.errors import ConfigurationError

MANIFEST = Path(__file__).parents[2] / "manifests" / "demo.yaml"


def run(arguments: argparse.Namespace) -> int:
    """Serves the page until Ctrl-C. State and caches go to a temporary folder that is removed at the end."""
    set_up_logs("console")
    with tempfile.TemporaryDirectory(prefix="footnote-demo-") as folder:
        asyncio.run(_demo(arguments.port, Path(folder)))
    return 0


async def _demo(port: int, folder: Path) -> None:
    from bot.local import start_local
    from bot.local.demo_data import TOUR, write_demo
    from bot.local.world import demo_world
    from bot.pacing import Unpaced
    from bot.service import running_bot

    print("footnote demo: writing the shop's data", flush=True)
    # Where the manifest says, so that `footnote ask --manifest manifests/demo.yaml` finds the same files later.
    write_demo(data_folder(MANIFEST))
    world = demo_world()
    world.tour = TOUR
    slack = await start_local(port=port, world=world)
    try:
        settings = demo_settings(folder, MANIFEST, slack.api_url, slack.bot_token, slack.app_token)
        async with running_bot(settings, pacer=Unpaced()) as running:
            print(
                f"footnote demo: open {slack.url}  (model: {running.analyst.model.name}; stop with Ctrl-C)", flush=True
            )
            running.warm_up()
            await _until_stopped()
    finally:
        await slack.close()


def demo_settings(folder: Path, manifest: Path, api_url: str, bot_token: str, app_token: str) -> Settings:
    """Settings of a bot against a local workspace: nothing of them comes from the environment but the model."""
    names = ("FOOTNOTE_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
    chosen = {name: os.environ[name] for name in names if os.environ.get(name)}
    return load_settings(
        SLACK_BOT_TOKEN=bot_token,
        SLACK_APP_TOKEN=app_token,
        SLACK_API_URL=api_url,
        FOOTNOTE_MANIFEST=manifest,
        FOOTNOTE_STATE=f"sqlite:///{folder / 'state.db'}",
        FOOTNOTE_DATA_DIR=folder / "cache",
        **chosen,
    )


def data_folder(manifest: Path) -> Path:
    """The folder that the manifest opens as its workspace."""
    workspace = load_manifest(manifest).workspace
    if workspace is None:
        raise ConfigurationError(f"{manifest} opens no workspace.")
    return (manifest.parent / workspace.root).resolve()


async def _until_stopped() -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    await stop.wait()
