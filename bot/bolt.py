"""The Bolt app: which payload goes to which listener. Wiring only."""

from __future__ import annotations

import re

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


def build_bolt(
    client: AsyncWebClient,
    signing_secret: str | None,
    intake: Intake,
    command: Command,
    home: Home,
    stopping: Stopping,
    presses: Presses,
    shelf: Shelf,
) -> AsyncApp:
    """The app over one shared client. Without a signing secret it serves sockets only."""
    # Bolt wants some secret even where no request is ever signed; HTTP is not served without a real one.
    app = AsyncApp(
        client=client, signing_secret=signing_secret or "sockets-only", raise_error_for_unhandled_request=False
    )
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
