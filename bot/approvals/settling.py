"""Changes of data that a crash left without an end are looked into behind the bot's back, and no request stays open."""

from __future__ import annotations

from bot.approvals.office import Office
from bot.assembly import Analyst
from bot.background import Background
from runtime.approvals.settling import end_requests, lost_changes, settle
from runtime.engines.update_port import UpdateEngines


async def begin_settling(analyst: Analyst, office: Office, background: Background) -> None:
    """Takes down which they are before anything new begins; asking the databases may take a while."""
    updates = analyst.wiring.services.get(UpdateEngines)
    lost = await lost_changes(updates, alone=office.alone)
    if lost:
        background.start(settle(updates, analyst.state.approvals, office.desk, lost), name="look into broken changes")


async def end_requests_of(analyst: Analyst, office: Office, turn_id: str) -> None:
    """A turn is given up: its cards say how they ended."""
    updates = analyst.wiring.services.get(UpdateEngines)
    await end_requests(updates, analyst.state.approvals, office.desk, turn_id)
