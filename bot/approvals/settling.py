"""Boot: changes of data that a crash left without an end are looked into behind the bot's back."""

from __future__ import annotations

from bot.approvals.office import Office
from bot.assembly import Analyst
from bot.background import Background
from runtime.approvals.settling import lost_changes, settle
from runtime.engines.update_port import UpdateEngines


async def begin_settling(analyst: Analyst, office: Office, background: Background) -> None:
    """Takes down which they are before anything new begins; asking the databases may take a while."""
    updates = analyst.wiring.services.get(UpdateEngines)
    lost = await lost_changes(updates, alone=office.alone)
    if lost:
        background.start(settle(updates, analyst.state.approvals, office.desk, lost), name="look into broken changes")
