"""`footnote demo`: the real bot, the local workspace and generated data, all on this machine."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shlex
import signal
import sys
import tempfile
from collections.abc import Coroutine, Iterator
from pathlib import Path

from bot.logs import set_up_logs
from bot.settings import Settings, load_settings
from runtime.errors import ConfigurationError


def run(arguments: argparse.Namespace) -> int:
    """Serves the page until Ctrl-C. State and caches go to a temporary folder that is removed at the end."""
    set_up_logs("console")
    with tempfile.TemporaryDirectory(prefix="footnote-demo-") as folder:
        asyncio.run(_until_stopped(_demo(arguments.port, Path(folder))))
    return 0


async def _until_stopped(demo: Coroutine[None, None, None]) -> None:
    """Ends the demo in order at a Ctrl-C, a SIGTERM or a terminal that is closed, at any moment; a second signal ends
    the process at once."""
    loop = asyncio.get_running_loop()
    running = asyncio.ensure_future(demo)
    ending = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
        ending.append(signal.SIGHUP)

    def stop() -> None:
        for name in ending:
            loop.remove_signal_handler(name)
        running.cancel()

    for name in ending:
        loop.add_signal_handler(name, stop)
    with contextlib.suppress(asyncio.CancelledError):
        await running


async def _demo(port: int, folder: Path) -> None:
    from bot.local import start_local
    from bot.local.demo import TOUR
    from bot.local.demo.opening import MANIFEST_WITHOUT_CRM, data_folder
    from bot.local.world import demo_world
    from bot.pacing import Unpaced
    from bot.service import running_bot

    print("footnote demo: writing the shop's data", flush=True)
    async with contextlib.AsyncExitStack() as stack:
        manifest = await asyncio.to_thread(stack.enter_context, opened_data())
        world = demo_world()
        world.tour = TOUR
        slack = await start_local(port=port, world=world)
        stack.push_async_callback(slack.close)
        settings = demo_settings(folder, manifest, slack.api_url, slack.bot_token, slack.app_token)
        running = await stack.enter_async_context(running_bot(settings, pacer=Unpaced()))
        print(f"footnote demo: open {slack.url}  (model: {running.analyst.model.name}; stop with Ctrl-C)", flush=True)
        print(elsewhere(settings, data_folder() / MANIFEST_WITHOUT_CRM), flush=True)
        running.warm_up()
        await asyncio.Event().wait()  # until it is cancelled


@contextlib.contextmanager
def opened_data() -> Iterator[Path]:
    """Writes the demo's files and starts its database; the manifest that opens them. Without a PostgreSQL here it says
    so and goes on without the CRM. What the manifest refers to stands in this process's environment meanwhile."""
    from bot.local.demo import make_crm, make_shop, write_demo
    from bot.local.demo.opening import MANIFEST, data_folder, write_manifest_without_crm
    from bot.local.demo.postgresql import DSN_VARIABLE, crm_addresses

    data = data_folder()
    try:
        write_demo(data)
        # It stays, so that `footnote ask --manifest .footnote/demo/manifest.yaml` finds the same files later.
        without_crm = write_manifest_without_crm(data)
    except OSError as error:
        raise ConfigurationError(f"The demo's data cannot be written to {data}: {error.strerror}.") from error
    with crm_addresses(make_crm(make_shop())) as addresses:
        if addresses is None:
            print(
                "footnote demo: no PostgreSQL is here, so the demo goes on without its CRM. Install Debian's "
                f"postgresql, or name a server in {DSN_VARIABLE}.",
                flush=True,
            )
            yield without_crm
            return
        os.environ.update(addresses)
        try:
            yield MANIFEST
        finally:
            for name in addresses:
                os.environ.pop(name, None)


def elsewhere(settings: Settings, manifest: Path) -> str:
    """How another terminal reaches the same data, and the changes that were made while the demo runs."""
    named, program = shlex.quote(str(manifest)), shlex.quote(str(_program()))
    return (
        "footnote demo: in another terminal\n"
        f'  {program} ask --manifest {named} "How many orders do we have?"\n'
        f'  {program} sql --manifest {named} shop "SELECT count(*) FROM orders"\n'
        f"  FOOTNOTE_STATE={shlex.quote(settings.state_url)} {program} receipts"
    )


def _program() -> Path:
    """The command of the interpreter that runs this, which need not be on the path of another terminal."""
    beside = Path(sys.executable).with_name("footnote")
    return beside if beside.exists() else Path("footnote")


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
