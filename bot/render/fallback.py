"""The lower rungs of a message that Slack refused: folds become flat blocks, blocks become text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.render import blocks, limits, text_table
from bot.render.blocks import Block, LimitError, SlackMessage
from bot.render.inert import escape, escape_code
from bot.render.measure import chars
from bot.render.pieces import FENCE, fenced, split

_REST = "\n… The rest is in the attached file."


def flat(message: SlackMessage) -> SlackMessage | None:
    """The same without containers and native tables; None when that is too long for one message."""
    try:
        return SlackMessage(message.text, tuple(_flat_blocks(message.blocks)))
    except LimitError:
        return None


def as_text(message: SlackMessage) -> str:
    """Everything the blocks say, as one mrkdwn text of any length."""
    texts = [text for block in message.blocks for text in _block_texts(block)]
    return "\n\n".join(texts) or message.text


def short_text(full: str) -> tuple[str, bool]:
    """`full` within what one `text` may hold, and whether something had to be left for a file."""
    if chars(full) <= limits.TEXT_CHARS:
        return full, False
    head = split(full, limits.TEXT_CHARS - len(_REST) - len(FENCE) - 1, 6 * limits.TEXT_CHARS)[0]
    if head.count(FENCE) % 2:
        head += f"\n{FENCE}"
    return head + _REST, True


def _flat_blocks(source: Sequence[Block]) -> Iterator[Block]:
    for block in source:
        if block["type"] == "container":
            yield blocks.section("\n".join(_titles(block)))
            yield from _flat_blocks(block["child_blocks"])
            yield blocks.divider()
        elif block["type"] == "table":
            for text in split(_grid(block), limits.PIECE_CHARS, keep_indent=True):
                yield blocks.section(fenced(text))
        elif block["type"] == "data_visualization":
            yield blocks.section(_chart_words(block))
        else:
            yield block


def _titles(block: Block) -> list[str]:
    names = [escape(block[key]["text"]) for key in ("title", "subtitle") if key in block]
    return [f"*{names[0].replace('*', '∗')}*", *names[1:]]


def _chart_words(block: Mapping[str, Any]) -> str:
    return f"Chart: {escape(block['title'])} (the picture is below)"


def _grid(block: Block) -> str:
    rows = [[cell["text"] for cell in row] for row in block["rows"]]
    return escape_code("\n".join(text_table.grid(rows[0], rows[1:])))


def _block_texts(block: Mapping[str, Any]) -> Iterator[str]:
    kind = block["type"]
    if kind == "container":
        yield "\n".join(_titles(dict(block)))
        for child in block["child_blocks"]:
            yield from _block_texts(child)
    elif kind == "table":
        yield fenced(_grid(dict(block)))
    elif kind == "data_visualization":
        yield _chart_words(block)
    elif kind in ("section", "header"):
        yield block["text"]["text"]
    elif kind == "context":
        yield "\n".join(element["text"] for element in block["elements"])
