"""Comments that people attached to cells of a sheet: they are no values, but may say what the values lack."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from runtime.ingest.outcome import IngestRefused
from runtime.ingest.spreadsheet.package import Attributes, Package, local

_NOTES, _THREADS = "/comments", "/threadedComment"
"""How the types of relations end that lead to comments: the old kind, and the new kind that can be answered."""
_SHOWN = 3
_SHOWN_CHARS = 80
_KEPT_CHARS = 1_000


def comments_note(package: Package, part: str) -> tuple[str, ...]:
    """A note about the comments on the sheet kept in `part`: how many cells have one, and what the first say."""
    try:
        found = _comments(package, part)
    except IngestRefused as damage:
        return (f"its cell comments cannot be read ({damage.reason})",)
    return comments_told(found)


def comments_told(found: Mapping[str, str]) -> tuple[str, ...]:
    """The note about comments, given by the cells that they are on."""
    if not found:
        return ()
    shown = [f"{cell} {_shown(text)}" for cell, text in list(found.items())[:_SHOWN]]
    cells = "1 cell has a comment" if len(found) == 1 else f"{len(found):,} cells have comments"
    more = f"; and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    return (f"{cells}, not part of any value: {'; '.join(shown)}{more}",)


def _comments(package: Package, part: str) -> Mapping[str, str]:
    """The text of each commented cell. Of a cell with a new comment the old kind holds only a stand-in."""
    folder, _, name = part.rpartition("/")
    relations = f"{folder}/_rels/{name}.rels"
    if relations not in package.names:
        return {}
    parts: list[tuple[str, str]] = []

    def relation(tag: str, attributes: Attributes) -> None:
        kind, target = attributes.get("Type", ""), attributes.get("Target", "")
        if local(tag) == "Relationship" and kind.endswith((_NOTES, _THREADS)):
            at = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            parts.append((_THREADS if kind.endswith(_THREADS) else _NOTES, at))

    package.parse(relations, relation)
    found: dict[str, str] = {}
    for wanted in (_NOTES, _THREADS):
        for kind, at in parts:
            if kind == wanted:
                found |= _texts(package, at)
    return found


def _texts(package: Package, part: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    cell, inside = "", False

    def start(tag: str, attributes: Attributes) -> None:
        nonlocal cell, inside
        name = local(tag)
        if name in ("comment", "threadedComment"):
            cell = attributes.get("ref", "")
            answered = name == "threadedComment" and "parentId" in attributes
            texts[cell] = texts.get(cell, "") + " / " if answered else ""
        inside = name in ("t", "text")

    def end(_: str) -> None:
        nonlocal inside
        inside = False

    def text(said: str) -> None:
        if inside and cell and len(texts[cell]) < _KEPT_CHARS:
            texts[cell] += said

    package.parse(part, start, end, text)
    return texts


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= _SHOWN_CHARS else line[: _SHOWN_CHARS - 1] + "…")
