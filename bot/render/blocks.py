"""Block Kit by small constructors that refuse whatever Slack would refuse: an illegal block can't be built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.render import limits
from bot.render.measure import chars, json_bytes, shown_chars

Block = dict[str, Any]
TextObject = dict[str, Any]


class LimitError(ValueError):
    """A block or message over one of Slack's limits: a fault in our own rendering, caught by tests."""


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise LimitError(what)


def _bounded(text: str, most: int, what: str) -> str:
    _need(bool(text.strip()), f"{what} is empty")
    _need(chars(text) <= most, f"{what} has {chars(text)} characters, {most} are allowed")
    return text


def mrkdwn(text: str, most: int = limits.SECTION_CHARS) -> TextObject:
    """A mrkdwn object of finished text. `verbatim`: Slack turns no name and no address into a link by itself."""
    return {"type": "mrkdwn", "text": _bounded(text, most, "mrkdwn text"), "verbatim": True}


def plain_text(text: str, most: int) -> TextObject:
    """A plain_text object."""
    return {"type": "plain_text", "text": _bounded(text, most, "plain text"), "emoji": True}


def section(text: str, *, expand: bool = False, block_id: str | None = None) -> Block:
    """Text of up to 3,000 characters. `expand`: shown whole, without Slack's own "See more"."""
    block: Block = {"type": "section", "text": mrkdwn(text)}
    if expand:
        block["expand"] = True
    return _with_id(block, block_id)


def context(*texts: str, block_id: str | None = None) -> Block:
    """Small grey text, up to ten elements."""
    _need(1 <= len(texts) <= limits.CONTEXT_ELEMENTS, f"context with {len(texts)} elements")
    return _with_id({"type": "context", "elements": [mrkdwn(t, limits.CONTEXT_CHARS) for t in texts]}, block_id)


def divider() -> Block:
    """A rule."""
    return {"type": "divider"}


def header(text: str) -> Block:
    """A bold line of plain text."""
    return {"type": "header", "text": plain_text(text, limits.HEADER_CHARS)}


def button(text: str, action_id: str, value: str, *, style: str | None = None) -> Block:
    """A button. It never has a `url`: an address is nothing a button may carry."""
    element: Block = {
        "type": "button",
        "text": plain_text(text, limits.BUTTON_TEXT_CHARS),
        "action_id": _bounded(action_id, limits.ACTION_ID_CHARS, "action_id"),
        "value": _bounded(value, limits.BUTTON_VALUE_CHARS, "button value"),
    }
    _need(style in (None, "primary", "danger"), f"button style {style}")
    return element | ({"style": style} if style else {})


def actions(elements: Sequence[Block], *, block_id: str | None = None) -> Block:
    """A row of buttons."""
    _need(1 <= len(elements) <= limits.ACTIONS_ELEMENTS, f"actions with {len(elements)} elements")
    names = [element["action_id"] for element in elements]
    _need(len(set(names)) == len(names), "action_id twice in one block")
    return _with_id({"type": "actions", "elements": list(elements)}, block_id)


def feedback(action_id: str, positive: tuple[str, str], negative: tuple[str, str]) -> Block:
    """Thumbs up and down, each a pair of text and value."""

    def choice(text: str, value: str) -> Block:
        return {
            "text": plain_text(text, limits.BUTTON_TEXT_CHARS),
            "value": _bounded(value, limits.BUTTON_VALUE_CHARS, "feedback value"),
        }

    element = {
        "type": "feedback_buttons",
        "action_id": _bounded(action_id, limits.ACTION_ID_CHARS, "action_id"),
        "positive_button": choice(*positive),
        "negative_button": choice(*negative),
    }
    return {"type": "context_actions", "elements": [element]}


def table(rows: Sequence[Sequence[str]], right: Sequence[bool], *, block_id: str | None = None) -> Block:
    """A native table of raw text; `rows[0]` is the header, `right` says per column whether it is set to the right."""
    _need(1 <= len(rows) <= limits.TABLE_ROWS, f"table with {len(rows)} rows")
    size = len(rows[0])
    _need(1 <= size <= limits.TABLE_COLUMNS, f"table with {size} columns")
    _need(all(len(row) == size for row in rows) and len(right) == size, "ragged table")
    _need(sum(chars(cell) for row in rows for cell in row) <= limits.TABLE_CHARS, "table over its characters")
    cells = [[{"type": "raw_text", "text": _bounded(cell, limits.TABLE_CHARS, "cell")} for cell in row] for row in rows]
    settings = [{"align": "right" if at_right else "left", "is_wrapped": True} for at_right in right]
    return _with_id({"type": "table", "rows": cells, "column_settings": settings}, block_id)


def data_visualization(
    kind: str,
    title: str,
    categories: Sequence[str],
    series: Sequence[tuple[str, Sequence[float]]],
    *,
    y_label: str = "",
) -> Block:
    """A native bar, line or area chart: one value per category in each series."""
    _need(kind in ("bar", "line", "area"), f"chart of kind {kind}")
    _need(1 <= len(categories) <= limits.CHART_CATEGORIES, f"chart with {len(categories)} categories")
    _need(1 <= len(series) <= limits.CHART_SERIES, f"chart with {len(series)} series")
    names = [name for name, _ in series]
    _need(len(set(categories)) == len(categories) and len(set(names)) == len(names), "a chart's label twice")
    _need(all(len(values) == len(categories) for _, values in series), "a series without a value for each category")
    labels = [_bounded(label, limits.CHART_LABEL_CHARS, "chart label") for label in categories]
    lines = [
        {
            "name": _bounded(name, limits.CHART_LABEL_CHARS, "series name"),
            "data": [{"label": label, "value": value} for label, value in zip(labels, values, strict=True)],
        }
        for name, values in series
    ]
    axis: Block = {"categories": labels}
    if y_label:
        axis["y_label"] = _bounded(y_label, limits.CHART_AXIS_CHARS, "axis label")
    shown = _bounded(title, limits.CHART_TITLE_CHARS, "chart title")
    return {
        "type": "data_visualization",
        "title": shown,
        "chart": {"type": kind, "series": lines, "axis_config": axis},
    }


def container(title: str, children: Sequence[Block], *, subtitle: str = "", block_id: str | None = None) -> Block:
    """A fold, closed at first. Children are only of the kinds that containers are known to take."""
    _need(1 <= len(children) <= limits.CONTAINER_CHILDREN, f"container with {len(children)} children")
    for child in children:
        _need(child["type"] in limits.CONTAINER_CHILD_TYPES, f"{child['type']} inside a container")
    block: Block = {
        "type": "container",
        "title": plain_text(title, limits.CONTAINER_TITLE_CHARS),
        "is_collapsible": True,
        "default_collapsed": True,
        "child_blocks": list(children),
    }
    if subtitle:
        block["subtitle"] = plain_text(subtitle, limits.CONTAINER_SUBTITLE_CHARS)
    return _with_id(block, block_id)


def _with_id(block: Block, block_id: str | None) -> Block:
    if block_id is not None:
        block["block_id"] = _bounded(block_id, limits.BLOCK_ID_CHARS, "block_id")
    return block


def weight(block: Block) -> int:
    """Blocks that `block` counts for: a container also as the flat blocks it may have to become."""
    return len(block["child_blocks"]) + 2 if block["type"] == "container" else 1


def tables(blocks: Sequence[Block]) -> int:
    """Native tables in `blocks`, children included."""
    return sum((block["type"] == "table") + tables(block.get("child_blocks", ())) for block in blocks)


def overfull(blocks: Sequence[Block]) -> str | None:
    """Why `blocks` can't be one message, or None."""
    if sum(map(weight, blocks)) > limits.MESSAGE_BLOCKS:
        return "too many blocks"
    if tables(blocks) > limits.TABLES_PER_MESSAGE:
        return "too many native tables"
    if sum(block["type"] == "data_visualization" for block in blocks) > limits.CHARTS_PER_MESSAGE:
        return "too many native charts"
    if shown_chars(blocks) > limits.MESSAGE_TEXT_CHARS:
        return "too many characters"
    if json_bytes(list(blocks)) > limits.MESSAGE_BLOCKS_BYTES:
        return "too many bytes"
    return None


@dataclass(frozen=True, slots=True)
class SlackMessage:
    """One posting: `text` for notifications and screen readers, `blocks` for the eye. Raises LimitError when built
    over a limit, so that no such message exists."""

    text: str
    blocks: tuple[Block, ...] = field(default=())

    def __post_init__(self) -> None:
        _bounded(self.text, limits.TEXT_CHARS, "message text")
        why = overfull(self.blocks)
        _need(why is None, f"message with {why}")
        names = [block["block_id"] for block in _walk(self.blocks) if "block_id" in block]
        _need(len(set(names)) == len(names), "block_id twice in one message")

    def as_json(self) -> dict[str, Any]:
        """The payload as plain JSON."""
        return {"text": self.text, "blocks": list(self.blocks)}


def _walk(blocks: Sequence[Block]) -> list[Block]:
    return [inner for block in blocks for inner in (block, *_walk(block.get("child_blocks", ())))]
