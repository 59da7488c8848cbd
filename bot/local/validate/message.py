"""Limits of a whole message: its blocks together, attachments, metadata, and the size nobody documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .blocks import CELL_CHARACTERS, block_for, cell_characters, text_length
from .measures import characters, json_bytes
from .problem import Problem
from .shapes import items

BLOCKS_PER_MESSAGE = 50
MARKDOWN_CHARACTERS = 12_000
ATTACHMENTS = 100
ATTACHMENT_BLOCKS = 20
TABLES = 1
CHARTS = 2
#: The largest payload seen accepted; beyond it `msg_blocks_too_long` is possible, so it is certain here.
BLOCKS_TEXT = 9_597
BLOCKS_JSON = 15_561
#: Slack's number is unknown (16 KiB recalled); this is what is known to be safe.
METADATA_JSON = 4_096

_BLOCKS = items(block_for("message"), 0, BLOCKS_PER_MESSAGE)


def check_message(content: dict[str, Any]) -> Problem | None:
    """The first problem of a message's `blocks`, `attachments` and `metadata`; None when Slack takes it."""
    return next(problems(content), None)


def problems(content: dict[str, Any]) -> Iterator[Problem]:
    """Every problem, in the order in which Slack looks."""
    blocks = content.get("blocks")
    if blocks is not None:
        if not isinstance(blocks, list):
            yield Problem("/blocks", "must be an array", "invalid_blocks_format")
            return
        yield from _BLOCKS(blocks, "/blocks")
        yield from _together(blocks)
    if content.get("attachments") is not None:
        yield from _attachments(content["attachments"])
    if content.get("metadata"):
        yield from _metadata(content["metadata"])


def flattened(blocks: list[Any]) -> list[dict[str, Any]]:
    """Blocks with the children of containers and cards behind their parents."""
    flat: list[dict[str, Any]] = []
    for block in blocks:
        if isinstance(block, dict):
            flat.append(block)
            flat.extend(flattened(block.get("child_blocks") or []))
    return flat


def _together(blocks: list[Any]) -> Iterator[Problem]:
    flat = flattened(blocks)
    kinds = [block.get("type") for block in flat]
    # Whether children count is unknown; counting them is the safe reading.
    if len(flat) > BLOCKS_PER_MESSAGE:
        yield Problem("/blocks", f"no more than {BLOCKS_PER_MESSAGE} items allowed, children included")
    yield from _unique_ids(flat)
    markdown = sum(characters(str(block.get("text", ""))) for block in flat if block.get("type") == "markdown")
    if markdown > MARKDOWN_CHARACTERS:
        yield Problem("/blocks", f"markdown over {MARKDOWN_CHARACTERS} characters in total", "msg_too_long")
    if kinds.count("table") > TABLES:
        yield Problem("/blocks", "only one table is allowed per message", "invalid_attachments")
    for kind in ("table", "data_table"):
        if sum(cell_characters(block) for block in flat if block.get("type") == kind) > CELL_CHARACTERS:
            yield Problem("/blocks", f"{kind} cells over {CELL_CHARACTERS} characters in total")
    if kinds.count("data_visualization") > CHARTS:
        yield Problem("/blocks", f"no more than {CHARTS} data_visualization blocks")
    if "plan" in kinds and "task_card" in kinds:
        yield Problem("/blocks", "plan and task_card are mutually exclusive")
    yield from _size(blocks, kinds)


def _unique_ids(flat: list[dict[str, Any]]) -> Iterator[Problem]:
    ids = [block["block_id"] for block in flat if block.get("block_id")]
    for repeated in sorted({block_id for block_id in ids if ids.count(block_id) > 1}, key=str):
        yield Problem("/blocks", f'`block_id` "{repeated}" already exists for another block')


def _size(blocks: list[Any], kinds: list[Any]) -> Iterator[Problem]:
    # Markdown alone is bounded by its own 12,000 characters; everything else shares the undocumented budget.
    if set(kinds) <= {"markdown"}:
        return
    if text_length(blocks) + _bare_text(blocks) > BLOCKS_TEXT or json_bytes(blocks) > BLOCKS_JSON:
        yield Problem("/blocks", "too long", "msg_blocks_too_long")


def _bare_text(blocks: list[Any]) -> int:
    # Captions and chart labels are text, too, though not under the name `text`.
    flat = flattened(blocks)
    return sum(
        characters(block[name]) for block in flat for name in ("caption", "title") if isinstance(block.get(name), str)
    )


def _attachments(attachments: Any) -> Iterator[Problem]:
    refused = "invalid_attachments"
    if not isinstance(attachments, list):
        yield Problem("/attachments", "must be an array", refused)
        return
    if len(attachments) > ATTACHMENTS:
        yield Problem("/attachments", f"no more than {ATTACHMENTS} items allowed", "too_many_attachments")
    for place, attachment in enumerate(attachments):
        pointer = f"/attachments/{place}"
        if not isinstance(attachment, dict):
            yield Problem(pointer, "must be an object", refused)
            continue
        blocks = attachment.get("blocks") or []
        if not isinstance(blocks, list) or len(blocks) > ATTACHMENT_BLOCKS:
            yield Problem(f"{pointer}/blocks", f"no more than {ATTACHMENT_BLOCKS} items allowed", refused)
            continue
        for problem in _BLOCKS(blocks, f"{pointer}/blocks"):
            yield Problem(problem.pointer, problem.message, refused)


def _metadata(metadata: Any) -> Iterator[Problem]:
    if not isinstance(metadata, dict):
        yield Problem("/metadata", "must be an object", "invalid_metadata_format")
        return
    if not isinstance(metadata.get("event_type"), str) or not isinstance(metadata.get("event_payload"), dict):
        yield Problem("/metadata", "event_type and event_payload are required", "invalid_metadata_schema")
    if json_bytes(metadata) > METADATA_JSON:
        yield Problem("/metadata", "too large", "metadata_too_large")
