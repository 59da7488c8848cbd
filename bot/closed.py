"""Why nothing is open in a conversation, in words for those who read it, and whether asking in private would help."""

from __future__ import annotations

from dataclasses import dataclass

from bot.assembly import Analyst
from runtime.admission import Asker, Conversation

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
    elsewhere = " Ask me in a direct message instead." if private else ""
    sentence = f"No data source is open in this conversation. {denied.sentence if denied else ''}{elsewhere}"
    return NothingOpen(sentence.strip(), private)
