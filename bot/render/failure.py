"""What a person is told when a run ends without an answer: fixed words, never an exception's text."""

from __future__ import annotations

from bot.render import blocks, limits
from bot.render.blocks import SlackMessage
from bot.render.clean import blank, one_line
from bot.render.text import fallback_text, line_text

RETRY_ACTION = "retry"


def failure_message(sentence: str, correlation_id: str, *, retry_value: str | None = None) -> SlackMessage:
    """`sentence` says what happened and what to do; `correlation_id` finds it in the log. `retry_value`: an opaque id
    for the *Retry* button, which is left out without one."""
    said = one_line(sentence)
    said = "Something went wrong, and there is no answer." if blank(said) else said
    body = [blocks.section(line_text(said, limits.PIECE_CHARS // 5), expand=True)]
    if not blank(correlation_id):
        body.append(blocks.context(f"Reference `{line_text(correlation_id, 80)}`"))
    if retry_value:
        body.append(blocks.actions([blocks.button("Retry", RETRY_ACTION, retry_value)]))
    return SlackMessage(fallback_text(said), tuple(body))


def plain_message(text: str) -> SlackMessage:
    """A short notice in the bot's own words."""
    return SlackMessage(fallback_text(text), (blocks.section(line_text(text, limits.PIECE_CHARS // 5), expand=True),))
