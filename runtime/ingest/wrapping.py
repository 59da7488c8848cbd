"""Takes off what programs put around the lines of a text: marks inside, quotes around whole lines, rules between."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from runtime.ingest.loose_records import Record, loose_records
from runtime.ingest.wording import Noun

_MARK = "\ufeff"
_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069]")
"""Soft hyphens, zero-width blanks, marks of direction: nobody sees them, and what holds one is equal to nothing else.
Signs that join or part letters of Persian and Indian words are none of these."""
_UNSEEN_BYTES = re.compile(rb"\xef\xbb\xbf|\xc2\xad|\xe2(\x80[\x8b\x8e\x8f\xaa-\xae]|\x81[\xa0\xa6-\xa9])")
_FRAME = "|"
_WHOLE = re.compile(r'"((?:[^"]|"")*)"')
_RULE = re.compile(r"[-=_*+:| ]*")
_RARE = 2  # among so many records one may be a comment
_RULE_MARKS = 4  # three dashes alone may stand for a missing value
_RULE_BEGINS = tuple(b"\n" + begin for begin in (b"--", b" --", b"+-", b"|-", b"| -", b"|:", b"==", b"__", b"**"))
_CANDIDATES = (",", ";", "\t", "|")
_HEAD = 1_000


def is_wrapped(content: bytes, head: Sequence[str]) -> bool:
    """Whether something stands around the lines of a text or between them; `head` are its first lines."""
    if not content.isascii() and _UNSEEN_BYTES.search(content, len(codecs.BOM_UTF8)):
        return True
    if quoted_whole(head) or framed(head):
        return True
    return any(map(content.__contains__, _RULE_BEGINS)) or any(_is_rule([line]) for line in head)


def unwrapped(lines: list[str], notes: list[str]) -> list[str]:
    """The lines without marks inside and without quotes or pipes around whole lines, told in the notes."""
    if marks := sum(line.count(_MARK) for line in lines):
        lines = [line.replace(_MARK, "") for line in lines]
        notes.append(f"byte order marks inside the text removed ({marks:,}): files were put behind one another")
    if unseen := sum(len(_UNSEEN.findall(line)) for line in lines if not line.isascii()):
        lines = [line if line.isascii() else _UNSEEN.sub("", line) for line in lines]
        notes.append(f"signs nobody sees (soft hyphens, zero-width blanks, marks of direction) removed ({unseen:,})")
    if framed(lines[:_HEAD]):
        lines = [line.strip().removeprefix(_FRAME).removesuffix(_FRAME) if _FRAME in line else line for line in lines]
        notes.append("each line stands between two pipes: read without these")
    if quoted_whole(lines[:_HEAD]):
        lines = [found[1].replace('""', '"') if (found := _WHOLE.fullmatch(line)) else line for line in lines]
        notes.append("each line is quoted as a whole: read without these quotes")
    return lines


def without_rules(records: list[Record], notes: list[str], noun: Noun) -> list[Record]:
    """The records without those that only draw a line, told in the notes."""
    rules = [record.line for record in records if _is_rule(record.cells)]
    if not rules:
        return records
    many = f"1 ruling {noun}" if len(rules) == 1 else f"{len(rules):,} ruling {noun}s"
    notes.append(f"{many} (dashes and the like, first in {noun} {rules[0]}) skipped, not rows of the table")
    return [record for record in records if not _is_rule(record.cells)]


def without_comments(records: list[Record], width: int, notes: list[str]) -> list[Record]:
    """The records without those behind a number sign, if the first is one and is not as wide as the table, or a few
    further down have one cell only, where no row as wide as the table begins so."""
    comments = [record.line for record in records if _is_comment(record, width)]
    first = bool(records) and _is_comment(records[0], width)
    rows = any(_is_marked(record) and len(record.cells) == width for record in records[1:])
    lone = not rows and all(len(record.cells) == 1 for record in records if _is_comment(record, width))
    if not comments or not (first or (lone and _RARE * len(comments) < len(records))):
        return records
    many = "1 comment line" if len(comments) == 1 else f"{len(comments):,} comment lines"
    notes.append(f"{many} (#, first in line {comments[0]}) skipped, not rows of the table")
    return [record for record in records if not _is_comment(record, width)]


def is_padded(lines: Sequence[str], delimiter: str) -> bool:
    """Whether nearly all lines with delimiters have blanks beside them."""
    filled = [line for line in lines if delimiter in line and not _is_rule([line])]
    beside = sum(f" {delimiter}" in line or f"{delimiter} " in line for line in filled)
    return len(filled) > 1 and 10 * beside >= 9 * len(filled)


def without_padding(records: list[Record], notes: list[str]) -> list[Record]:
    """The records with their values bare of blanks around them."""
    plain = [replace(record, cells=[cell.strip(" ") for cell in record.cells]) for record in records]
    if plain != records:
        notes.append("blanks around the values taken off: nearly every line has them beside its delimiters")
    return plain


def _is_comment(record: Record, width: int) -> bool:
    return _is_marked(record) and len(record.cells) != width


def _is_marked(record: Record) -> bool:
    return record.cells[0].lstrip().startswith("#")


def _is_rule(cells: Sequence[str]) -> bool:
    text = "".join(cells)
    marks = sum(text.count(mark) for mark in "-=_*")
    return marks >= _RULE_MARKS and bool(_RULE.fullmatch(text))


def framed(lines: Sequence[str]) -> bool:
    """Whether each line with pipes begins and ends with one, as programs draw tables."""
    drawn = [text for line in lines if _FRAME in (text := line.strip())]
    return len(drawn) > 1 and all(len(text) > 1 and text[0] == text[-1] == _FRAME for text in drawn)


def quoted_whole(lines: Sequence[str]) -> bool:
    """Whether each line is one quoted value that holds several, as many as the others."""
    filled = [line for line in lines if line.strip()]
    if len(filled) < 2 or not all(_WHOLE.fullmatch(line) for line in filled):
        return False
    inside = [line[1:-1].replace('""', '"') for line in filled]
    for delimiter in _CANDIDATES:
        widths = Counter(len(record.cells) for record in loose_records(inside, delimiter, '"'))
        if len(widths) == 1 and min(widths) > 1:
            return True
    return False
