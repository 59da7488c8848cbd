"""The local workspace: a server that speaks Slack's own protocols, for the demo and for tests."""

from __future__ import annotations

from .server import LocalSlack, run_until_cancelled, start_local
from .world import AppInstall, Channel, Person, UserGroup, World, demo_world

__all__ = [
    "AppInstall",
    "Channel",
    "LocalSlack",
    "Person",
    "UserGroup",
    "World",
    "demo_world",
    "run_until_cancelled",
    "start_local",
]
