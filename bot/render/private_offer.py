"""The button under a refusal: the same question, asked again where only the person who presses reads the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.render import blocks
from bot.render.blocks import SlackMessage
from bot.render.text import fallback_text, line_text

PRIVATE_ACTION = "ask_private"
_QUOTED = 600


def with_private_offer(messages: Sequence[SlackMessage], turn_id: str) -> list[SlackMessage]:
    """The messages with the button at the end of the last one. `turn_id` names the question that is asked again."""
    offer = blocks.actions([blocks.button("Ask in private", PRIVATE_ACTION, turn_id)])
    *before, last = messages
    if blocks.overfull([*last.blocks, offer]):
        return [*messages, SlackMessage("You can ask me this in private.", (offer,))]
    return [*before, replace(last, blocks=(*last.blocks, offer))]


def asked_again(question: str) -> SlackMessage:
    """What begins the thread of the direct message."""
    text = f"You asked: {line_text(question, _QUOTED)}"
    return SlackMessage(fallback_text(text), (blocks.section(text),))
