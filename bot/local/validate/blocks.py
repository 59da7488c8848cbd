"""Limits of every block type, as a table, and which types a surface and a container accept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import elements as el
from .charts import DATA_VISUALIZATION
from .measures import characters
from .problem import Problem
from .shapes import Check, anything, at_least_one, choice, exactly_one, flag, items, number, shape, tagged, text

CELL_CHARACTERS = 10_000


def _block(required: dict[str, Check], optional: dict[str, Check] | None = None, *also: Check) -> Check:
    return shape({"type": anything, **required}, {"block_id": text(255), **(optional or {})}, *also)


def _unique_action_ids(value: Any, pointer: str) -> Iterator[Problem]:
    elements = value.get("elements")
    ids = [e["action_id"] for e in elements or [] if isinstance(e, dict) and e.get("action_id")]
    for repeated in sorted({action_id for action_id in ids if ids.count(action_id) > 1}):
        yield Problem(f"{pointer}/elements", f'`action_id` "{repeated}" already exists')


def _no_divider_when_collapsible(value: Any, pointer: str) -> Iterator[Problem]:
    if value.get("is_collapsible") and value.get("has_header_divider"):
        yield Problem(f"{pointer}/has_header_divider", "cannot be set when is_collapsible is true")
    if value.get("default_collapsed") and not value.get("is_collapsible"):
        yield Problem(f"{pointer}/default_collapsed", "requires is_collapsible")


def _equal_rows(value: Any, pointer: str) -> Iterator[Problem]:
    rows = [row for row in value.get("rows") or [] if isinstance(row, list)]
    if len({len(row) for row in rows}) > 1:
        yield Problem(f"{pointer}/rows", "all rows must have the same number of cells")


def _plain_header(value: Any, pointer: str) -> Iterator[Problem]:
    rows = value.get("rows") or [[]]
    for place, cell in enumerate(rows[0] if isinstance(rows[0], list) else []):
        if isinstance(cell, dict) and cell.get("type") == "rich_text":
            yield Problem(f"{pointer}/rows/0/{place}", "rich_text is not allowed in the header row")


def _cells_fit(value: Any, pointer: str) -> Iterator[Problem]:
    if cell_characters(value) > CELL_CHARACTERS:
        yield Problem(f"{pointer}/rows", f"must be less than {CELL_CHARACTERS + 1} characters over all cells")


def cell_characters(table: Any) -> int:
    """Characters over all cells of a table."""
    rows = table.get("rows") if isinstance(table, dict) else None
    return sum(text_length(cell) for row in rows or [] if isinstance(row, list) for cell in row)


def text_length(value: Any) -> int:
    """Characters of every `text` inside a value."""
    if isinstance(value, list):
        return sum(map(text_length, value))
    if not isinstance(value, dict):
        return 0
    own = characters(value["text"]) if isinstance(value.get("text"), str) else 0
    return own + sum(text_length(inner) for inner in value.values() if isinstance(inner, (dict, list)))


_SECTION = _block(
    {},
    {
        "text": el.either(3_000),
        "fields": items(el.either(2_000), 1, 10),
        "accessory": tagged(el.ACCESSORIES, "element"),
        "expand": flag,
    },
    at_least_one("text", "fields"),
)
_IMAGE = _block(
    {"alt_text": text(2_000, 1)},
    {"title": el.plain(2_000), "image_url": el.URL, "slack_file": el.SLACK_FILE},
    exactly_one("image_url", "slack_file"),
)
_VIDEO = _block(
    {
        "alt_text": text(2_000, 1),
        "title": el.plain(200),
        "thumbnail_url": el.URL,
        "video_url": el.URL,
    },
    {
        "author_name": text(50),
        "description": el.plain(200),
        "provider_icon_url": el.URL,
        "provider_name": text(50),
        "title_url": el.URL,
    },
)
_CARD = _block(
    {},
    {
        "hero_image": el.IMAGE_ELEMENT,
        "icon": el.IMAGE_ELEMENT,
        "title": el.either(150),
        "subtitle": el.either(150),
        "body": el.either(200),
        "actions": items(tagged({"button": el.BUTTON}, "element"), 1, 5),
    },
    at_least_one("hero_image", "title", "actions", "body"),
)
_TASK = _block(
    {
        "task_id": text(255, 1),
        "title": text(255, 1),
        "status": choice("pending", "in_progress", "complete", "error"),
    },
    {"details": el.RICH_TEXT, "output": el.RICH_TEXT, "sources": items(el.URL_SOURCE)},
)

#: What a container takes; markdown, data_table, data_visualization and rich_text are not among it.
CONTAINER_CHILDREN = ("actions", "context", "divider", "header", "image", "section", "table", "video")


def _children() -> dict[str, Check]:
    return {name: BLOCKS[name] for name in CONTAINER_CHILDREN}


BLOCKS: dict[str, Check] = {
    "section": _SECTION,
    "header": _block({"text": el.plain(150)}),
    "divider": _block({}),
    "image": _IMAGE,
    "video": _VIDEO,
    "context": _block({"elements": items(tagged(el.CONTEXT_ELEMENTS, "element"), 1, 10)}),
    "actions": _block({"elements": items(tagged(el.ACTION_ELEMENTS, "element"), 1, 25)}, {}, _unique_action_ids),
    "context_actions": _block({"elements": items(tagged(el.CONTEXT_ACTIONS, "element"), 1, 5)}, {}, _unique_action_ids),
    "input": _block(
        {"label": el.plain(2_000), "element": tagged(el.INPUT_ELEMENTS, "element")},
        {"hint": el.plain(2_000), "optional": flag, "dispatch_action": flag},
    ),
    "rich_text": el.RICH_TEXT,
    "markdown": _block({"text": text(12_000, 1)}),
    "table": _block(
        {"rows": items(items(tagged(el.CELLS, "cell"), 1, 20), 1, 100)},
        {"column_settings": items(el.COLUMN_SETTING, 0, 20)},
        _cells_fit,
    ),
    "data_table": _block(
        {"rows": items(items(tagged(el.CELLS, "cell"), 1, 20), 2, 101), "caption": text(None, 1)},
        {"page_size": number(1, 100, whole=True), "row_header_column_index": number(0, 19, whole=True)},
        _equal_rows,
        _plain_header,
        _cells_fit,
    ),
    "data_visualization": DATA_VISUALIZATION,
    "container": _block(
        {"child_blocks": items(tagged(_children, "child block"), 1, 10)},
        {
            "title": el.plain(150),
            "rich_text_title": el.RICH_TEXT,
            "subtitle": el.either(150),
            "width": choice("narrow", "standard", "wide", "full"),
            "icon": el.IMAGE_ELEMENT,
            "is_collapsible": flag,
            "default_collapsed": flag,
            "has_header_divider": flag,
        },
        at_least_one("title", "rich_text_title"),
        _no_divider_when_collapsible,
    ),
    "card": _CARD,
    "carousel": _block({"elements": items(tagged({"card": _CARD}, "element"), 1, 10)}),
    "task_card": _TASK,
    "plan": _block({"title": text(255, 1)}, {"tasks": items(tagged({"task_card": _TASK}, "task"), 1, 50)}),
    "alert": _block({"text": el.either(3_000)}, {"level": choice("default", "info", "warning", "error", "success")}),
    "file": _block({"external_id": text(255, 1), "source": choice("remote")}),
}

#: `file` blocks exist only in what Slack returns; nobody may send one.
_EVERYWHERE = ("actions", "context", "divider", "header", "image", "input", "rich_text", "section", "video")
_DATA = ("table", "data_table", "data_visualization")
_AGENT = ("markdown", "container", "card", "carousel", "task_card", "plan", "context_actions")
SURFACES: dict[str, tuple[str, ...]] = {
    "message": (*_EVERYWHERE, *_DATA, *_AGENT),
    "modal": (*_EVERYWHERE, "alert", "container", "card", "carousel"),
    "home": (*_EVERYWHERE, "container", "card", "carousel"),
}


def block_for(surface: str) -> Check:
    """The check of one block on `message`, `modal` or `home`."""
    return tagged({name: BLOCKS[name] for name in SURFACES[surface]}, "block")
