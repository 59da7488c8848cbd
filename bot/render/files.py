"""Files that go with an answer: which results get one, and how a file travels in a delivery's payload."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.render import limits, words
from bot.render.clean import blank
from bot.render.csv_file import csv_file, csv_name
from bot.render.measure import cut
from bot.render.text import name_text
from runtime.evidence import Evidence

_ENCODING = "zlib+base64"


@dataclass(frozen=True, slots=True)
class FilePart:
    """One file: `title` is shown, `alt_text` is read out. Raises ValueError when empty, which Slack refuses."""

    name: str
    title: str
    alt_text: str
    content: bytes
    evidence_id: str = ""

    def __post_init__(self) -> None:
        if not self.content or blank(self.name):
            raise ValueError("a file needs a name and at least one byte")

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, the inverse of `from_json`; the content is compressed."""
        return {
            "name": self.name,
            "title": self.title,
            "alt_text": self.alt_text,
            "evidence_id": self.evidence_id,
            "encoding": _ENCODING,
            "content": base64.b64encode(zlib.compress(self.content, 3)).decode("ascii"),
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> FilePart:
        """A file from what `as_json` gave. Raises ValueError on another encoding."""
        if body["encoding"] != _ENCODING:
            raise ValueError(f"unknown encoding {body['encoding']!r}")
        content = zlib.decompress(base64.b64decode(body["content"]))
        return cls(body["name"], body["title"], body["alt_text"], content, body["evidence_id"])


def result_files(items: Iterable[Evidence], cited: Collection[str]) -> tuple[FilePart, ...]:
    """A CSV for each cited result of two rows or more, at most five. A repeated call has its first one's file."""
    wanted = [
        item for item in items if item.id in cited and item.tabular and item.repeat_of is None and len(item.rows) > 1
    ]
    return tuple(_csv_part(item) for item in wanted[: limits.RESULT_FILES])


def _csv_part(item: Evidence) -> FilePart:
    content, note = csv_file(item)
    title = words.DOT.join(part for part in (f"{item.id} as CSV", note) if part)
    columns = words.listed(tuple(column.name for column in item.columns), 8)
    rows = words.counted(min(len(item.rows), limits.CSV_ROWS), "row")
    alt = f"Result {item.id} of {item.tool}: {rows}; columns {columns}"
    return FilePart(
        csv_name(item),
        name_text(title, limits.FILE_TITLE_CHARS),
        cut(name_text(alt, limits.FILE_ALT_CHARS), limits.FILE_ALT_CHARS),
        content,
        item.id,
    )
