"""Tells the operators of a problem, each in their own direct message."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import partial

import structlog
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.board import Board
from bot.delivery.answers import CALL_ERRORS, error_name
from bot.render.failure import plain_message
from bot.slack_client import body_of
from runtime.admission import PolicyInForce
from runtime.engines.mcp import Changed

log = structlog.get_logger(__name__)


async def tell_operators(client: AsyncWebClient, users: Iterable[str], text: str) -> None:
    """Posts `text` to each. That Slack refuses it is logged: the problem itself stands in the log already."""
    said = plain_message(text)
    for user in users:
        try:
            opened = body_of(await client.conversations_open(users=user))
            await client.chat_postMessage(
                channel=str(opened["channel"]["id"]), text=said.text, blocks=list(said.blocks), unfurl_links=False
            )
        except (SlackClientError, *CALL_ERRORS) as error:
            log.warning("an operator was not told", user=user, error=error_name(error) or type(error).__name__)


def tells_of_remote_changes(board: Board, in_force: PolicyInForce) -> Changed:
    """What hears of a remote tool that isn't what was admitted any more, and has the operators told: once for each
    manifest, however many replicas find it out, and also when a crash comes in between."""
    return partial(_remote_changed, board, in_force)


def _remote_changed(board: Board, in_force: PolicyInForce, source: str, tool: str, reason: str) -> None:
    text = (
        f"The remote tool {tool} of {source} is closed: {reason}. It stays so until somebody has compared it: "
        "`footnote check` prints the new digest; put it into the manifest, or take the tool out, and reload."
    )
    what = hashlib.sha256(json.dumps([in_force.policy.revision, source, tool, reason]).encode()).hexdigest()
    work = board.tell_operators(f"remote:{what[:32]}", plain_message(text))
    board.background.start(work, name="tell operators of a changed remote tool")
