"""The text of an HTML page: what a person reads on it, headings and table rows kept, scripts and styles left out."""

from __future__ import annotations

import codecs
import re
from html.parser import HTMLParser

from runtime.ingest.document_plain import plain_text
from runtime.ingest.document_store import ExtractedText
from runtime.ingest.outcome import ReadingLimits

_SILENT = frozenset(("script", "style", "template", "noscript", "svg", "math"))
_BLOCKS = frozenset(
    "address article aside blockquote br button caption dd details div dl dt fieldset figcaption figure footer form h1 "
    "h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section select summary table tbody textarea tfoot "
    "thead title tr ul".split()
)
_CELLS = frozenset(("td", "th"))
_ROWS = frozenset(("table", "tr"))
_STRUCK = frozenset(("del", "s", "strike"))
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_UNSHOWN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_SPAN = 1_000  # as the HTML standard's own bound on colspan
_HEADING = re.compile(r"h[1-6]$")


def html_text(descriptor: int, limits: ReadingLimits) -> ExtractedText:
    """The readable text of the page as one text. Raises IngestRefused when the file is no text."""
    source = plain_text(descriptor, limits, said_encoding)
    reader = _Reader()
    reader.feed(source.pages[0])
    reader.close()
    return ExtractedText((reader.text(),), notes=source.notes, whole=source.whole)


def said_encoding(raw: bytes) -> str:
    """The encoding that the page's head names, nothing for one that is not known or no text's."""
    found = _CHARSET.search(raw[:4_096])
    try:
        known = codecs.lookup(found[1].decode("ascii")) if found else None
    except (LookupError, UnicodeDecodeError):
        return ""
    # The private mark of the standard library tells codecs of text from others.
    return known.name if known and getattr(known, "_is_text_encoding", False) else ""


class _Columns:
    """Where the cells of one table stand: its current column, and how many more rows each column is taken."""

    def __init__(self) -> None:
        self._place = 0
        self._taken: dict[int, int] = {}

    def begin_row(self) -> None:
        self._place = 0

    def begin_cell(self, wide: int, high: int) -> int:
        """The number of empty cells that stand before the new one."""
        before = 0
        while self._taken.get(self._place, 0):
            self._taken[self._place] -= 1
            self._place += 1
            before += 1
        for place in range(self._place, self._place + wide):
            self._taken[place] = high - 1
        self._place += wide
        return before


class _Reader(HTMLParser):
    """Collects text as tags go by: no tree is built, so that depth costs nothing."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._silent = 0
        self._kept = 0
        self._unshown: list[str] = []
        self._tables: list[_Columns] = []
        self._in_cell = False
        self._wide = 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unshown == ["p"] and tag in _BLOCKS:
            self._unshown = []  # a paragraph ends where the next block begins
        if tag in _SILENT:
            self._silent += 1
        elif tag not in _VOID and (self._unshown or _is_unshown(attrs)):
            # Only tags of the same name are counted: others inside may lack their end.
            if not self._unshown or self._unshown[0] == tag:
                self._unshown.append(tag)
        elif tag in _CELLS:
            self._begin_cell(dict(attrs))
        elif tag in _BLOCKS:
            self._begin_block(tag)
        elif tag in _STRUCK:
            self.handle_data("~~")
        elif tag == "sup":
            self.handle_data("^")

    def _begin_cell(self, attrs: dict[str, str | None]) -> None:
        wide, high = (_span(attrs.get(name)) for name in ("colspan", "rowspan"))
        before = self._tables[-1].begin_cell(wide, high) if self._tables else 0
        before += self._wide - 1 if self._in_cell else 0  # of a cell without its end
        self._parts.append("\x1f" * (before + 1))
        self._in_cell = True
        self._wide = wide

    def _begin_block(self, tag: str) -> None:
        if tag in _ROWS:
            self._in_cell = False
            if tag == "table":
                self._tables.append(_Columns())
            elif self._tables:
                self._tables[-1].begin_row()
        if self._in_cell:
            self._parts.append(" ")
            return
        self._kept += tag == "pre"
        self._parts.append("\n" + ("#" * int(tag[1]) + " " if _HEADING.match(tag) else ""))
        self._parts.append("- " if tag == "li" else "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS and not self._unshown:
            self._parts.append(" " if self._in_cell else "\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif self._unshown:
            if tag == self._unshown[0]:
                self._unshown.pop()
        elif tag in _CELLS and self._in_cell:
            self._parts.append("\x1f" * (self._wide - 1))
            self._in_cell = False
        elif tag in _STRUCK:
            self.handle_data("~~")
        elif tag in _BLOCKS:
            self._end_block(tag)

    def _end_block(self, tag: str) -> None:
        if tag in _ROWS:
            self._in_cell = False
            if tag == "table" and self._tables:
                self._tables.pop()
        self._kept -= self._kept > 0 and tag == "pre"
        self._parts.append(" " if self._in_cell else "\n")

    def handle_data(self, data: str) -> None:
        if not self._silent and not self._unshown:
            self._parts.append(data if self._kept else re.sub(r"\s+", " ", data))

    def text(self) -> str:
        """Lines without empty runs; the cells of a row stand on one line with bars between."""
        lines = (_row(line) if "\x1f" in line else line for line in "".join(self._parts).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n") + "\n"


def _is_unshown(attrs: list[tuple[str, str | None]]) -> bool:
    return any(name == "hidden" or (name == "style" and _UNSHOWN.search(value or "")) for name, value in attrs)


def _span(value: str | None) -> int:
    return max(1, min(int(value), _SPAN)) if value and value.isascii() and value.isdecimal() and len(value) < 9 else 1


def _row(line: str) -> str:
    first, *cells = (" ".join(cell.split()) for cell in line.split("\x1f"))
    return " | ".join([first, *cells] if first else cells)
