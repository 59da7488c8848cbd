"""Finds lines in document texts by RE2, whose time is bounded by the size of the text whatever the pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import re2  # pyright: ignore[reportMissingTypeStubs]

from runtime.errors import CallError
from runtime.ingest.composed import composed

_LINE_CHARS = 400
_BEFORE_CHARS = 120
_COUNTED = 10_000

_BY_LINE = "(?m)"  # put before each pattern: ^ and $ stand at the ends of lines
_RE2: Any = re2  # the package has no type information


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that matches: `page` is set in paged documents, where `line` counts within the page."""

    file: str
    page: int | None
    line: int
    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def at(self) -> str:
        """Where it stands, as people write it: `goals.md:3`, `lease.pdf p.2`."""
        return f"{self.file}:{self.line}" if self.page is None else f"{self.file} p.{self.page}"


@dataclass(slots=True)
class Found:
    """Hits in the order of files and lines, and what was searched. `total` counts all matching lines, the first 10,000;
    `incomplete` says why the scan ended early or left something out, `unsearched` counts tables without a text to be
    searched."""

    hits: list[Hit] = field(default_factory=list[Hit])
    total: int = 0
    files: int = 0
    size: int = 0
    incomplete: list[str] = field(default_factory=list[str])
    unsearched: int = 0


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of one search: hits kept, bytes scanned, lines of context, and whether its time is over."""

    hits: int
    size: int
    context: int
    over: Callable[[], bool]


def pattern_of(text: str, *, literal: bool = False) -> Any:
    """The compiled pattern: case-insensitive, within a line, ^ and $ at each line's ends. Raises CallError
    `pattern_refused` with what RE2 says."""
    options = _RE2.Options()
    options.case_sensitive, options.never_nl, options.log_errors = False, True, False
    text = composed(text)
    try:
        body = _RE2.escape(text) if literal else text
        return _RE2.compile(f"{_BY_LINE}{body}", options)
    except (_RE2.error, UnicodeEncodeError) as error:
        raise CallError("pattern_refused", f"The pattern cannot be used: {_said(error)}.", hint=_hint(text)) from error


def _said(error: Exception) -> str:
    said: object = error.args[0] if error.args else ""
    if not isinstance(said, bytes):
        return "it is not valid text"
    return said.decode("utf-8", "replace").replace(_BY_LINE, "", 1)


def _hint(text: str) -> str:
    if any(sign in text for sign in ("(?=", "(?!", "(?<=", "(?<!")):
        return "RE2 has no look-ahead or look-behind: search the wider pattern and read the lines."
    if "\\" in text and any(f"\\{digit}" in text for digit in range(1, 10)):
        return "RE2 has no back references: write the repeated part out."
    return "Patterns are RE2: no look-around, back references or repeats over 1,000. Put \\ before ( [ { * + ? . | ^ $."


def search_pages(pattern: Any, file: str, pages: Sequence[str], paged: bool, bounds: Bounds, found: Found) -> bool:
    """Adds the matching lines of one file to `found`; False when a bound ended the scan."""
    for number, page in enumerate(pages, 1):
        body = composed(page).encode("utf-8", "replace")
        if found.size and found.size + len(body) > bounds.size:
            found.incomplete.append(f"the scan ended at {file}: {bounds.size >> 20:,} MiB are searched at most")
            return False
        if bounds.over():
            found.incomplete.append(f"the scan ended at {file}: its time was over")
            return False
        found.size += len(body)
        for hit in _lines(pattern, body, file, number if paged else None, bounds.context):
            found.total += 1
            if len(found.hits) < bounds.hits:
                found.hits.append(hit)
            if found.total >= _COUNTED:
                found.incomplete.append(f"the scan ended at {file}: {_COUNTED:,} lines match already")
                return False
    found.files += 1
    return True


def _lines(pattern: Any, body: bytes, file: str, page: int | None, context: int) -> Iterator[Hit]:
    """One hit for each line that matches, the line shown around its first match."""
    position, line, counted = 0, 1, 0
    while position <= len(body) and (match := pattern.search(body, position)):
        begins, ends = match.span()
        line += body.count(b"\n", counted, begins)
        counted = begins
        start = body.rfind(b"\n", 0, begins) + 1
        end = body.find(b"\n", begins)
        end = len(body) if end < 0 else end
        if begins == len(body) and start == begins and begins:
            return  # what stands behind the last line's end is no line
        text = _shown(body[start:end], begins - start, min(ends, end) - start)
        yield Hit(file, page, line, text, _above(body, start, context), _below(body, end, context))
        position = end + 1


def _shown(line: bytes, begins: int, ends: int) -> str:
    before, match, after = (
        line[a:b].decode("utf-8", "replace") for a, b in ((0, begins), (begins, ends), (ends, None))
    )
    if len(before) + len(match) + len(after) <= _LINE_CHARS:
        return before + match + after
    left = before[-_BEFORE_CHARS:]
    rest = (match + after)[: _LINE_CHARS - len(left)]
    cut_left, cut_right = len(left) < len(before), len(rest) < len(match) + len(after)
    return ("…" if cut_left else "") + left + rest + ("…" if cut_right else "")


def _above(body: bytes, start: int, context: int) -> tuple[str, ...]:
    lines = list[str]()
    while start > 0 and len(lines) < context:
        begin = body.rfind(b"\n", 0, start - 1) + 1
        lines.append(_shown(body[begin : start - 1], 0, 0))
        start = begin
    return tuple(reversed(lines))


def _below(body: bytes, end: int, context: int) -> tuple[str, ...]:
    lines = list[str]()
    while end + 1 < len(body) and len(lines) < context:
        begin = end + 1
        end = body.find(b"\n", begin)
        end = len(body) if end < 0 else end
        lines.append(_shown(body[begin:end], 0, 0))
    return tuple(lines)


def as_text(hits: Iterable[Hit]) -> str:
    """The hits as one text, a line for each, with their places."""
    return "\n".join("\n".join([*hit.before, f"{hit.at}: {hit.text}", *hit.after]) for hit in hits)
