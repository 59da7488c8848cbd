"""`footnote migrate`: the state database at this version's schema."""

from __future__ import annotations

import argparse
import signal

from bot.settings import load_settings
from runtime.state import migrate_state


def run(_: argparse.Namespace) -> int:
    """Migrates, and says to which revision."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # `footnote reload` may take whoever holds the state for a bot
    settings = load_settings()
    print(f"The state database is at revision {migrate_state(settings.state_url)}.")
    return 0
