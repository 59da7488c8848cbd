"""A local Slack for tests of what the bot does, not of how soon.

A real Slack gives an app three seconds to acknowledge, then tries again or tells the person that nothing came of a
press; a busy machine takes longer now and then, and a test would see another story each time.
"""

from __future__ import annotations

from typing import Any

from bot.local import LocalSlack, World

SECONDS = 20.0


def patient_slack(world: World | None = None, **options: Any) -> LocalSlack:
    """`async with patient_slack() as slack`: acknowledgements and trigger ids have 20 seconds."""
    return LocalSlack(world, **{"ack_seconds": SECONDS, "trigger_seconds": SECONDS, **options})
