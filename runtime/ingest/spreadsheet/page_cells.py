"""What a cell on a web page holds: its text, and what the attributes and styles of spreadsheet programs add."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from runtime.ingest.dialect import is_date, is_value
from runtime.ingest.outcome import IngestRefused
from runtime.ingest.spreadsheet.cells import Mark, Written, WrittenNumber
from runtime.ingest.spreadsheet.xml_values import PLAIN_STYLE, Style, Value, read_value, style_of

Attributes = Mapping[str, str | None]
_RULE = re.compile(r"([^{}]{1,500})\{([^{}]*)\}")
_CLASS = re.compile(r"\.([\w-]+)\s*(?=,|$)")
_NUMBER_FORMAT = re.compile(r"mso-number-format\s*:\s*(\"[^\"]*\"|'[^']*'|(?:\\.|[^;\\])*)", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{4})|\\(.)")
_UNSHOWN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_BLANK = re.compile(r"[ \t\r\f\n\xa0\u202f\u2007]+")
_STRUCK = "~~"
_ORDERED = re.compile(r"(d+|m+|y+)[^dmy]+(d+|m+|y+)[^dmy]+(d+|m+|y+)")
_THREE = re.compile(r"(\d{1,4})\D(\d{1,2})\D(\d{1,4})")
_DIGITS = re.compile(r"\d+")
_DAYS = Style(days=True)
_STYLE_CHARS = 1 << 20
_TEXT_FORMAT = "@"


@dataclass(frozen=True, slots=True)
class CellFormat:
    """A number format as a page gives it: its code, and what the code says."""

    code: str = ""
    style: Style = PLAIN_STYLE

    @property
    def is_text(self) -> bool:
        """Whether it makes a text of whatever stands in the cell."""
        return self.code == _TEXT_FORMAT


_NO_FORMAT = CellFormat()


@dataclass(slots=True)
class PageStyles:
    """The number formats of a page by the classes of its style sheets."""

    by_class: dict[str, CellFormat] = field(default_factory=dict[str, CellFormat])
    _known: dict[str, CellFormat] = field(default_factory=dict[str, CellFormat])

    def add_sheet(self, text: str) -> None:
        """Takes up a style sheet."""
        for rule in _RULE.finditer(text[:_STYLE_CHARS]):
            found = self._format(rule[2])
            if found is not _NO_FORMAT:
                self.by_class |= dict.fromkeys(_CLASS.findall(rule[1].strip()), found)

    def of(self, attributes: Attributes) -> CellFormat:
        """The format of a cell."""
        own = self._format(attributes.get("style") or "")
        if own is not _NO_FORMAT or not self.by_class:
            return own
        classes = (attributes.get("class") or "").split()
        return next((self.by_class[each] for each in classes if each in self.by_class), _NO_FORMAT)

    def _format(self, declarations: str) -> CellFormat:
        if "mso-number-format" not in declarations:
            return _NO_FORMAT
        known = self._known.get(declarations)
        if known is None:
            match = _NUMBER_FORMAT.search(declarations)
            code = _plain_code(match[1].strip()) if match else ""
            known = CellFormat(code, style_of(code)) if code else _NO_FORMAT
            self._known[declarations] = known
        return known

    def value(self, text: str, attributes: Attributes) -> tuple[Value, Mark | None]:
        """The value of a cell that shows `text`. A number as the program stored it goes before what is shown of it."""
        form = self.of(attributes)
        if not text or form.is_text or "x:str" in attributes:
            return text, None
        if "x:err" in attributes:
            return "", Mark(error=text)
        if "x:num" in attributes:
            stored = _stored(attributes.get("x:num") or text, text, form.style)
            if stored is not None:
                return stored
        if is_date(text):
            return _day(text, form.code) or Written(text), None
        if is_value(text):
            return (Written if text.lower() in ("true", "false") else WrittenNumber)(text), None
        return text, None


def _plain_code(css: str) -> str:
    """A number format's code out of the escapes of a style sheet."""
    bare = css[1:-1] if css[:1] in ("'", '"') and css[-1:] == css[:1] else css
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], bare).strip()


def _stored(number: str, text: str, style: Style) -> tuple[Value, Mark | None] | None:
    """The value by the number that the program stored, None where what is shown is something else."""
    shown_date = is_date(text)
    try:
        value, mark = read_value(number, "Number", _DAYS if shown_date else style, from_1904=False)
    except IngestRefused:
        return None
    if shown_date and (not isinstance(value, date) or not _shows(text, value)):
        return None
    return value, mark


def _shows(text: str, day: date) -> bool:
    """Whether a date in digits, in whatever order, is this day."""
    digits = sorted(int(part) % 100 for part in _DIGITS.findall(text)[:3])
    return digits == sorted((day.day, day.month, day.year % 100))


def _day(text: str, code: str) -> date | None:
    """The date that `text` shows in the order of a number format, None when that doesn't tell it."""
    order, shown = _ORDERED.fullmatch(code.split(";")[0].strip().lower()), _THREE.fullmatch(text)
    if not order or not shown:
        return None
    parts = {part[0]: int(digits) for part, digits in zip(order.groups(), shown.groups(), strict=True)}
    longest = max(len(part) for part in order.groups() if part[0] != "y")
    if len(parts) < 3 or parts["y"] < 1_000 or longest > 2:
        return None
    try:
        return date(parts["y"], parts["m"], parts["d"])
    except ValueError:
        return None


def is_unshown(attributes: Attributes) -> bool:
    """Whether an element says that it is not shown."""
    return "hidden" in attributes or bool(_UNSHOWN.search(attributes.get("style") or ""))


def shown_text(text: str) -> tuple[str, bool]:
    """A cell's text as it is shown, blanks run together and lines kept, and whether all of it is struck out: then it
    stands there without the marks."""
    lines = (_BLANK.sub(" ", line).strip() for line in text.split("\n"))
    plain = "\n".join(line for line in lines if line)
    inner = plain[len(_STRUCK) : -len(_STRUCK)]
    if plain.startswith(_STRUCK) and plain.endswith(_STRUCK) and inner and _STRUCK not in inner:
        return inner.strip(), True
    return plain, False
