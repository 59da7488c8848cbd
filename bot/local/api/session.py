"""Who am I, and a socket please: `auth.test`, `api.test`, `apps.connections.open`."""

from __future__ import annotations

from bot.local.hub import Call
from bot.local.wire import Json

from .method import Method


def auth_test(call: Call) -> Json:
    """The identity behind a bot token."""
    world = call.workspace.world
    return {
        "url": f"https://{world.domain}.slack.com/",
        "team": world.team_name,
        "user": call.app.name,
        "team_id": world.team_id,
        "user_id": call.app.bot_user,
        "bot_id": call.app.bot_id,
        "is_enterprise_install": False,
    }


def api_test(call: Call) -> Json:
    """Echo."""
    return {"args": call.args.values}


def connections_open(call: Call) -> Json:
    """A single-use socket address."""
    return {"url": call.hub.sockets.issue_url(call.app)}


METHODS = {
    "auth.test": Method(auth_test),
    "api.test": Method(api_test, needs_token=False),
    "apps.connections.open": Method(connections_open, per_minute=50, app_level=True),
}
