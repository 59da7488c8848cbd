"""Short-lived rights: trigger ids (once, within seconds) and response urls (30 min, five times)."""

from __future__ import annotations

from .wire import SlackError
from .workspace import Grant, Workspace
from .world import AppInstall

RESPONSE_SECONDS = 30 * 60
RESPONSE_USES = 5


def issue_trigger(workspace: Workspace, app: AppInstall, user: str, channel: str) -> str:
    """A fresh trigger id."""
    trigger = f"{workspace.numbering.new('')}.{workspace.new_secret()}"
    workspace.triggers[trigger] = Grant(app.app_id, user, channel, workspace.now())
    return trigger


def exchange_trigger(workspace: Workspace, app: AppInstall, trigger: str) -> Grant:
    """Use a trigger id. `invalid_trigger_id`, `exchanged_trigger_id`, `expired_trigger_id`."""
    grant = workspace.triggers.get(trigger)
    if grant is None or grant.app_id != app.app_id:
        raise SlackError("invalid_trigger_id")
    if grant.uses:
        raise SlackError("exchanged_trigger_id")
    if workspace.now() - grant.at > workspace.trigger_seconds:
        raise SlackError("expired_trigger_id")
    grant.uses += 1
    return grant


def issue_response_url(workspace: Workspace, grant: Grant) -> str:
    """An absolute address where the app may answer."""
    secret = workspace.new_secret()
    workspace.response_urls[secret] = grant
    return f"{workspace.url}/response/{grant.app_id}/{secret}"


def use_response_url(workspace: Workspace, secret: str) -> Grant:
    """Use a response url once more. `no_service`, `expired_url`, `used_url`."""
    grant = workspace.response_urls.get(secret)
    if grant is None:
        raise SlackError("no_service", status=404)
    if workspace.now() - grant.at > RESPONSE_SECONDS:
        raise SlackError("expired_url", status=404)
    if grant.uses >= RESPONSE_USES:
        raise SlackError("used_url", status=404)
    grant.uses += 1
    return grant
