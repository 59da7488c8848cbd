"""Why nothing is open in a conversation, in words for those who read it, and whether asking in private would help."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import structlog

from bot.assembly import Analyst
from bot.presence import SlackPresence
from runtime.admission import Asker, Conversation
from runtime.deliveries.outbox import FIRST_PAUSE_S, LONGEST_PAUSE_S

log = structlog.get_logger(__name__)

IN_PRIVATE = "Ask me in a direct message instead."

NOTHING_DECLARED = "No data source is connected yet. An operator can declare one in the admission manifest."

POLICY_ON_ITS_WAY = (
    "What is open to whom has just been changed, and I don't have the change yet. Please ask again soon."
)


@dataclass(frozen=True, slots=True)
class NothingOpen:
    """The sentence, and whether something is open to this person in a direct message."""

    sentence: str
    private: bool = False


def nothing_open(analyst: Analyst, place: Conversation, asker: Asker | None) -> NothingOpen:
    """For a conversation without an open source. Sources are not named: their names are not for everybody here."""
    if not analyst.in_force.agreed:
        return NothingOpen(POLICY_ON_ITS_WAY)
    declared = analyst.declared()
    if not declared:
        return NothingOpen(NOTHING_DECLARED)
    denied = analyst.policy.denial(declared[0], place, asker)
    private = place.kind != "im" and bool(analyst.sources(Conversation("im", ""), asker))
    why = f" {denied.sentence} {IN_PRIVATE if private else denied.next_step}" if denied else ""
    return NothingOpen(f"No data source is open in this conversation.{why}", private)


async def closed_meanwhile(
    analyst: Analyst,
    presence: SlackPresence,
    channel: str,
    user: str,
    used: frozenset[str],
) -> NothingOpen | None:
    """Why an answer that rests on the sources `used` may not be posted: who reads there, or who asks, isn't as it was
    when the run began. Slack is asked anew, whatever is kept, and while it is away it is waited for. What the manifest
    dropped meanwhile is left to the calls."""
    if not used:
        return None
    pause_s = FIRST_PAUSE_S
    while True:
        presence.forget(channel, user)
        place, asker = await presence.facts(channel, user)
        policy = analyst.policy
        denials = [policy.denial(source, place, asker) for source in sorted(used & policy.audiences().keys())]
        denied = next((denial for denial in denials if denial is not None), None)
        if denied is None or denied.reason != "unknown_state" or not await presence.away(channel):
            break
        # As a posting would: an outage of Slack delays an answer and loses none.
        log.info("posting again later", reason="who reads there cannot be asked", channel=channel, seconds=pause_s)
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
    if denied is None:
        return None
    private = place.kind != "im" and used <= analyst.sources(Conversation("im", ""), asker)
    what_now = IN_PRIVATE if private else denied.next_step
    return NothingOpen(
        f"I don't post what I found: meanwhile it was closed here. {denied.sentence} {what_now}", private
    )
