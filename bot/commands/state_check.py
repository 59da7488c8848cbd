"""`footnote check` about the state database: where it is, whether it can be used, and which version it has."""

from __future__ import annotations

from collections.abc import Iterator

from bot.commands.finding import Finding
from bot.settings import Settings
from runtime.errors import ConfigurationError, StateError
from runtime.state import Standing, look_at_state


def check_state(settings: Settings) -> Iterator[Finding]:
    """Looks, and neither creates nor migrates anything."""
    try:
        standing = look_at_state(settings.state_url)
    except ConfigurationError as error:
        yield Finding("settings", "fail", str(error))
    except StateError as error:
        yield Finding("state", "fail", str(error))
    else:
        yield _told(standing)


def _told(standing: Standing) -> Finding:
    if standing.current:
        held = f", in use by process {standing.holder}" if standing.holder else ""
        return Finding("state", "ok", f"{standing.place}: schema {standing.version}, writable{held}")
    if not standing.made_at_start:
        found = f"at schema {standing.version}" if standing.version else "without a schema"
        return Finding("state", "fail", f"{standing.place} is {found}: run `footnote migrate`.")
    if standing.version is None:
        return Finding("state", "ok", f"{standing.place}: not there yet, made when the bot starts")
    return Finding("state", "ok", f"{standing.place}: schema {standing.version}, migrated when the bot starts")
