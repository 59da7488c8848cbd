"""Reads what a message carries (text, blocks, attachments, metadata, files) and holds it to every limit."""

from __future__ import annotations

from typing import Any

from .hub import Call
from .validate import Problem, check_message
from .validate.measures import characters
from .wire import Json, SlackError
from .workspace import Refusal, Workspace

#: `text` beyond this is cut by `chat.postMessage`, with a warning.
TEXT_CUT = 40_000
#: `text` beyond this may be split into several messages by Slack (undocumented).
TEXT_SPLIT = 4_000
#: `text` of `chat.update` beyond this is refused.
TEXT_UPDATE = 4_000
MARKDOWN_TEXT = 12_000


def read_content(call: Call, *, updating: bool = False) -> tuple[Json, list[str]]:
    """The message fields of a call and Slack's warnings. Raises Slack's refusals and records them."""
    try:
        return _read(call, updating)
    except SlackError as error:
        record_refusal(call.workspace, call.method, error, call.args.values)
        raise


def record_refusal(workspace: Workspace, method: str, error: SlackError, args: Json) -> None:
    """Remember that strict limits refused a payload."""
    messages = tuple(error.extra.get("response_metadata", {}).get("messages", ()))
    workspace.refusals.append(Refusal(method, error.error, messages, args))
    workspace.changes.notify("refusal", method=method, error=error.error)


def judge(workspace: Workspace, content: Json) -> None:
    """Raise the first refusal that a message's blocks, attachments or metadata earn, injected ones included."""
    problem = check_message(content) if workspace.strict else None
    if problem is not None:
        raise _refusal(problem)
    _check_images(workspace, content.get("blocks") or [])
    refused = workspace.faults.refuses(block_types(content.get("blocks") or []))
    if refused is not None:
        raise SlackError("invalid_blocks", f"[ERROR] unsupported type: {refused} [json-pointer:/blocks]")


def block_types(blocks: Any) -> set[str]:
    """Every block type used, children of containers included."""
    found: set[str] = set()
    for block in blocks if isinstance(blocks, list) else []:
        if isinstance(block, dict):
            found.add(str(block.get("type")))
            found |= block_types(block.get("child_blocks"))
    return found


def _read(call: Call, updating: bool) -> tuple[Json, list[str]]:
    args = call.args
    content: Json = {}
    warnings: list[str] = []
    for name, error in (("blocks", "invalid_blocks_format"), ("attachments", "invalid_attachments")):
        value = args.json(name, error)
        if value is not None:
            content[name] = value
    metadata = args.json("metadata", "invalid_metadata_format")
    if metadata is not None:
        content["metadata"] = metadata
    if args.has("markdown_text"):
        _take_markdown(args.text("markdown_text"), args.has("text"), content)
    elif "text" in args.values or not updating:
        content["text"] = _text(call, args.text("text", ""), warnings, updating)
    if args.has("file_ids"):
        content["files"] = [_own_file(call, file_id) for file_id in args.listing("file_ids")]
    if not updating and not any(content.get(name) for name in ("text", "blocks", "attachments")):
        raise SlackError("no_text")
    judge(call.workspace, content)
    return content, warnings


def _take_markdown(text: str, has_text: bool, content: Json) -> None:
    if has_text or "blocks" in content:
        raise SlackError("markdown_text_conflict")
    if characters(text) > MARKDOWN_TEXT:
        raise SlackError("msg_too_long")
    content["text"] = text
    content["blocks"] = [{"type": "markdown", "text": text}]


def _text(call: Call, text: str, warnings: list[str], updating: bool) -> str:
    if updating and characters(text) > TEXT_UPDATE:
        raise SlackError("msg_too_long")
    if len(text) > TEXT_CUT:
        warnings.append("message_truncated")
        text = text[:TEXT_CUT]
    if characters(text) > TEXT_SPLIT:
        call.workspace.cautions.append(f"{call.method}: text of {len(text)} characters; Slack may split it")
    if "http" in text and not updating and call.args.flag("unfurl_links", True):
        call.workspace.cautions.append(f"{call.method}: links would unfurl")
    return text


def _own_file(call: Call, file_id: str) -> Json:
    stored = call.workspace.files.get(file_id)
    if stored is None or not stored.completed:
        raise SlackError("file_not_found")
    return stored.info


def _check_images(workspace: Workspace, blocks: list[Any], pointer: str = "/blocks") -> None:
    # An image by slack_file must name a file whose processing is over.
    for place, block in enumerate(blocks):
        if not isinstance(block, dict):
            continue
        here = f"{pointer}/{place}"
        if block.get("type") == "image" and isinstance(block.get("slack_file"), dict):
            _check_slack_file(workspace, block["slack_file"], here)
        _check_images(workspace, block.get("child_blocks") or [], f"{here}/child_blocks")


def _check_slack_file(workspace: Workspace, reference: Json, pointer: str) -> None:
    known = [
        stored
        for file_id, stored in workspace.files.items()
        if reference.get("id") == file_id
        or reference.get("url") in (stored.info["url_private"], stored.info["permalink"])
    ]
    ready = any(str(stored.info.get("mimetype", "")).startswith("image/") for stored in known)
    if not ready:
        raise SlackError("invalid_blocks", f"[ERROR] invalid slack file [json-pointer:{pointer}/slack_file]")


def _refusal(problem: Problem) -> SlackError:
    return SlackError(problem.error, f"[ERROR] {problem.message} [json-pointer:{problem.pointer}]")
