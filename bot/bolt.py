"""The Bolt app: which payload goes to which listener. Wiring only."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals import Presses
from bot.intake import Intake
from bot.listeners.actions import Actions
from bot.listeners.approvals import ApprovalClicks
from bot.listeners.command import Command
from bot.listeners.events import Events
from bot.listeners.home import Home
from bot.listeners.private import AskInPrivate
from bot.listeners.undo import Undo
from bot.render.approval_card import APPROVE, CANCEL, REJECT, UNDO
from bot.render.private_offer import PRIVATE_ACTION
from bot.shared_files.shelf import Shelf
from bot.stopping import Stopping

# What Bolt looks up by itself while an app is made. The pair would have it look every workspace up in a store of
# installations that nobody filled, so that nothing were answered; the token's workspace is the one we serve.
_READ_BY_BOLT = (
    "SLACK_BOT_TOKEN",
    "SLACK_CLIENT_ID",
    "SLACK_CLIENT_SECRET",
    "SLACK_SIGNING_SECRET",
    "SLACK_VERIFICATION_TOKEN",
)


def build_bolt(
    client: AsyncWebClient,
    intake: Intake,
    command: Command,
    home: Home,
    stopping: Stopping,
    presses: Presses,
    shelf: Shelf,
) -> AsyncApp:
    """The app over one shared client. Who hands it a request has made sure that it comes from Slack."""
    with _settings_are_ours():
        app = AsyncApp(client=client, request_verification_enabled=False, raise_error_for_unhandled_request=False)
    app.middleware(Events(intake, home, stopping, presses, shelf).before_ack)
    actions = Actions(intake)
    app.action("retry")(actions.retry)
    app.action("feedback")(actions.feedback)
    app.action(PRIVATE_ACTION)(AskInPrivate(intake).pressed)
    app.action(UNDO)(Undo(intake).pressed)
    approvals = ApprovalClicks(presses)
    app.action(APPROVE)(approvals.approve)
    app.action(REJECT)(approvals.reject)
    app.action(CANCEL)(approvals.cancel)
    app.view(REJECT)(approvals.rejected)
    app.action(re.compile(".*"))(actions.unknown)
    app.command(re.compile("^/.*"))(command.run)
    app.shortcut(re.compile(".*"))(actions.acknowledge)
    app.view(re.compile(".*"))(actions.acknowledge)
    return app


@contextmanager
def _settings_are_ours() -> Iterator[None]:
    """Bolt finds none of its variables in the environment meanwhile."""
    hidden = {name: os.environ.pop(name) for name in _READ_BY_BOLT if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)
