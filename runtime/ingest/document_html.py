"""The text of an HTML page: what a person reads on it, headings and table rows kept, scripts and styles left out."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from runtime.ingest.document_plain import plain_text
from runtime.ingest.document_store import ExtractedText
from runtime.ingest.outcome import ReadingLimits

_SILENT = frozenset(("script", "style", "template", "noscript", "svg", "math"))
_BLOCKS = frozenset(
    "address article aside blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main "
    "nav ol p pre section table tbody tfoot thead title tr ul".split()
)
_CELLS = frozenset(("td", "th"))
_HEADING = re.compile(r"h[1-6]$")


def html_text(descriptor: int, limits: ReadingLimits) -> ExtractedText:
    """The readable text of the page as one text. Raises IngestRefused when the file is no text."""
    source = plain_text(descriptor, limits)
    reader = _Reader()
    reader.feed(source.pages[0])
    reader.close()
    return ExtractedText((reader.text(),), notes=source.notes, whole=source.whole)


class _Reader(HTMLParser):
    """Collects text as tags go by: no tree is built, so that depth costs nothing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._silent = 0
        self._kept = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        elif tag in _CELLS:
            self._parts.append("\x1f")
        elif tag in _BLOCKS:
            self._kept += tag == "pre"
            self._parts.append("\n" + ("#" * int(tag[1]) + " " if _HEADING.match(tag) else ""))
            self._parts.append("- " if tag == "li" else "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self._parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag in _BLOCKS:
            self._kept -= self._kept > 0 and tag == "pre"
            self._parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._parts.append(data if self._kept else re.sub(r"\s+", " ", data))

    def text(self) -> str:
        """Lines without empty runs; the cells of a row stand on one line with bars between."""
        lines = (_row(line) if "\x1f" in line else line for line in "".join(self._parts).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n") + "\n"


def _row(line: str) -> str:
    return " | ".join(part for part in (cell.strip() for cell in line.split("\x1f")) if part)
