"""`footnote reload`: puts the manifest as it stands here in force, in every process that serves with this state."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal

from bot.settings import Settings, load_settings
from runtime.admission import Policy, load_manifest
from runtime.clock import SystemClock, random_id
from runtime.errors import ConfigurationError
from runtime.state import State, open_state, parse_url, serving_process, sqlite_path


def run(_: argparse.Namespace) -> int:
    """Checks the manifest first: one that is refused reaches no process. A SQLite state has one process, which is
    signalled; replicas on PostgreSQL find the new revision in the state."""
    settings = load_settings()
    policy = Policy.of(load_manifest(settings.manifest))
    path = sqlite_path(parse_url(settings.state_url))
    if path is None:
        print(asyncio.run(_activated(settings, policy)))
        return 0
    process = serving_process(path)
    if process is None:
        raise ConfigurationError(f"No process serves with the state {path}: the next start reads the manifest anyway.")
    os.kill(process, signal.SIGHUP)
    print(f"process {process} was told to load its manifest; its log says what came of it")
    return 0


async def _activated(settings: Settings, policy: Policy) -> str:
    state: State = await asyncio.to_thread(open_state, settings.state_url, clock=SystemClock(), new_id=random_id)
    try:
        active = await state.policies.activate(policy.revision, "footnote reload")
    finally:
        state.close()
    return (
        f"manifest revision {active.number} ({active.digest}) is in force since {active.since:%Y-%m-%d %H:%M:%S} UTC; "
        "each replica takes it within seconds, or says that it isn't ready when its own file is another"
    )
